"""`python -m data_prep DATASET FOLDER`: make the records of a dataset."""

import argparse
import os
import sys

from data_prep.archives import MIRROR_VARIABLE
from data_prep.datasets import known
from data_prep.manifest import RecordsError
from data_prep.options import Options
from data_prep.prepare import prepare


def main() -> int:
    """Run the command line; 0 when the records are there, 1 after one sentence why not."""
    parser = argparse.ArgumentParser(prog="python -m data_prep", description=__doc__)
    parser.add_argument("dataset", help=f"{', '.join(known())}; or NAME-SIDE")
    parser.add_argument("folder", help="where the records go, such as data/mnist")
    parser.add_argument(
        "--archives",
        metavar="DIR",
        default=os.environ.get(MIRROR_VARIABLE),
        help=f"folder of the source files, instead of a download (default: ${MIRROR_VARIABLE})",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="check the sha256 of records already there, and make all again if one is bad",
    )
    images = parser.add_argument_group("datasets of encoded images")
    images.add_argument("--strict", action="store_true", help="refuse what the rules would mend")
    images.add_argument("--workers", type=int, default=0, help="processes (default: all cores)")
    images.add_argument("--side", type=int, help="pixels of the crop that a network sees")
    images.add_argument("--shard-mb", type=float, help="largest shard, in MB (default: 256)")
    images.add_argument("--quality", type=int, help="of JPEGs made of others (default: 95)")
    images.add_argument(
        "--test-fraction", type=float, help="held out where there is no test split (default: 0.1)"
    )
    arguments = parser.parse_args()
    try:
        prepare(
            arguments.dataset,
            arguments.folder,
            archives=arguments.archives,
            verify=arguments.verify,
            report=lambda line: print(line, file=sys.stderr, flush=True),
            options=Options(
                workers=arguments.workers,
                strict=arguments.strict,
                side=arguments.side,
                shard_mb=arguments.shard_mb,
                quality=arguments.quality,
                test_fraction=arguments.test_fraction,
            ),
        )
    except RecordsError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; run this again to go on", file=sys.stderr)
        return 1
    except OSError as error:
        where = error.filename or arguments.folder
        print(f"{where}: {error.strerror or error}; mend that and run this again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
