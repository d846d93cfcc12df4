"""The figures of a folder, each as an SVG that can stand in one page with the others.

One of more marks than a browser draws quickly, as of thousands of runs, is its PNG instead.
"""

import base64
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from workflows.report.links import link

_AS_PICTURE = "It has too many marks for this page to name each: a picture stands for the SVG."
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
# The question that the suite asks comes first, then why; what else is drawn follows by name.
_FIRST = ("time_to_accuracy", "accuracy_over_time", "epochs_to_accuracy", "throughput")
MOST_INLINE = 1_000_000  # bytes of an SVG in the page
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)


def read_figures(folder: Path, beside: Path) -> list[dict]:
    """Name, title, caption paragraphs, drawing and links of each figure.

    `is_empty` says that it only explains why it shows nothing.

    Raises:
        ValueError: there is no figure, or one that is no SVG; one sentence.
    """
    found = []
    for svg in sorted(folder.glob("*.svg"), key=_order):
        title, paragraphs = _caption(svg.with_suffix(".txt"))
        files = [svg.with_suffix(end) for end in (".svg", ".pdf", ".png", ".csv")]
        as_picture = svg.stat().st_size > MOST_INLINE and svg.with_suffix(".png").exists()
        if as_picture:
            paragraphs = [*paragraphs, _AS_PICTURE]
        found.append(
            {
                "name": svg.stem,
                "title": title,
                "paragraphs": paragraphs,
                "drawing": picture(svg.with_suffix(".png")) if as_picture else inline(svg),
                "is_empty": _is_header_alone(svg.with_suffix(".csv")),
                "files": [(file.suffix[1:], link(file, beside)) for file in files if file.exists()],
            }
        )
    if not found:
        raise ValueError(f"{folder} has no figure; draw some with python -m plots")
    return found


def _order(svg: Path) -> tuple[int, str]:
    return (_FIRST.index(svg.stem) if svg.stem in _FIRST else len(_FIRST), svg.stem)


def _is_header_alone(file: Path) -> bool:
    return file.exists() and len(file.read_text(encoding="utf-8").splitlines()) == 1


def _caption(file: Path) -> tuple[str, list[str]]:
    """Title and paragraphs of a caption; the figure's name serves where there is none."""
    if not file.exists():
        return file.stem.replace("_", " "), []
    title, *paragraphs = file.read_text(encoding="utf-8").strip().split("\n\n")
    return title.splitlines()[0], [" ".join(text.split()) for text in paragraphs]


def picture(file: Path) -> str:
    """An image element with the PNG in it."""
    data = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="" src="data:image/png;base64,{data}">'


def inline(file: Path) -> str:
    """The SVG element without prolog and metadata, its ids made its own by the figure's name."""
    try:
        root = ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{file} is not a readable SVG ({error})") from error
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, _own(file.stem, key, value))
    # The view box keeps the proportions; the page decides how wide the figure stands.
    width = root.attrib.pop("width", "100%")
    root.set("style", f"max-width: calc(1.3 * {width})")
    root.attrib.pop("height", None)
    return ElementTree.tostring(root, encoding="unicode")


def _own(name: str, key: str, value: str) -> str:
    """An attribute whose ids, and references to ids, carry the figure's name."""
    if key == "id":
        return f"{name}-{value}"
    if key in ("href", f"{{{_XLINK}}}href"):
        return re.sub(r"^#", f"#{name}-", value)
    return re.sub(r"url\(#", f"url(#{name}-", value)
