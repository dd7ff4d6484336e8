"""What TMX and Tiled's JSON share: a map of ours as Tiled describes it, and back.

A tile layer for each layer, an object layer for each list of things (rectangles of a cell; what is joined has the other
as its `target`), map properties for the rest, with the text of the game among them. One tileset, whose picture stands
beside the map; its tiles are numbered from 1 through all layers, and 0 is where a cell has nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.grids import MOST_CELLS, MOST_THINGS, Form, Grid, Thing, Tile, form_of
from turnsmith.maps.files.damage import JsonReader, game_and_form
from turnsmith.maps.raster import tileset_picture
from turnsmith.maps.record import GameMap, split_options

VERSION, TILED = "1.10", "1.10.2"
SIDE = 32
"""Pixels of a tile."""
HEXAGONAL = {"orientation": "hexagonal", "staggeraxis": "y", "staggerindex": "odd", "hexsidelength": SIDE // 2}
TYPES = {bool: "bool", int: "int", str: "string"}
TURNED = 0xF0000000
"""Bits of a tile number that say how the tile is turned: it means nothing here."""
COLUMNS = 8
"""Tiles in a row of the tileset's picture."""
PICTURE = ".tiles.png"


def something(tiles: tuple[Tile, ...]) -> list[int]:
    """The tiles of a layer that are something, by number: in files they count from 1, and 0 is nothing."""
    return [value for value, tile in enumerate(tiles) if tile.colour]


def to_numbers(cells: Array, tiles: tuple[Tile, ...]) -> Array:
    """Cells with tiles numbered as in files."""
    table = np.zeros(len(tiles), np.int64)
    table[something(tiles)] = np.arange(1, 1 + len(something(tiles)))
    return np.asarray(table[cells])


def from_number(number: int, tiles: tuple[Tile, ...]) -> int:
    """The tile that a number of a file stands for; -1 for none."""
    known = something(tiles)
    if number:
        return known[number - 1] if 0 < number <= len(known) else -1
    return next((value for value, tile in enumerate(tiles) if not tile.colour), -1)


# ---------------------------------------------------------------- writing


def document(found: GameMap, file: str) -> tuple[dict[str, Any], bytes]:
    """A map as Tiled's JSON has it, and the picture of its tileset, which stands in `file` + PICTURE."""
    form = form_of(found.game)
    grid = form.grid_of(found.source)
    rows, columns = grid.shape
    layers: list[dict[str, Any]] = []
    first = 1
    for name, tiles in form.layers.items():
        numbers = to_numbers(grid.layers[name], tiles)
        data = np.where(numbers > 0, numbers + first - 1, 0).reshape(-1).tolist()
        place = {"id": len(layers) + 1, "name": name, "x": 0, "y": 0, "visible": True, "opacity": 1}
        layers.append({**place, "type": "tilelayer", "width": columns, "height": rows, "data": data})
        first += len(something(tiles))
    for group in dict.fromkeys(kind.group for kind in form.kinds):
        place = {"id": len(layers) + 1, "name": group, "x": 0, "y": 0, "visible": True, "opacity": 1}
        layers.append({**place, "type": "objectgroup", "draworder": "topdown", "objects": _objects(grid, form, group)})
    properties: dict[str, bool | int | str] = {"game": found.game, **grid.properties}
    if found.seed is not None:
        properties["seed"] = str(found.seed)  # Tiled's numbers have 32 bits
    whole = {
        "type": "map", "version": VERSION, "tiledversion": TILED, "orientation": "orthogonal",
        "renderorder": "right-down", "infinite": False, "compressionlevel": -1, "width": columns, "height": rows,
        "tilewidth": SIDE, "tileheight": SIDE, "nextlayerid": len(layers) + 1, "nextobjectid": len(grid.things) + 1,
        "properties": [{"name": key, "type": TYPES[type(value)], "value": value} for key, value in properties.items()],
        "layers": layers,
    }  # fmt: skip
    shown_tiles = [tile for palette in form.layers.values() for tile in palette if tile.colour]
    picture, size = tileset_picture(shown_tiles, SIDE, COLUMNS)
    whole["tilesets"] = [{
        "firstgid": 1, "name": split_options(found.game)[0], "tilewidth": SIDE, "tileheight": SIDE, "margin": 0,
        "spacing": 0, "tilecount": len(shown_tiles), "columns": COLUMNS, "image": file + PICTURE, "imagewidth": size[0],
        "imageheight": size[1], "tiles": [{"id": n, "type": tile.name} for n, tile in enumerate(shown_tiles)],
    }]  # fmt: skip
    return {**whole, **(HEXAGONAL if form.hexes else {})}, picture


def _objects(grid: Grid, form: Form, group: str) -> list[dict[str, Any]]:
    objects = []
    for number, thing in enumerate(grid.things):
        if form.kind(thing.kind).group != group:
            continue
        place = {"x": thing.column * SIDE, "y": thing.row * SIDE, "width": SIDE, "height": SIDE, "rotation": 0}
        about: dict[str, Any] = {"id": number + 1, "name": thing.kind, "type": thing.kind, "visible": True, **place}
        if thing.target is not None:
            about["properties"] = [{"name": "target", "type": "object", "value": thing.target + 1}]
        objects.append(about)
    return objects


# ---------------------------------------------------------------- reading


def map_of(found: JsonReader, game: str) -> GameMap:
    """The map that Tiled's description stands for."""
    properties = _properties(found)
    game, form = game_and_form(properties.pop("game", None), found.called, game)
    seed = properties.pop("seed", None)
    if seed is not None and not (isinstance(seed, str) and seed.isascii() and seed.isdigit() and len(seed) <= 20):
        found.refuse(f"the property 'seed' must be a text of digits, not {shown(seed)}")
    if found.has("infinite") and found.at("infinite").value:
        found.at("infinite").refuse("the map is infinite; in Tiled untick Infinite in the map's properties")
    rows, columns = found.whole("height", 1, MOST_CELLS), found.whole("width", 1, MOST_CELLS)
    first = _first_number(found)
    layers: dict[str, Array] = {}
    objects: list[JsonReader] = []
    for layer in found.list("layers"):
        kind, name = layer.text("type"), layer.text("name")
        if kind == "tilelayer":
            if name in layers or name not in form.layers:
                why = "stands twice" if name in layers else f"is none of {', '.join(form.layers)}"
                layer.refuse(f"the tile layer '{shown(name)}' {why}")
            layers[name] = _cells(layer, form, name, first, (rows, columns))
        elif kind == "objectgroup":
            objects += layer.list("objects")
        else:
            layer.refuse(
                f"the layer '{shown(name)}' is of the type {shown(kind)}; only tile and object layers are read"
            )
    sides = found.whole("tilewidth", 1, 4096), found.whole("tileheight", 1, 4096)
    grid = Grid(layers, _things(objects, sides, found), properties)
    try:
        source = form.source_of(grid)
    except BadInput as error:
        found.refuse(str(error))
    return GameMap(game, source, seed=None if seed is None else int(seed))


def _properties(found: JsonReader) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for entry in found.list("properties") if found.has("properties") else []:
        name, value = entry.text("name"), entry.at("value").value
        if type(value) not in (bool, int, str):
            entry.refuse(f"the property '{shown(name)}' must be a text, a whole number, true or false")
        properties[name] = value
    return properties


def _first_number(found: JsonReader) -> int:
    tilesets = found.list("tilesets")
    if len(tilesets) != 1:
        found.refuse(
            f"there are {len(tilesets)} tilesets; a map of ours has one, whose tiles are known by their number"
        )
    return tilesets[0].whole("firstgid", 1, 2**24)


def _cells(layer: JsonReader, form: Form, name: str, first: int, shape: tuple[int, int]) -> Array:
    data = layer.at("data")
    if isinstance(data.value, str):
        data.refuse("the layer is compressed; in Tiled choose CSV as the tile layer format of the map")
    numbers = data.value if isinstance(data.value, list) else []
    if len(numbers) != shape[0] * shape[1]:
        data.refuse(
            f"there are {len(numbers):,} cells; a map of {shape[0]} rows of {shape[1]} has {shape[0] * shape[1]:,}"
        )
    for above, tiles in form.layers.items():
        if above == name:
            break
        first += len(something(tiles))
    values = []
    for index, number in enumerate(numbers):
        value = _value(number, first, form.layers[name])
        if value < 0:
            row, column = divmod(index, shape[1])
            what = "nothing" if number == 0 else f"tile {shown(number)}"
            data.refuse(f"row {row + 1}, column {column + 1}: {what} cannot stand on the layer '{name}'")
        values.append(value)
    return np.array(values, np.int16).reshape(shape)


def _value(number: Any, first: int, tiles: tuple[Tile, ...]) -> int:
    """The tile that a number of Tiled's stands for on a layer whose tiles begin with `first`; -1 for none."""
    if type(number) is not int or not 0 <= number < 2**32:
        return -1
    tile = number & ~TURNED
    return from_number(tile and tile - first + 1, tiles) if tile == 0 or tile >= first else -1


def _things(objects: list[JsonReader], sides: tuple[int, int], found: JsonReader) -> tuple[Thing, ...]:
    if len(objects) > MOST_THINGS:
        found.refuse(f"there are {len(objects):,} objects; at most {MOST_THINGS:,} are read")
    number = {item.whole("id", 0, 2**31): index for index, item in enumerate(objects)}
    if len(number) != len(objects):
        found.refuse("two objects have the same id")
    things = []
    for item in objects:
        wide, high = (item.number(side) if item.has(side) else 0.0 for side in ("width", "height"))
        x, y = item.number("x") + wide / 2, item.number("y") + high / 2
        if item.has("gid"):  # what shows a tile is placed by its lower left corner
            y -= high
        target = _target(item)
        if target is not None and target not in number:
            item.refuse(f"its target, object {target}, is not there")
        kind = item.text("type" if item.has("type") else "class")
        row, column = (min(max(int(middle // side), -1), MOST_CELLS) for middle, side in ((y, sides[1]), (x, sides[0])))
        things.append(Thing(kind, row, column, None if target is None else number[target]))
    return tuple(things)


def _target(each: JsonReader) -> int | None:
    for entry in each.list("properties") if each.has("properties") else []:
        if entry.text("name") == "target":
            return entry.whole("value", 0, 2**31)
    return None
