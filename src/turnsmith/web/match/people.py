"""Who sits where, for people: names, colours and faces.

People count from 1. Where a game's text or picture says "seat 0", they read the name of who sits there.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from turnsmith.contract.drawing import SEAT_COLORS
from turnsmith.contract.game import CHANCE, Game
from turnsmith.languages import _, marked
from turnsmith.web.match.live_match import LiveMatch

LONGEST_NAME, SHORT_NAME = 20, 12
"""Signs of a name, and of one in a picture."""
EYES, MOUTHS = (2.2, 2.7, 1.8), ("M11 21q5 5 10 0", "M12 22h8", "M11 20q5 8 10 0z", "M12 21q4 3 8 0")
HATS = ("", "M9 9q7-7 14 0z", "M8 12q2-8 8-8t8 8q-8-4-16 0z", "M16 7V2m-2 0h4")
"""What faces are made of: radii, and paths on 32 x 32."""


@dataclass(frozen=True)
class TablePerson:
    """Somebody at the table, a person or a player, as people see them."""

    name: str
    color: str
    is_person: bool

    @property
    def face(self) -> str:
        """A small picture that is always the same for a name: round heads are people, square ones are players."""
        bits = zlib.crc32(self.name.encode())
        ink = "#14181c" if _is_light(self.color) else "#ffffff"
        eye, mouth, hat = EYES[bits % 3], MOUTHS[bits // 3 % 4], HATS[1:][bits // 12 % 3]
        apart, up = 4 + bits // 36 % 3, 13 + bits // 108 % 3
        eyes = "".join(f'<circle cx="{x}" cy="{up}" r="{eye}" fill="{ink}"/>' for x in (16 - apart, 16 + apart))
        return (
            f'<svg class="face" viewBox="0 0 32 32" aria-hidden="true"><rect x="1" y="1" width="30" height="30" '
            f'rx="{15 if self.is_person else 7}" fill="{self.color}" stroke="#00000055"/>{eyes}'
            f'<path d="{mouth}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linecap="round"/>'
            f'<path d="{hat}" fill="{ink}" fill-opacity="0.35" stroke="{ink}" stroke-opacity="0.5"/></svg>'
        )

    @property
    def dot(self) -> str:
        return f'<span class="seat-mark" style="background: {self.color}"></span>'


def _is_light(color: str) -> bool:
    """Whether dark ink reads on a colour, one of six hexadecimal digits."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        return True
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return 299 * red + 587 * green + 114 * blue > 150_000


def clean(name: str) -> str:
    """A name as somebody gave it, in one line of at most LONGEST_NAME signs."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name[:200]).split())[:LONGEST_NAME].strip()


def colors_of(game: Game) -> Sequence[str]:
    """The colours of the seats, as the game draws them."""
    return game.seat_colors or SEAT_COLORS


def unnamed(seat: int) -> str:
    """What a seat is called that nobody with a name has taken."""
    return _("Player {number}").format(number=seat + 1)


def people_of(match: LiveMatch) -> list[TablePerson]:
    """Everybody at the table, by seat."""
    colors = colors_of(match.game)
    return [
        TablePerson(
            seat.nickname or (unnamed(index) if seat.is_person else seat.who),
            colors[index % len(colors)],
            seat.is_person,
        )
        for index, seat in enumerate(match.seats)
    ]


def named(text: str, people: Sequence[TablePerson]) -> str:
    """A text of a game with the names of who sits there: it says "seat 0", or that in another language."""

    def name(seat: int) -> str:
        return people[seat].name if seat < len(people) else unnamed(seat)

    return _naming(text, name)


def named_picture(svg: str, people: Sequence[TablePerson] = ()) -> str:
    """A picture with names in the place of "seat 0", short ones."""

    def name(seat: int) -> str:
        text = people[seat].name if seat < len(people) else unnamed(seat)
        return html.escape(text if len(text) <= SHORT_NAME else text[: SHORT_NAME - 1] + "…")

    return _naming(svg, name)


def _naming(text: str, name: Callable[[int], str]) -> str:
    """A text with `name` of a seat wherever it is called "seat 0", or as ``player_name`` calls it, from 1."""
    seat, player = (_seat_in(_(called)) for called in (marked("seat {seat}"), "player {}"))
    text = player.sub(lambda match: name(int(match[1]) - 1), text)
    return _SEAT.sub(lambda match: name(int(match[1])), seat.sub(lambda match: name(int(match[1])), text))


@cache
def _seat_in(called: str) -> re.Pattern[str]:
    """Finds what is called so, with the number of a seat in the gap."""
    before, _gap, after = re.split(r"(\{\w*\})", called, maxsplit=1)
    return re.compile(rf"(?<!\w){re.escape(before)}(\d{{1,3}}){re.escape(after)}(?!\w)", re.IGNORECASE)


_SEAT = re.compile(r"\bseat[ -](\d{1,3})\b", re.IGNORECASE)
"""How games that are not translated call one."""


def mover_name(mover: int, people: Sequence[TablePerson]) -> str:
    return _("Chance") if mover == CHANCE else people[mover].name
