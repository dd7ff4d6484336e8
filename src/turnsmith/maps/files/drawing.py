"""Text: a drawing of the map with a sign a cell; for games that read map files of their own, such a file.

A drawing has a line ``name: value`` for the game and every property, values as in JSON; an empty line; then a line for
every row. Pairs have a capital letter each. Where the first lines are left out, properties have their usual values.
"""

from __future__ import annotations

import json
import re

from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import Grid, drawing, form_of, read_drawing
from turnsmith.maps.files.damage import game_and_form, refuse, text_of
from turnsmith.maps.record import GameMap

LINE = re.compile(r"([A-Za-z_]\w*): (.+)")


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    game_map = maps[0]
    form = form_of(game_map.game)
    if form.to_text is not None:
        return {"": form.to_text(game_map.source).encode()}
    grid = form.grid_of(game_map.source)
    properties = {"game": game_map.game, **grid.properties}
    head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in properties.items())
    return {"": f"{head}\n{chr(10).join(drawing(grid, form))}\n".encode()}


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    lines = text_of(data, said).removesuffix("\n").split("\n")
    if game and (own := form_of(game).from_text):
        return [GameMap(game, own("\n".join(lines) + "\n", said))]
    end = lines.index("") if "" in lines and LINE.fullmatch(lines[0]) else -1
    head = _head(lines[: max(end, 0)], said)
    game_name = head.pop("game", "")
    game, form = game_and_form(game_name, said, game)
    try:
        cells, things = read_drawing(lines[end + 1 :], form, lambda row: f"line {end + row + 2}")
        return [GameMap(game, form.source_of(Grid({form.drawn: cells}, things, head)))]
    except BadInput as error:
        raise BadInput(f"{said}: {error}") from None


def _head(lines: list[str], said: str) -> dict[str, bool | int | str]:
    """What the lines before the first empty one say."""
    properties: dict[str, bool | int | str] = {}
    for number, line in enumerate(lines, start=1):
        match = LINE.fullmatch(line)
        if match is None:
            refuse(said, f"line {number}", "before the empty line stand lines of the form name: value")
        try:
            value = json.loads(match[2])
        except (ValueError, RecursionError):
            value = None
        if type(value) not in (bool, int, str) or match[1] in properties:
            refuse(
                said, f"line {number}", "a value is a text in quotes, a whole number, true or false, and stands once"
            )
        properties[match[1]] = value
    return properties
