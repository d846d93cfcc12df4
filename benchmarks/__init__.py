"""Measurements that are too machine-dependent to be tests."""
