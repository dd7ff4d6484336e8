"""turnsmith in a language that puts every text of the catalogues in brackets: python bracketed.py serve …

What is shown without brackets is in no catalogue, or was not asked for there.
"""

import gettext
import re

from turnsmith import languages

BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")
"""A text of the catalogues; those within others go first."""
CUT = re.compile(r"⟦[^⟦⟧]*$|^[^⟦⟧]*⟧")
"""One that is cut at a stop, such as the title of a game."""
WORD = re.compile(r"[^\W\d_]{2,}")


class Brackets(gettext.NullTranslations):
    """Every text is itself, within brackets."""

    known: frozenset = frozenset()

    def gettext(self, message):
        return f"⟦{message}⟧" if message in self.known else message

    def ngettext(self, msgid1, msgid2, n):
        said = msgid1 if n == 1 else msgid2
        return f"⟦{said}⟧" if msgid1 in self.known else said


def known():
    """Every text that has a translation."""
    found, texts = set(), languages._catalogue("cs")
    while texts is not None:
        found |= {text if isinstance(text, str) else text[0] for text in getattr(texts, "_catalog", ())}
        texts = texts._fallback
    return frozenset(found - {""})


def brackets():
    """The catalogue of this language."""
    found = Brackets()
    found.known = known()
    return found


def unsaid(text, allowed=()):
    """The words of a text that are in no brackets and not `allowed`."""
    before = None
    while text != before:
        before, text = text, BRACKETED.sub(" ", text)
    text = CUT.sub(" ", CUT.sub(" ", text))
    return [word for word in WORD.findall(text) if word not in allowed]


if __name__ == "__main__":
    from turnsmith.cli import main

    said = brackets()
    languages._catalogue = lambda language: said
    main()
