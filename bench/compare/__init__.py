"""Two results folders side by side: `python -m bench.compare`."""
