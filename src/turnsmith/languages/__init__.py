"""The languages people play in: English as the code says it, Czech and Slovak by gettext's catalogues beside this file.

``_("your turn")`` is the text in the language that is spoken where it is called: `speaking` sets it for a block and all
that is awaited in it; else it is that of whom a server serves there, if it has said whom to ask (`ask`). `page` has
the words of the application, `games` those of the games; ``make languages`` gathers both anew from the code. A sentence
with a number in it is asked for by `counted`; one that is made before anybody knows who reads it is a `Sentence`.
"""

from __future__ import annotations

import gettext
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

LANGUAGES = {"en": "English", "cs": "Čeština", "sk": "Slovenčina"}
DOMAINS = ("page", "games")
FOLDER = Path(__file__).parent
LONGEST = 400
"""Characters of a sentence that is looked for among those with gaps."""

_spoken: ContextVar[str | None] = ContextVar("language", default=None)
_others: dict[str, Path] = {}
"""Catalogues of games in files, by their domains."""


def _nobody() -> str:
    return "en"


_served: Callable[[], str] = _nobody


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    texts = gettext.NullTranslations()
    if language != "en":
        for domain in DOMAINS:
            texts.add_fallback(gettext.translation(domain, FOLDER, [language]))
        for domain, folder in _others.items():
            texts.add_fallback(gettext.translation(domain, folder, [language], fallback=True))
    return texts


def add_beside(file: Path, name: str) -> None:
    """Take the catalogues that lie beside a game's file into account: languages/CODE/LC_MESSAGES/NAME.mo."""
    folder = file.parent / "languages"
    if folder.is_dir() and _others.get(name) != folder:
        _others[name] = folder
        _catalogue.cache_clear()
        _templates.cache_clear()


def ask(served: Callable[[], str]) -> None:
    """From now on `served` says which language is spoken where nobody has set one."""
    global _served
    _served = served


def language() -> str:
    """The code of what is spoken here."""
    return _spoken.get() or _served()


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


def carried(work: Callable[[], T]) -> Callable[[], T]:
    """`work`, to be done elsewhere in the language that is spoken here: a thread knows nothing of it."""
    spoken = language()

    def done() -> T:
        with speaking(spoken):
            return work()

    return done


def _(text: str) -> str:
    """`text` in the language that is spoken here, as it is where there is no translation."""
    return _catalogue(language()).gettext(text) if text else text


def marked(text: str) -> str:
    """`text` as it is, gathered for translation: for a constant that is made once and goes through `_` where shown."""
    return text


def counted(one: str, many: str, number: int) -> str:
    """`one` or `many`, as `number` wants it in the language that is spoken here; Slavic languages have a third form.

    >>> counted("{} die", "{} dice", 3).format(3)
    '3 dice'
    """
    return _catalogue(language()).ngettext(one, many, number)


def worded(words: str) -> str:
    """The words of a move as people read them: those that are words, such as a roll or a pass, in their language, also
    behind a number or before a dash.

    >>> worded("a3 pass 1stay off-2")
    'a3 pass 1stay off-2'
    """
    pieces = ((piece, _(piece)) for piece in words.split(" "))
    return " ".join(_WORD.sub(lambda match: _(match[0]), local) if local == piece else local for piece, local in pieces)


_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}(?!\w)")


def player_name(seat: int) -> str:
    """What a game's text or picture calls a seat; people count from 1. Where they have names, the page puts these.

    >>> player_name(0)
    'player 1'
    """
    return _("player {}").format(int(seat) + 1)


def retold(text: str) -> str:
    """A text that was put together in English, of texts that are in the catalogues, as it is said here: for what was
    kept when nobody knew who would read it. "" if it is not known.

    >>> retold("your turn")
    'your turn'
    """
    catalogue = _catalogue(language())
    if language() == "en" or not text or catalogue.gettext(text) != text:
        return catalogue.gettext(text) if text else ""
    for gap in (r"(?:(?!, |; |\n).)+?", ".+?"):  # a list is first taken for one: each of it is a text of its own
        for pattern, texts in _templates(language(), gap) if len(text) <= LONGEST else ():
            match = pattern.fullmatch(text)
            if match:
                filled = _refilled(texts, match)
                return (filled[:1].upper() if text[:1].isupper() else filled[:1].lower()) + filled[1:]
        for between in (separator for separator in ("\n", "; ", ", ") if separator in text):
            pieces = [retold(piece) for piece in text.split(between)]
            if all(pieces):
                return between.join(pieces)
    return ""


def _refilled(texts: tuple[str, ...], found: re.Match[str]) -> str:
    """A text, or one of those with a number, with what was found in its gaps, retold where that is known."""
    catalogue, values = _catalogue(language()), [retold(value) or value for value in found.groups()]
    if len(texts) == 1:
        template = catalogue.gettext(texts[0])
    else:  # the number is what stands before the place where one and many begin to differ
        one, many = texts
        differs = next(place for place, sign in enumerate(f"{many} ") if not one.startswith(many[:place] + sign))
        before = values[max(0, one.count("{", 0, differs) - 1)].replace(",", "")
        template = catalogue.ngettext(one, many, int(before) if before.isdigit() else 2)
    named = {name: values[place - 1] for name, place in found.re.groupindex.items()}
    return re.sub(_GAP, r"{\1}", template).format(*values, **named)  # numbers have their form already


_GAP = r"\{(\w*)[^}]*\}"


@cache
def _templates(language: str, gap: str) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    """The texts with gaps that a language has, those that say most first, each with what it looks like when filled."""
    templates = []
    for texts in _originals(language):
        for text in texts:
            literals, gaps = re.split(r"\{\w*[^}]*\}", text), re.findall(_GAP, text)
            if gaps and len(set(gaps) - {""}) == len([name for name in gaps if name]) and sum(map(len, literals)) > 3:
                parts = [f"(?P<{name}>{gap})" if name and not name.isdigit() else f"({gap})" for name in gaps]
                body = "".join(map("".join, zip(map(re.escape, literals), [*parts, ""], strict=True)))
                templates.append((sum(map(len, literals)), text, re.compile(body, re.IGNORECASE), texts))
    return [(pattern, texts) for _length, _text, pattern, texts in sorted(templates, key=lambda row: (-row[0], row[1]))]


def _originals(language: str) -> Iterator[tuple[str, ...]]:
    """The English texts of a language's catalogues; what depends on a number has two. gettext itself forgets them."""
    folders = {**dict.fromkeys(DOMAINS, FOLDER), **_others}
    for path in filter(None, (gettext.find(domain, folder, [language]) for domain, folder in folders.items())):
        data = Path(path).read_bytes()
        count, at = struct.unpack("<8x2I", data[:16])
        for row in range(count):
            length, start = struct.unpack_from("<2I", data, at + 8 * row)
            yield tuple(data[start : start + length].decode().split("\0"))


class Sentence:
    """A marked text and what stands in its gaps: ``str()`` of it is in the language of whoever reads it then.

    >>> str(Sentence(marked("{who} is thinking"), who="mcts"))
    'mcts is thinking'
    """

    def __init__(self, text: str, **values: Any):
        self.text, self.values = text, values

    def __str__(self) -> str:
        return _(self.text).format(**self.values)


def wanted(header: str, usual: str = "en") -> str:
    """The first language of a browser's Accept-Language that there is, else the `usual` one.

    >>> wanted("de, sk;q=0.8, en;q=0.9")
    'en'
    >>> wanted("sk-SK, en;q=0.5")
    'sk'
    """
    ranked: list[tuple[float, int, str]] = []
    for part in header.split(","):
        name, *settings = (piece.strip() for piece in part.split(";"))
        weight = next((piece[2:] for piece in settings if piece.startswith("q=")), "1")
        try:
            ranked.append((-float(weight), len(ranked), name.partition("-")[0].lower()))
        except ValueError:
            continue
    return next((name for weight, _place, name in sorted(ranked) if name in LANGUAGES and weight < 0), usual)


def of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """What a terminal's locale asks for, as gettext reads it: LANGUAGE, LC_ALL, LC_MESSAGES, LANG.

    >>> of_terminal({"LANG": "cs_CZ.UTF-8"})
    'cs'
    """
    tags = next(filter(None, (environment.get(name, "") for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))), "")
    codes = (re.split(r"[._@]", locale)[0].lower() for locale in tags.split(":"))
    return next((code for code in codes if code in LANGUAGES), "en")
