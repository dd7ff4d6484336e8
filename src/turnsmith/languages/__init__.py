"""The languages people play in: English as the code says it, Czech and Slovak by gettext's catalogues beside this file.

``_("your turn")`` is the text in the language that is spoken where it is called: `speaking` sets it for a block and all
that is awaited in it. `page` has the words of the application, `games` those of the games; ``make languages`` gathers
both anew from the code. A sentence with a number in it is asked for by `counted`.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "cs": "Čeština", "sk": "Slovenčina"}
DOMAINS = ("page", "games")
FOLDER = Path(__file__).parent

_spoken: ContextVar[str] = ContextVar("language", default="en")


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    texts = gettext.NullTranslations()
    if language != "en":
        for domain in DOMAINS:
            texts.add_fallback(gettext.translation(domain, FOLDER, [language]))
    return texts


def language() -> str:
    """The code of what is spoken here."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within the block, texts are in `language`, one of LANGUAGES.

    >>> with speaking("en"):
    ...     _("your turn")
    'your turn'
    """
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def _(text: str) -> str:
    """`text` in the language that is spoken here, as it is where there is no translation."""
    return _catalogue(_spoken.get()).gettext(text) if text else text


def marked(text: str) -> str:
    """`text` as it is, gathered for translation: for a constant that is made once and goes through `_` where shown."""
    return text


def counted(one: str, many: str, number: int) -> str:
    """`one` or `many`, as `number` wants it in the language that is spoken here; Slavic languages have a third form.

    >>> counted("{} die", "{} dice", 3).format(3)
    '3 dice'
    """
    return _catalogue(_spoken.get()).ngettext(one, many, number)


def worded(words: str) -> str:
    """The words of a move as people read them: those that are words, such as a roll or a pass, in their language.

    >>> worded("a3 pass")
    'a3 pass'
    """
    return " ".join(map(_, words.split(" ")))


def player_name(seat: int) -> str:
    """What a game's text or picture calls a seat; people count from 1. Where they have names, the page puts these.

    >>> player_name(0)
    'player 1'
    """
    return _("player {}").format(int(seat) + 1)


def wanted(header: str) -> str:
    """The first language of a browser's Accept-Language that there is, else English.

    >>> wanted("de, sk;q=0.8, en;q=0.9")
    'en'
    >>> wanted("sk-SK, en;q=0.5")
    'sk'
    """
    ranked: list[tuple[float, int, str]] = []
    for part in header.split(","):
        name, _semicolon, weight = part.strip().partition(";q=")
        try:
            ranked.append((-float(weight or 1), len(ranked), name.partition("-")[0].lower()))
        except ValueError:
            continue
    return next((name for _weight, _place, name in sorted(ranked) if name in LANGUAGES), "en")


def of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """What a terminal's locale asks for, as gettext reads it: LANGUAGE, LC_ALL, LC_MESSAGES, LANG.

    >>> of_terminal({"LANG": "cs_CZ.UTF-8"})
    'cs'
    """
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for locale in environment.get(name, "").split(":"):
            code = locale.partition(".")[0].partition("_")[0].lower()
            if code in LANGUAGES:
                return code
    return "en"
