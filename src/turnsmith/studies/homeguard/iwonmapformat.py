"""iwonmapformat, the original Homeguard program's maps: a header, ``----``, then maps with embeddings and a class.

Any text, then ``----`` and a line feed; maps with two empty lines between them. A map is its rows (a space for nothing,
0 short and 1 long cover, 2 a player's start, 3 an enemy's, capital letters pairs of portals), an empty line, its
embeddings (a line each, numbers with semicolons between them: sign, four digits, comma, four digits), an empty line,
and the number of its class. Lines end with a line feed alone; the text is UTF-8.

What its description leaves open is ruled so:
- the header ends at the first ``----`` before a line feed, whatever stands before it;
- the last map may end the file, or up to three line feeds may follow; we write none;
- a sign is + or -, and nothing is -0;
- a map without embeddings is written with the one number +0000,0000, as the original does where it makes none, and so
  that two empty lines stay what is between maps; it is read as none;
- a class is a whole number of 32 bits, which may be negative: the original keeps ratings there. A map without a class
  is written with its rating, if that is a whole number, else with its own number among the maps, from 0;
- of two portals that are joined, the one that is read first comes first;
- how soldiers start follows from where they stand. Which generator drew the covers is not said: `checkers`, which
  takes any. Maps that are `strict` are not written.
"""

from __future__ import annotations

import re

from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.grids import Grid, drawing, read_drawing
from turnsmith.games.homeguard.grid import FILE_FORM, GRID
from turnsmith.maps.files.damage import refuse
from turnsmith.maps.files.damage import text_of as utf8
from turnsmith.maps.record import GameMap, split_options, with_options

GAME = "homeguard"
USUAL_SIZE = 9
RULE = "----\n"
NUMBER = re.compile(r"[+-][0-9]{4},[0-9]{4}")
CLASS = re.compile(r"-?[0-9]{1,10}")
NONE = ((0.0,),)
MOST = 9999.99995
"""A number this large has no four digits before the comma."""
MOST_FEEDS = 3
"""Line feeds that may follow the last map."""


def is_one(data: bytes) -> bool:
    """Whether a file has a header and a body: no other text of ours has such a line."""
    return RULE.encode() in data


# ---------------------------------------------------------------- writing


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    return {"": text_of(maps).encode()}


def text_of(maps: list[GameMap], header: str = "") -> str:
    """The content of a file."""
    if RULE in header:
        raise BadInput("a header must not hold ---- at the end of a line: the maps would begin there")
    return header + RULE + "\n\n\n".join(_entry(game_map, number) for number, game_map in enumerate(maps))


def _entry(found: GameMap, number: int) -> str:
    name = split_options(found.game)[0]
    if name != GAME:
        raise BadInput(f"iwonmapformat is for maps of {GAME}, map {number + 1} is one of {name}; write .json")
    if found.source["strict"]:
        raise BadInput(f"map {number + 1} is played with strict=true, which iwonmapformat cannot say; write .json")
    grid = GRID.grid_of(found.source)
    rows = drawing(Grid({"cover": grid.layers["cover"]}, grid.things), FILE_FORM)
    rating = found.rating if found.rating is not None and found.rating == int(found.rating) else number
    label = int(rating) if found.label is None else found.label
    if not -(2**31) <= label < 2**31:
        raise BadInput(f"map {number + 1}: the class {label} has more than 32 bits")
    vectors = "\n".join(";".join(_number(value, number) for value in vector) for vector in found.embeddings or NONE)
    if any(not vector for vector in found.embeddings):
        raise BadInput(f"map {number + 1} has an embedding without numbers; leave it out")
    return "\n\n".join(["\n".join(rows), vectors, str(label)])


def _number(value: float, number: int) -> str:
    if not abs(value) < MOST:
        raise BadInput(f"map {number + 1}: {value} has no four digits before the comma; scale the embeddings")
    digits = f"{abs(value):09.4f}".replace(".", ",")
    return ("-" if value < 0 and digits.strip("0,") else "+") + digits


# ---------------------------------------------------------------- reading


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    text = utf8(data, said)
    header, rule, body = text.partition(RULE)
    if not rule:
        refuse(said, f"line {text.count(chr(10)) + 1}", "the header is not ended by ----")
    line = header.count("\n") + 2
    feeds = len(body) - len(body.rstrip("\n"))
    body = body.rstrip("\n")
    if not body:
        refuse(said, f"line {line}", "there are no maps")
    if feeds > MOST_FEEDS:
        refuse(said, f"line {line + body.count(chr(10)) + 1}", "empty lines follow the last map")
    if "\r" in body:
        at = line + body[: body.index("\r")].count("\n")
        refuse(said, f"line {at}", "the line ends with a carriage return; lines must end with a line feed alone")
    maps = []
    for entry in body.split("\n\n\n"):
        maps.append(_read_entry(entry, said, line))
        line += entry.count("\n") + 3
    return maps


def _read_entry(entry: str, said: str, line: int) -> GameMap:
    parts = entry.split("\n\n")
    if len(parts) != 3:
        why = (
            f"a map has three parts with empty lines between them (rows, embeddings, class), this one has {len(parts)}"
        )
        refuse(said, f"line {line}", why)
    rows = parts[0].split("\n")
    try:
        cells, things = read_drawing(rows, FILE_FORM, lambda row: f"line {line + row}")
        source = FILE_FORM.source_of(Grid({"cover": cells}, things))
    except BadInput as error:
        where = "" if str(error).startswith("line ") else f"the map at line {line}: "
        raise BadInput(f"{said}: {where}{error}") from None
    line += len(rows) + 1
    vectors = tuple(_read_vector(text, said, line + index) for index, text in enumerate(parts[1].split("\n")))
    line += len(vectors) + 1
    if not CLASS.fullmatch(parts[2]) or not -(2**31) <= int(parts[2]) < 2**31:
        refuse(said, f"line {line}", f"'{shown(parts[2])}' is no class; it is one whole number of 32 bits")
    size = len(source["rows"])
    text = with_options(GAME, {} if size == USUAL_SIZE else {"size": size})
    return GameMap(text, source, label=int(parts[2]), embeddings=() if vectors == NONE else vectors)


def _read_vector(text: str, said: str, line: int) -> tuple[float, ...]:
    numbers = text.split(";")
    for number in numbers:
        if not NUMBER.fullmatch(number):
            why = f"'{shown(number)}' is no number; it has a sign, four digits, a comma and four digits"
            refuse(said, f"line {line}", why)
    return tuple(float(number.replace(",", ".")) + 0.0 for number in numbers)
