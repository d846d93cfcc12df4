"""`python -m crossbow_impl run.json OUTDIR`."""

from bench import runner
from bench.ranks import spread
from crossbow_impl.train import Crossbow

if __name__ == "__main__":
    runner.main(Crossbow, spread)
