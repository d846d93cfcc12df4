"""The runs of a results folder while they are made: `python -m bench.watch`."""
