# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What MkDocs does not know: where the pages are, what GitHub makes of links to folders and sources and of a <details>, and what a browser
lacks without a server. MkDocs calls the functions named on_*."""

import functools
import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.utils import get_relative_url
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from pages import HANDOUTS, ROOT, all_pages, links_of, navigation, sites, text_of

AS_THEY_ARE = {".svg", ".json", ".ipynb"}  # text that a browser shows by itself, or another program
LANGUAGES = {".cu": "cuda", ".hpp": "cpp", ".sbatch": "bash", ".cff": "yaml"}  # others: as Pygments knows them
MADE = "---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n"
KATEX = [Path(prefix, "share/javascript/katex") for prefix in (sys.prefix, "/usr")]  # Debian's libjs-katex
FORMULAE = """
<link rel="stylesheet" href="{katex}/katex.min.css">
<script src="{katex}/katex.min.js"></script>
<script>
for (const one of document.querySelectorAll(".arithmatex"))
  katex.render(one.textContent.slice(2, -2), one, {{ displayMode: one.tagName == "DIV" }});
</script>
"""


def on_config(config):
    config.nav = navigation()
    config.theme.static_templates.clear()  # a page for errors and a map of the site are for servers
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    config.markdown_extensions.append(Linking())
    return config


def slug(title, _):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


# ---- Files ----------------------------------------------------------------------------------------------------------------------------


def on_files(files, config):
    def add(file):
        if files.get_file_from_path(file.src_uri) is None:
            files.append(file)

    def add_from_repository(name):
        add(File(name, str(ROOT), config.site_dir, use_directory_urls=False))

    def add_made(name, text, inclusion=InclusionLevel.NOT_IN_NAV):
        add(File.generated(config, name, content=text, inclusion=inclusion))

    for page in all_pages():
        add_from_repository(page)
        for name in links_of(page):
            target = ROOT / name
            if target.is_dir() and not (target / "README.md").exists():
                add_made(f"{name}/index.md", folder_page(name))
                for path in sorted(target.iterdir()):
                    if path.is_file():
                        add_from_repository(f"{name}/{path.name}")
            elif target.is_file():
                add_from_repository(name)
                if is_source(target):
                    add_made(f"{name}.md", source_page(name))
    for name, text in handouts().items():
        add_made(name, text, InclusionLevel.INCLUDED)
    return files


@functools.lru_cache(maxsize=None)
def is_source(path):
    """True for a file of text that is no page: it gets one that shows it."""
    if not path.is_file() or path.suffix in {".md", *AS_THEY_ARE}:
        return False
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def source_page(name):
    """A page that shows a source file, from which the file itself can be saved."""
    try:
        language = LANGUAGES.get(Path(name).suffix) or get_lexer_for_filename(name).aliases[0]
    except ClassNotFound:
        language = "text"
    text = text_of(name)
    fence = "~" * (2 + max(map(len, re.findall("~+", text)), default=1))
    base = posixpath.basename(name)
    return f'{MADE}# `{base}`\n\n`{name}` (<a href="{base}" download>save the file</a>)\n\n{fence} {language}\n{text}\n{fence}\n'


def folder_page(name):
    items = sorted(path.name for path in (ROOT / name).iterdir() if path.is_file())
    return f"{MADE}# `{name}`\n\n" + "".join(f"- [{item}]({item})\n" for item in items)


def handouts():
    """The handouts by page: what scripts/handout makes of each cluster, and the list of them."""
    made = {}
    for site in sites():
        done = subprocess.run([ROOT / "scripts" / "handout", site], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise PluginError(f"scripts/handout {site}: {done.stderr.strip()}")
        made[f"{HANDOUTS}/{site}.md"] = done.stdout
    lines = [f"- [{text.splitlines()[0].lstrip('# ')}]({posixpath.basename(name)})" for name, text in made.items()]
    head = "# Handouts\n\nA sheet for each cluster, made by `scripts/handout SITE` from the site's file. The clusters that retired have none."
    return {f"{HANDOUTS}/index.md": "\n".join([head, "", *lines, ""]), **made}


# ---- Pages ----------------------------------------------------------------------------------------------------------------------------


class Linking(Extension):
    """GitHub shows a folder or a source file that a page links to: here each has a page for it. Before MkDocs looks for its file."""

    class Processor(Treeprocessor):
        def run(self, root):
            for code in (code for cell in root.iter("td") for code in cell.iter("code")):
                code.text = AtomicString((code.text or "").replace("\\|", "|"))  # as GitHub reads a cell
            for element in root.iter("a"):
                parts = urlsplit(element.get("href", ""))
                if parts.scheme or not parts.path:
                    continue
                name = posixpath.normpath(posixpath.join(posixpath.dirname(Linking.page), unquote(parts.path)))
                target = ROOT / name
                if target.is_dir():
                    added = "/README.md" if (target / "README.md").exists() else "/index.md"
                    element.set("href", parts._replace(path=parts.path.rstrip("/") + added).geturl())
                elif is_source(target):
                    element.set("href", parts._replace(path=parts.path + ".md").geturl())

    page = ""  # that is being made

    def extendMarkdown(self, md):
        md.treeprocessors.register(self.Processor(md), "linking", 10)


def on_page_markdown(markdown, page, **_):
    Linking.page = page.file.src_uri
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]  # it has no neighbours there
    return "".join(
        part if k % 2 else re.sub(r"^<details>", '<details markdown="1">', part, flags=re.MULTILINE)
        for k, part in enumerate(re.split(r"^(```+[\s\S]*?^```+$)", markdown, flags=re.MULTILINE))
    )


def on_page_content(html, page, config, **_):
    name = page.file.src_uri
    if re.match(r"apps/|course/first_program/|docs/concepts/", name) and html.count("<h2") > 1:
        html = f'<a class="md-content__button slides-button" href="?slides" title="Right and left turn them, Escape ends" data-search-exclude>slides</a>\n{html}'
    if name.startswith(HANDOUTS):
        html = f'<div class="handout">{html}</div>'  # on paper, one sheet
    if 'class="arithmatex"' in html and has_katex(Path(config.site_dir)):
        html += FORMULAE.format(katex=get_relative_url("assets/katex", page.file.url))
    return html


@functools.lru_cache(maxsize=None)
def has_katex(site):
    """Copies KaTeX, which draws formulae, into the site. Without it they are shown as they are typed."""
    folder = next((folder for folder in KATEX if (folder / "katex.min.js").exists()), None)
    if folder is None:
        print("no KaTeX here (Debian: libjs-katex): formulae are shown as they are typed", file=sys.stderr)
        return False
    for name in ("katex.min.js", "katex.min.css"):
        (site / "assets" / "katex").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, site / "assets" / "katex" / name)
    shutil.copytree(folder / "fonts", site / "assets" / "katex" / "fonts", dirs_exist_ok=True)
    return True


# ---- Without a server -----------------------------------------------------------------------------------------------------------------


def on_post_build(config):
    """A browser starts no worker from a file: the search's starts from a text then."""
    site = Path(config.site_dir)
    (worker,) = site.glob("assets/javascripts/workers/search.*.min.js")
    source = json.dumps(re.sub(r"^//# sourceMappingURL=.*$", "", worker.read_text(encoding="utf-8"), flags=re.MULTILINE))
    (site / "assets" / "iframe-worker.js").write_text(
        f"""if (location.protocol == "file:") {{
  const Started = Worker;
  window.Worker = function () {{
    return new Started(URL.createObjectURL(new Blob([{source}], {{ type: "text/javascript" }})));
  }};
}}
""",
        encoding="utf-8",
    )
