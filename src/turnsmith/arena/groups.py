"""Texts of a kind put together: what actions and endings are called, in as few groups as a person can look over."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from turnsmith.languages import marked

OTHERS = marked("others")
"""Where there would be too many groups, the rarest are this one."""

_NUMBER = re.compile(r"\d+")
_CELL = re.compile(r"\b[a-zA-Z]{1,2}\d+\b")


def grouped(texts: Mapping[str, float], most: int, by_first_piece: bool = False) -> dict[str, str]:
    """The group of every text, whose number is how often it was: the finest grouping with at most `most` groups.

    Ways of grouping, finest first: the text itself; its first piece, if asked for; with the last numbers as #, one more
    after another; with cells such as c5 or aa12 all the same.

    >>> texts = {f"seat {seat} reached {points} points": 1 for seat in range(2) for points in range(100, 109)}
    >>> grouped(texts, 12)["seat 1 reached 105 points"]
    'seat 1 reached # points'
    """
    for way in _ways(by_first_piece):
        group_of = {text: way(text) for text in texts}
        if len(set(group_of.values())) <= most:
            return group_of
    often: dict[str, float] = defaultdict(float)
    for text, group in group_of.items():
        often[group] += texts[text]
    kept = {group for group, _ in sorted(often.items(), key=lambda pair: (-pair[1], pair[0]))[: most - 1]}
    return {text: group if group in kept else OTHERS for text, group in group_of.items()}


def _ways(by_first_piece: bool) -> Iterator[Callable[[str], str]]:
    yield lambda text: text
    if by_first_piece:
        yield lambda text: (text.split() or [""])[0]
    for masked in (1, 2, 3):
        yield lambda text, masked=masked: _without_last_numbers(text, masked)  # type: ignore[misc]
    yield lambda text: _NUMBER.sub("#", text)
    yield lambda text: _NUMBER.sub("#", _CELL.sub("cell", text))
    if by_first_piece:
        yield lambda text: (_NUMBER.sub("#", _CELL.sub("cell", text)).split() or [""])[0]


def _without_last_numbers(text: str, masked: int) -> str:
    for number in list(_NUMBER.finditer(text))[::-1][:masked]:
        text = f"{text[: number.start()]}#{text[number.end() :]}"
    return text


def examples(groups: Mapping[str, str], often: Mapping[str, float]) -> dict[str, str]:
    """The commonest text of every group."""
    example_of: dict[str, str] = {}
    for text in sorted(groups, key=lambda text: (-often[text], text)):
        example_of.setdefault(groups[text], text)
    return example_of
