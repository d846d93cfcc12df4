"""What every system shares: the specification, the clock, the records of a run and its metrics."""
