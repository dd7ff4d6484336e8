"""No text is missed: with a language that puts every text of the catalogues in brackets, pages show nothing without."""

import re
import time
from pathlib import Path

import pytest
from browsing import call, chromium, server

import turnsmith as ts
from turnsmith.games import built_in

PLAIN = ["/", "/watch", "/arena", "/maps", "/maps/homeguard", "/training", "/photo/mastermind", "/friends", "/nowhere"]
SHOWN = """
const skipped = "script, style, .q-icon, .material-icons, .material-symbols-outlined, .numbers-only, iframe, .verbatim";
const found = [document.title];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const parent = walk.currentNode.parentElement;
  if (!parent.closest(skipped) && parent.checkVisibility()) found.push(walk.currentNode.data);
}
for (const part of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [data-tip]"))
  for (const name of ["aria-label", "title", "placeholder", "alt", "data-tip"])
    if (part.checkVisibility() && part.hasAttribute(name) && !part.closest(skipped)) found.push(part.getAttribute(name));
return found.map((text) => text.trim().replace(/\\s+/g, " ")).filter(Boolean);
"""
BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")
"""A text of the catalogues; those within others go first."""
CUT = re.compile(r"⟦[^⟦⟧]*$|^[^⟦⟧]*⟧")
"""What is cut off at a stop, such as the title of a game."""


def unsaid(text):
    """What is left of a text without brackets, and without what is no language."""
    before = None
    while text != before:
        before, text = text, BRACKETED.sub(" ", text)
    text = CUT.sub(" ", CUT.sub(" ", text))
    return text.strip() if re.search(r"[^\W\d_]{2,}", text) else ""


@pytest.fixture(scope="module")
def bracketed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bracketed")
    with server(folder, "--think", "0.2", program=(str(Path(__file__).parent / "bracketed.py"),)) as found:
        yield found


def settle(browser):
    before, end = None, time.monotonic() + 20
    while time.monotonic() < end:
        now = browser.driver.execute_script("return document.body.innerText")
        if now == before:
            return
        before = now
        time.sleep(0.3)
