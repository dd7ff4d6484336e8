"""A language that nobody speaks: every text that is in the catalogues stands in brackets, what is not is left bare."""

import gettext
import re

import pytest

from turnsmith import languages
from turnsmith.languages.make import read

OPEN, CLOSE = "⟦", "⟧"


class Pseudo(gettext.NullTranslations):
    """Brackets the texts of the catalogues, plurals too."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()
        for domain in languages.DOMAINS:
            for message in read("cs", domain):
                self.known |= {message.id} if isinstance(message.id, str) else set(message.id)

    def gettext(self, message: str) -> str:
        gaps = re.sub(r"(\{[^}]*\})", rf"{CLOSE}\1{OPEN}", message)  # what is filled in must be bracketed by itself
        return f"{OPEN}{gaps}{CLOSE}" if message in self.known else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The language is spoken wherever a test goes."""
    spoken = Pseudo()
    monkeypatch.setattr(languages, "_catalogue", lambda language: spoken)


def bare(text: str) -> str:
    """What is left of a text without what stands in brackets."""
    while OPEN in text:
        text, before = re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", " ", text), text
        assert text != before, f"brackets that do not match: {text}"
    return text
