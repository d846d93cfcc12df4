"""`python docs/readme_figure.py FOLDER`: put a figure of results/ and its origin in the README.

FOLDER, such as results/reference/MACHINE/quickstart, keeps the tables that it can be drawn from.
"""

import argparse
import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIGURE = "time_to_accuracy"
BLOCK = re.compile(r"(?<=<!-- figure: written by `make readme-figure` -->\n).*?(?=<!-- end)", re.S)
TABLES = ("summary.csv", "epochs.csv", "machines.json", "claims.csv")
PACKAGES = ("torch", "tensorflow_cpu", "tensorflow")


def main(kept: Path, root: Path = ROOT) -> None:
    """Keep the tables, copy the figure, and write the lines between the README's two marks.

    `kept` is relative to `root`.
    """
    results, image = root / "results", Path("docs/images", f"{FIGURE}.svg")
    (root / image).parent.mkdir(parents=True, exist_ok=True)
    (root / kept).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(results / "figures" / image.name, root / image)
    for name in (*TABLES, *(f"figures/{FIGURE}.{end}" for end in ("svg", "csv", "txt"))):
        shutil.copyfile(results / name, root / kept / Path(name).name)
    title, *_, sample = (results / "figures" / f"{FIGURE}.txt").read_text().splitlines()
    caption = f"{title}; m learners per device, batch b of a learner. {sample}"
    lines = [
        f"![{title}]({image.as_posix()})",
        "",
        f"*{caption} {packages(results)}*",
        "",
        f"[Its runs, as tables]({kept})",
    ]
    readme = root / "README.md"
    readme.write_text(BLOCK.sub(lambda _: "\n".join(lines) + "\n", readme.read_text()))


def packages(results: Path) -> str:
    """The frameworks' versions that the runs in `results` had."""
    versions = {
        f"{name} {machine['environment']['packages'][name]}"
        for machine in json.loads((results / "machines.json").read_text())
        for name in PACKAGES
        if name in machine["environment"]["packages"]
    }
    return f"{'; '.join(sorted(versions)).capitalize()}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the tables are kept, from the root")
    main(parser.parse_args().folder)
