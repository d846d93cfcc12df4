"""The site of docs/: it builds without a warning, has every page, and asks nothing of others."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

from workflows.validate import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def build(folder, *options, docs=ROOT):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder, *options]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=docs, env=quiet, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The text of every page, by its path in the site."""
    return {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def listed(nav):
    for entry in nav:
        (value,) = entry.values()
        yield from listed(value) if isinstance(value, list) else [value]


def test_every_page_is_in_the_navigation():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = {page for page in listed(nav) if not page.startswith("repository/")}
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert named - {"reference/schema.md"} == written


def test_a_broken_link_is_an_error(tmp_path):
    """Of a page, of an anchor, and of a file outside docs/."""
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    config = yaml.safe_load((tmp_path / "mkdocs.yml").read_text())
    config |= {"nav": [{"Home": "index.md"}], "plugins": [], "extra_css": []}
    config["hooks"] = [str(ROOT / config["hooks"][0])]
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(config))
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/index.md"
    page.write_text("# Home\n\n[one](../Makefile) [two](#home) [three](../bench/clock.py)\n")
    assert build(tmp_path / "site", docs=tmp_path).returncode == 0
    assert (tmp_path / "site/repository/bench/clock.py").exists()
    for link in ("nowhere.md", "#nowhere", "../bench/nowhere.py"):
        page.write_text(f"# Home\n\n[one]({link})\n")
        done = build(tmp_path / "site", docs=tmp_path)
        assert done.returncode == 1 and "nowhere" in done.stderr, link


def test_all_that_a_page_loads_or_links_to_is_in_the_site(pages):
    for path, text in pages.items():
        if path.name == "404.html":  # its links begin at the root of a server
            continue
        for link in set(re.findall(r'<[a-z]+ [^>]*?(?:href|src)="([^"]*)"', text)):
            target = unquote(html.unescape(link).partition("#")[0].partition("?")[0])
            if not re.match(r"[a-z]+:", target):
                assert (path.parent / target).exists(), f"{path}: {link}"


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loads = r'<(?:script|img|iframe|source)[^>]*src="(?:https?:)?//|<link[^>]*href="(?:https?:)?//'
    for path, text in pages.items():
        assert not re.search(loads, text.replace('<link rel="canonical"', "")), path
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )['\"]?(?:https?:)?//", path.read_text()), path


def test_files_outside_docs_are_where_the_pages_expect_them(site, pages):
    picture = "repository/results/reference/nvidia-h200/cost_curves.svg"
    assert f'src="{picture}"' in pages[site / "scaling.html"]
    original = ROOT / picture.removeprefix("repository/")
    assert (site / picture).read_bytes() == original.read_bytes()
    measured = pages[site / "repository/results/reference/nvidia-h200/index.html"]
    assert 'href="../../../../scaling.html"' in measured


def test_the_reference_has_every_key_of_the_schema_and_the_docstrings(site, pages):
    schema = pages[site / "reference/schema.html"]
    for part in (SCHEMA, SCHEMA["$defs"]["cell"]):
        for key, rule in part["properties"].items():
            (row,) = re.findall(rf"<tr>\s*<td><code>{key}</code></td>.*?</tr>", schema, re.DOTALL)
            assert all(f"<code>{value}</code>" in row for value in rule.get("enum", []))
            assert ("required" in row) == (key in part["required"])
    assert "momentum of the central model" in schema
    assert 'id="crossbow_impl.sma.average"' in pages[site / "reference/crossbow_impl.html"]
    assert 'id="bench.clock.Ledger.switch"' in pages[site / "reference/bench.html"]


def test_the_search_finds_words_of_every_page(site):
    found = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    pages_found = {entry["location"].partition("#")[0] for entry in found}
    assert {"config.html", "reference/bench.html", "tutorial/first-run.html"} <= pages_found
