"""Results followed from their sources to their figures: `python -m bench.verify`."""
