"""mkdocs hook: links to files of the repository outside docs/ work in the site as they do there.

What a page links to is put into the site under repository/: a file as it is, Markdown as a page,
whose own links are followed in turn, and a folder as its README.md, or as a list of its files.
"""

import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "repository"
LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")
FENCED = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds all that pages link to outside docs/, and what is linked to from there."""
    unread = [file for file in files if file.src_uri.endswith(".md")]
    while unread:
        file = unread.pop()
        for target in _targets(file.content_string, _path(file.src_uri)):
            added = _file(target, config)
            if not files.get_file_from_path(added.src_uri):
                files.append(added)
                if added.src_uri.endswith(".md"):
                    unread.append(added)
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links by the paths that the targets have in the site."""
    here = PurePosixPath(page.file.src_uri).parent
    path = _path(page.file.src_uri)

    def in_site(link: re.Match[str]) -> str:
        target = _target(link[1], path)
        return link[1] if target is None else quote(os.path.relpath(_uri(target), here))

    parts = FENCED.split(markdown)
    parts[::2] = [LINK.sub(in_site, part) for part in parts[::2]]
    return "".join(parts)


def _path(uri: str) -> str:
    """The path in the repository of a file of the site."""
    prefix, _, rest = uri.partition("/")
    return rest if prefix == PREFIX else f"docs/{uri}"


def _uri(path: str) -> str:
    """The path in the site's sources of a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    folder = (ROOT / path).is_dir()
    return f"{PREFIX}/{path}/README.md" if folder else f"{PREFIX}/{path}"


def _target(link: str, path: str) -> str | None:
    """The path in the repository that a link of the page `path` leads to, if to any."""
    if re.match(r"[a-z]+:", link):
        return None
    target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(link)))  # noqa: PTH118,PTH120
    return target if not target.startswith("..") and (ROOT / target).exists() else None


def _targets(markdown: str, path: str) -> list[str]:
    text = "".join(FENCED.split(markdown)[::2])
    found = {_target(link, path) for link in LINK.findall(text)}
    return sorted(target for target in found if target and not target.startswith("docs/"))


def _file(path: str, config: MkDocsConfig) -> File:
    source = ROOT / path
    if source.is_dir() and not (source := source / "README.md").exists():
        return File.generated(config, _uri(path), content=_listing(path))
    return File.generated(config, _uri(path), abs_src_path=str(source))


def _listing(path: str) -> str:
    """A folder's files by name, with links to the folders that have a README.md of their own."""
    lines = []
    for entry in sorted((ROOT / path).iterdir()):
        if (entry / "README.md").exists():
            lines.append(f"- [{entry.name}/]({entry.name}/README.md)")
        elif not entry.name.startswith((".", "__")):
            lines.append(f"- `{entry.name}{'/' * entry.is_dir()}`")
    return "\n".join([f"# {path}", "", *lines]) + "\n"
