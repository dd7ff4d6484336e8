"""The site of `make docs`: every page, every public name, nothing from elsewhere, and a search that finds."""

import functools
import http.server
import importlib.util
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from browsing import chromium

import turnsmith

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "furo", "myst_parser")),
    reason="the site needs Sphinx, furo and MyST: pip install 'turnsmith[docs]'",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it: a warning is an error."""
    recipe = re.search(r"sphinx-build (-q -W --keep-going) ", (ROOT / "Makefile").read_text())[1].split()
    made, trees = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("trees")
    command = [sys.executable, "-m", "sphinx", *recipe, "-d", str(trees), str(DOCS), str(made)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return made


def test_every_page_is_reached_from_the_contents(site):
    """Each Markdown file of docs/ is a page, and stands in the contents beside every other."""
    contents = (site / "index.html").read_text()
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html").as_posix()
        assert (site / name).is_file()
        assert name == "index.html" or f'href="{name}"' in contents, f"docs/index.md does not list {name}"


def test_the_reference_has_every_public_name(site):
    """All of turnsmith.__all__, with what their docstrings say."""
    page = (site / "reference" / "python.html").read_text()
    assert set(re.findall(r'id="turnsmith\.(\w+)"', page)) == set(turnsmith.__all__)
    assert "the message is one line that names the cause and the cure" in page


def test_nothing_is_fetched_from_elsewhere(site):
    """No page or style loads anything by an address of the network."""
    loaded = r'<(?:script|img|iframe)\b[^>]*\bsrc="(?:https?:)?//[^"]*|<link\b[^>]*\bhref="(?:https?:)?//[^"]*'
    for page in site.rglob("*.html"):
        assert re.findall(loaded, page.read_text()) == [], page
    for style in site.rglob("*.css"):
        assert re.findall(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^)]*""", style.read_text()) == [], style


def test_the_search_finds(site, tmp_path):
    """In a browser a word leads to its pages, with their first lines, and the console stays silent."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with chromium(tmp_path / "profile") as browser:
            browser.driver.get(f"{address}/search.html?q=exploitability")
            browser.see("pages matching the search query")
            assert "Solve a game with hidden cards" in browser.text()
            browser.driver.get(f"{address}/reference/gallery.html")
            console = [line["message"] for line in browser.driver.get_log("browser") if line["level"] == "SEVERE"]
        server.shutdown()
    assert [line for line in console if "favicon" not in line] == []
