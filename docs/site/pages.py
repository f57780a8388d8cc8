# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The pages of the site: where they are in the repository, in which order to read them, and what they link to."""

import importlib.machinery
import importlib.util
import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = ("README.md", "course/*.md", "course/*/*.md", "apps/*/README.md", "docs/*.md", "docs/*/*.md", "CONTRIBUTING.md")
HANDOUTS = "course/handouts"


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def title_of(page):
    return re.search(r"^# (.+)$", text_of(page), flags=re.MULTILINE)[1]


def load_check_links():
    """scripts/check-links, which knows what a link is."""
    loader = importlib.machinery.SourceFileLoader("check_links", str(ROOT / "scripts" / "check-links"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_links", loader))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


check_links = load_check_links()


def links_of(page):
    """What a page links to in the repository: paths from its root, each once, in the page's order."""
    folder = posixpath.dirname(page)
    found = {}
    for _, line in check_links.lines_of_text(ROOT / page):
        for link in (first or second for first, second in check_links.LINK.findall(line)):
            name = posixpath.normpath(posixpath.join(folder, link.partition("#")[0]))
            if not re.match(r"[a-z][a-z0-9+.-]*:|#", link) and (ROOT / name).exists():
                found[name] = None
    return list(found)


def all_pages():
    """The repository's pages; and those that they link to, wherever these are."""
    found = dict.fromkeys(str(path.relative_to(ROOT)) for pattern in PATTERNS for path in sorted(ROOT.glob(pattern)))
    new = list(found)
    while new:
        new = [name for page in new for name in links_of(page) if name.endswith(".md") and name not in found]
        found.update(dict.fromkeys(new))
    return list(found)


def lessons():
    """The lessons of course/two_days.md as [{title: page}]; where one has several pages, each has its own entry."""
    plan, found = "course/two_days.md", []
    for number, title, body in re.findall(r"^### (\d+)\. (.+)\n([\s\S]*?)(?=^##|\Z)", text_of(plan), flags=re.MULTILINE):
        line = re.search(r"\bPages?:(.*?)(?:\.\s|\Z)", body, re.DOTALL)
        links = re.findall(r"\]\(([^)#]+\.md)\)", line[1]) if line else []
        pages = [posixpath.normpath(posixpath.join("course", link)) for link in links]
        found += [{f"{number}. {title if len(pages) == 1 else page.split('/')[-2]}": page} for page in pages]
    return found


def sites():
    """The clusters that take jobs: those with a ready script."""
    return sorted({path.name.rpartition("-")[0] for path in (ROOT / "sbatch").glob("*-*.sbatch")})


def navigation():
    """The pages by section, as MkDocs takes them. A page is in the first section that asks for it, or else in the last."""
    left = dict.fromkeys(all_pages())

    def take(pages, folder=None):
        """These pages, and then the others of this folder, as far as they are not taken yet."""
        pages = [page for page in pages if page in left] + [page for page in left if folder is not None and page.startswith(folder)]
        for page in dict.fromkeys(pages):
            del left[page]
        return list(dict.fromkeys(pages))

    home = [{"Start": page} for page in take(["README.md"])]
    path = lessons()
    take(page for entry in path for page in entry.values())
    course = take(["course/README.md", "course/two_days.md"], "course/")
    exercises = take([page for page in links_of("README.md") if page.startswith("apps/")], "apps/")
    concepts = take(["docs/concepts/README.md", *(page for page in links_of("docs/concepts/README.md") if "/concepts/" in page)], "docs/concepts/")
    clusters = take(["docs/clusters.md"]) + [{"Handouts": [f"{HANDOUTS}/index.md", *(f"{HANDOUTS}/{site}.md" for site in sites())]}]
    others = take(["docs/README.md", *links_of("README.md"), *links_of("docs/README.md")], "")
    parts = {page: [part for part in others if part.startswith(page.removesuffix(".md") + "/")] for page in others}
    inner = [part for group in parts.values() for part in group]
    reference = [{title_of(page): [page, *parts[page]]} if parts[page] else page for page in others if page not in inner]
    return [
        *home,
        {"Course": course},
        {"Lessons": [*path, {"Further exercises": exercises}]},
        {"Concepts": concepts},
        {"Clusters": clusters},
        {"Reference": reference},
    ]
