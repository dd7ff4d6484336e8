"""Refusals: one line that names the cause and the cure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 4000
"""Characters of a text that names a game or a player, and of a setting that is a text."""


class BadInput(ValueError):
    """Something a person gave cannot be used; the message is one line that names the cause and the cure."""

    def __init__(self, message: str):
        super().__init__(" ".join(message.split()))  # what was given may itself have several lines


def shown(value: object) -> str:
    """A value as a refusal repeats it: in one line, without its middle where it is long: paths differ at the end."""
    if isinstance(value, int) and abs(value) >= 10**40:  # Python refuses to write out numbers of many digits
        return f"{'-' if value < 0 else ''}10**{int(abs(value).bit_length() * 0.30103)}"
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= 80 else f"{text[:30]}…{text[-40:]}"
    return text if text.isprintable() else repr(text)[1:-1]


def one_line(text: str) -> str:
    """The text without the spaces around it; refused if it is long, or if it is more than one line to print."""
    text = text.strip()
    if len(text) > LONGEST:
        raise BadInput(f"'{shown(text)}' has {len(text):,} characters; at most {LONGEST:,} are read")
    if not text.isprintable():
        raise BadInput(f"'{shown(text)}' holds characters that cannot be printed; leave them out")
    return text


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
