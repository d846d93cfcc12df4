"""The systems that CROSSBOW is compared with; one file is one system."""
