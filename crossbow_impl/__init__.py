"""CROSSBOW's synchronous model averaging: many small-batch learners around one central model."""
