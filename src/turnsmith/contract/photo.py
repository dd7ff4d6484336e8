"""Reading a position off a photograph: what a game says of it, in a ``photo.py`` beside its rules.

A game that can read pictures declares ``PHOTO = Photo(...)``. What it reads is a sheet: rows of cells, each with all
that may stand there and how likely it is, so that a person can put right what was misread. From a sheet come the moves
that led there, and the page goes on with a match played by hand.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.homes import part_of

LARGEST, SMALLEST = 480, 16
"""Pixels of the longer and of the shorter side of a picture."""


@dataclass(frozen=True)
class Cell:
    """One thing that can stand at one place."""

    name: str
    """What a person calls it, such as "guess 1, peg 2"."""
    choices: tuple[str, ...]
    chances: tuple[float, ...]
    colours: tuple[str, ...] = ()
    """How choices look, as in CSS; none if they are written out."""

    @property
    def best(self) -> int:
        return int(np.argmax(self.chances))


@dataclass(frozen=True)
class Sheet:
    """What was read off a picture."""

    rows: tuple[tuple[Cell, ...], ...]
    corners: tuple[tuple[float, float], ...]
    """Where the board is in the picture, as shares of its width and height."""
    is_found: bool = True
    """Whether the picture looks there as what was read would look; else nothing that was read is to be believed."""


@dataclass(frozen=True)
class Photo:
    """How a game reads pictures."""

    about: str
    """What a picture has to show, for people."""
    game: str
    """The game, with settings, that goes on by hand from what was read."""
    read: Callable[[Array], Sheet]
    """(uint8[height, width, 3]) -> a sheet."""
    moves: Callable[[Sheet, list[list[int]]], list[str]]
    """(sheet, the choice of every cell) -> the moves, in words; refuses a sheet that cannot be."""
    advice: Callable[[Sheet, list[list[int]]], str]
    """(sheet, the choice of every cell) -> a sentence: what to do next."""
    sample: Callable[[int], Array]
    """(seed) -> a picture to try it with."""
    heat: Callable[[Array, int, int], Array]
    """(picture, row, cell) -> float64[height, width], 0 to 1: where a picture decides what was read there."""
    cut: Callable[[Array, Array], Array]
    """(picture, float64[4, 2]) -> the board alone and upright, cut out at its corners as a person tells them: the left
    upper one first, then clockwise, as shares of the picture's sides."""


def photo_of(home: str) -> Photo | None:
    """How a game reads pictures, if it does."""
    photo = getattr(part_of(home, "photo"), "PHOTO", None)
    return photo if isinstance(photo, Photo) else None


def picture_in(given: Any) -> Array:
    """uint8[height, width, 3]: a picture from outside, {"width", "height", "pixels"}, the last being base64 of three
    bytes a pixel, row by row."""
    try:
        width, height, pixels = given["width"], given["height"], given["pixels"]
        if type(width) is not int or type(height) is not int or not isinstance(pixels, str):
            raise TypeError
    except (TypeError, KeyError, IndexError):
        raise BadInput("a picture is {width, height, pixels}: two whole numbers and a text") from None
    if not (min(width, height) >= SMALLEST and max(width, height) <= LARGEST):
        raise BadInput(f"a picture has sides of {SMALLEST} to {LARGEST} pixels, not {shown(f'{width} x {height}')}")
    try:
        data = base64.b64decode(pixels, validate=True)
    except (binascii.Error, ValueError):
        raise BadInput("pixels are no base64; send three bytes a pixel, row by row") from None
    if len(data) != 3 * width * height:
        raise BadInput(f"pixels are {len(data):,} bytes; {width} x {height} need {3 * width * height:,}")
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)


def checked_choices(sheet: Sheet, given: Any) -> list[list[int]]:
    """The choice of every cell, refused if it is not one that there is."""
    if not isinstance(given, Sequence) or len(given) != len(sheet.rows):
        raise BadInput(f"choices must be a list of {len(sheet.rows)} rows")
    for number, (row, cells) in enumerate(zip(given, sheet.rows, strict=True), start=1):
        if not isinstance(row, Sequence) or len(row) != len(cells):
            raise BadInput(f"row {number} of choices must have {len(cells)} numbers")
        for choice, cell in zip(row, cells, strict=True):
            if type(choice) is not int or not 0 <= choice < len(cell.choices):
                raise BadInput(f"{cell.name}: choice {shown(choice)} must be 0 to {len(cell.choices) - 1}")
    return [list(row) for row in given]
