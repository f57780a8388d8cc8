# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The site that scripts/site builds: every link leads somewhere, nothing is fetched from elsewhere, and all of the pages are in it.

Needs MkDocs with Material, in this Python or in the Debian tree, where scripts/site installs it; without it the test is skipped, or fails
with PARALLAX_REQUIRE_SITE=1. The site in a real browser: test_site_browser.py."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import test_course

ROOT = Path(__file__).resolve().parents[2]
LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "srcset"), ("object", "data"), ("embed", "src")}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def has_mkdocs(python):
    command = [str(python), "-c", "import mkdocs, material.plugins.offline"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def why_not():
    if any(map(has_mkdocs, (sys.executable, ROOT / "scripts" / "tree-python"))):
        return ""
    return "no MkDocs with Material: scripts/site installs it in the Debian tree"


def build(root, *arguments):
    # The Python of this test, unless it lacks what the tree's has.
    environment = {**os.environ, "PARALLAX_PYTHON": sys.executable}
    return subprocess.run([root / "scripts" / "site", *arguments], capture_output=True, text=True, check=False, env=environment)


class Page(HTMLParser):
    """What a page refers to and what it says; `article` is the text between the menus."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.menu, self.paragraphs, self.codes = set(), [], [], [], [], []
        self.article, self.open = "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = {name: value or "" for name, value in attrs}
        self.ids.add(attrs.get("id"))
        self.ids.add(attrs.get("name") if tag == "a" else None)
        for name, value in attrs.items():
            if (tag, name) in LOADS:
                self.loads.append(value)
            elif name in ("href", "src"):
                self.links.append(value)
        if tag == "a" and "md-nav__link" in attrs.get("class", ""):
            self.menu.append(attrs["href"])
        if tag == "p":
            self.paragraphs.append("")
        if tag == "pre":
            self.codes.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "article" in self.open and "script" not in self.open:
            self.article += data
            if "pre" in self.open:
                self.codes[-1] += data
            elif "p" in self.open and "code" not in self.open:
                self.paragraphs[-1] += data


def faults_of_links(site, pages):
    """Each link and each file that a page loads, as far as it is not there; pages are given by path."""
    found = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if site not in target.parents or not target.is_file():
                found.append(f"{path.relative_to(site)}: {link}")
            elif target in pages and unquote(parts.fragment) not in pages[target].ids | {"", "__search"}:
                found.append(f"{path.relative_to(site)}: {link} has no such heading")
    return found


def faults_of_hosts(site, pages):
    """Whatever a page or a style sheet takes from another host to be shown."""
    found = [f"{path.relative_to(site)}: {link}" for path, page in pages.items() for link in page.loads if re.match(r"[a-z]+:|//", link)]
    for path in site.rglob("*.css"):
        for link in re.findall(r"url\(\s*[\"']?([^)\"']+)|@import\s+[\"']([^\"']+)", path.read_text(encoding="utf-8")):
            link = link[0] or link[1]
            if link.startswith(("data:", "#")):
                continue
            if re.match(r"[a-z]+:|//", link) or not (path.parent / urlsplit(link).path).is_file():
                found.append(f"{path.relative_to(site)}: {link}")
    return found


def plain(text):
    """Markdown's text without its marks, as far as headings have them."""
    return re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)).strip()


def headings(text):
    text = re.sub(r"^(```+|~~~+)[\s\S]*?^\1", "", text, flags=re.MULTILINE)
    return [plain(heading) for heading in re.findall(r"^#{1,6} (.+)$", text, flags=re.MULTILINE)]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason and os.environ.get("PARALLAX_REQUIRE_SITE") != "1":
            raise unittest.SkipTest(reason)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = Path(folder.name).resolve() / "site"
        done = build(ROOT, cls.site)
        if done.returncode != 0 or reason:
            raise AssertionError(reason or done.stderr)
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.site.rglob("*.html")}

    def page(self, name):
        return self.pages[self.site / name]

    def test_every_link_leads_somewhere(self):
        self.assertGreater(sum(len(page.links) for page in self.pages.values()), 5000)
        self.assertEqual(faults_of_links(self.site, self.pages), [])

    def test_nothing_comes_from_another_host(self):
        self.assertGreater(sum(len(page.loads) for page in self.pages.values()), 500)
        self.assertEqual(faults_of_hosts(self.site, self.pages), [])

    def test_both_checks_can_fail(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        site = Path(folder.name).resolve()
        (site / "s.css").write_text("a { background: url(gone.png) } @import '//elsewhere/s.css';")
        path = site / "page.html"
        path.write_text('<h2 id="here"></h2><a href="#here"></a><a href="#there"></a><a href="gone.html"></a><a href="../out"></a>'
                        '<img src="gone.svg"><script src="https://elsewhere/x.js"></script><a href="https://elsewhere/"></a>')
        pages = {path: Page(path.read_text())}
        self.assertEqual(faults_of_links(site, pages), [
            "page.html: #there has no such heading", "page.html: gone.html", "page.html: ../out", "page.html: gone.svg"])
        self.assertEqual(faults_of_hosts(site, pages), ["page.html: https://elsewhere/x.js", "s.css: gone.png", "s.css: //elsewhere/s.css"])

    def test_every_page_of_the_repository_is_there_with_its_headings_and_code(self):
        sources = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "course").rglob("*.md"), *(ROOT / "docs").rglob("*.md"),
                   *ROOT.glob("apps/*/*.md")]
        self.assertGreater(len(sources), 60)
        for source in sources:
            name = source.relative_to(ROOT)
            with self.subTest(str(name)):
                page = self.page(name.with_name("index.html") if source.stem == "README" else name.with_suffix(".html"))
                text = source.read_text(encoding="utf-8")
                for heading in headings(text):
                    self.assertIn(heading, page.article)
                for code in re.findall(r"^```\w*\n(.*?)\n```$", text, flags=re.MULTILINE | re.DOTALL):
                    self.assertIn(code.strip("\n"), "\n".join(page.codes))
                # Marks that the Markdown of MkDocs did not take for what GitHub takes them for.
                self.assertEqual([p for p in page.paragraphs if re.search(r"^\s*([-*|] |```|</?details)|\*\*", p)], [])

    def test_sources_are_pages_of_their_own(self):
        for name in ("apps/histogram/lesson.hpp", "apps/histogram/twin.py", "course/first_program/CMakeLists.txt", "docs/dictionary/cuda.cu"):
            with self.subTest(name):
                text = (ROOT / name).read_text(encoding="utf-8")
                self.assertEqual([code.strip("\n") for code in self.page(f"{name}.html").codes], [text.strip("\n")])
                self.assertEqual((self.site / name).read_text(encoding="utf-8"), text)

    def test_the_menu_has_the_lessons_in_the_order_of_the_course(self):
        plan = (ROOT / "course" / "two_days.md").read_text(encoding="utf-8")
        lines = [test_course.PAGE.search(part)[1] for part in re.split(r"^### \d+\. ", plan, flags=re.MULTILINE)[1:]]
        pages = [link for line in lines for link in re.findall(r"\]\(([^)#]+\.md)\)", line)]
        expected = [str((self.site / "course" / page).resolve()).replace("README.md", "index.html").replace(".md", ".html") for page in pages]
        menu = [str((self.site / link).resolve()) for link in self.page("index.html").menu]
        self.assertGreater(len(expected), 12)
        self.assertEqual([link for link in menu if link in expected], expected)
        # Every page can be reached by the menu, but for sources and lists of files.
        missing = [str(path.relative_to(self.site)) for path in self.pages if str(path) not in menu and path.with_suffix("").suffix == ""]
        self.assertEqual(missing, ["LICENSE.html", "docs/measured/index.html"])

    def test_the_search_needs_no_server(self):
        index = json.loads((self.site / "search" / "search_index.json").read_text(encoding="utf-8"))
        script = (self.site / "search" / "search_index.js").read_text(encoding="utf-8")
        self.assertEqual(json.loads(script.removeprefix("var __index = ")), index)
        found = {entry["location"] for entry in index["docs"]}
        self.assertIn("apps/histogram/index.html#common-mistakes", found)
        self.assertFalse([location for location in found if ".hpp" in location])
        self.assertNotIn("slides", next(e["text"] for e in index["docs"] if e["location"] == "apps/histogram/index.html"))
        (worker,) = (self.site / "assets" / "javascripts" / "workers").glob("search.*.min.js")
        shim = (self.site / "assets" / "iframe-worker.js").read_text(encoding="utf-8")
        source = json.loads(re.search(r"new Blob\(\[(\".*\")\]", shim)[1])
        self.assertEqual(source.strip(), re.sub(r"//# sourceMappingURL=.*", "", worker.read_text(encoding="utf-8")).strip())

    def test_a_formula_brings_what_draws_it(self):
        for path, page in self.pages.items():
            with self.subTest(str(path.relative_to(self.site))):
                self.assertEqual('class="arithmatex"' in path.read_text(encoding="utf-8"), any("katex" in link for link in page.loads))
        self.assertTrue(any("katex" in link for link in self.page("course/teachers.html").loads), "no KaTeX: install libjs-katex")

    def test_a_handout_for_each_cluster(self):
        sites = {path.name.rpartition("-")[0] for path in (ROOT / "sbatch").glob("*-*.sbatch")}
        self.assertGreater(len(sites), 5)
        self.assertEqual({path.stem for path in (self.site / "course" / "handouts").glob("*.html")}, {"index", *sites})


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def test_a_folder_with_other_files_is_left_alone(self):
        (self.folder / "mine").write_text("kept")
        for arguments, said in (
            ([self.folder], f"parallax: '{self.folder}' is not empty, and is no site that this script built: name another folder"),
            ([self.folder / "mine"], f"parallax: '{self.folder}/mine' is not empty, and is no site that this script built: name another folder"),
            (["a", "b"], "parallax: too many words: 'b'; see scripts/site --help"),
            (["--strict"], "parallax: unknown option '--strict'; see scripts/site --help"),
        ):
            with self.subTest(arguments):
                done = build(ROOT, *arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", said + "\n"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine"])

    def test_a_link_that_leads_nowhere_stops_it(self):
        if not has_mkdocs(sys.executable):
            self.skipTest(why_not() or "a copy of the repository has no Debian tree")
        copy = self.folder / "copy"
        skipped = shutil.ignore_patterns(".*", "build*", "out", "results")
        shutil.copytree(ROOT, copy, ignore=lambda folder, names: skipped(folder, names) if Path(folder) == ROOT else ())
        for name in ("course", "docs"):
            (copy / name / "new.md").write_text(f"# New\n\n[Nowhere]({name}.md), [no heading](../README.md#nowhere)\n")
        done = build(copy, self.folder / "site")
        self.assertEqual((done.returncode, done.stderr.count("WARNING")), (1, 4), done.stderr)
        for said in ("'course/new.md' contains a link 'course.md'", "'docs/new.md' contains a link 'docs.md'", "'#nowhere'"):
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
