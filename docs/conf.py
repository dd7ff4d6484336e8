"""The site: ``make docs`` builds it from these pages and the docstrings; what comes out needs no network to be read."""

import tomllib
from pathlib import Path

import turnsmith
from turnsmith.public import value_of

ROOT = Path(__file__).parent.parent

project = "turnsmith"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
project_copyright = "the turnsmith authors, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4  # pages link to each other's headings as they do where Markdown is read raw


for name in turnsmith.__all__:  # of packages that can be called, the reference shows the functions
    setattr(turnsmith, name, value_of(name))
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 100
autodoc_preserve_defaults = True

html_theme = "furo"  # its fonts are the reader's own, its scripts and styles are copied along
html_title = "turnsmith"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app):
    """`load` makes a Game of a file: its fifty arguments are the contract's, and nobody writes them in a call."""
    app.connect(
        "autodoc-process-signature", lambda _, what, name, *_rest: ("", "") if name == "turnsmith.Game" else None
    )
