"""Tiled's XML (.tmx): see ``tiled`` for what stands where."""

from __future__ import annotations

from typing import Any

from turnsmith.maps.files.damage import Lined, Reader, refuse
from turnsmith.maps.files.tiled import PICTURE, document, map_of
from turnsmith.maps.files.xml_tree import Element, parse, quoted
from turnsmith.maps.record import GameMap
from turnsmith.texts import shown

ATTRIBUTES = (
    "version", "tiledversion", "orientation", "renderorder", "width", "height", "tilewidth", "tileheight", "infinite",
    "hexsidelength", "staggeraxis", "staggerindex", "nextlayerid", "nextobjectid",
)  # fmt: skip
"""Of a map, in Tiled's order."""
NUMBERS = {
    *("width", "height", "tilewidth", "tileheight", "infinite", "firstgid", "id", "gid", "x", "y", "rotation"),
    *("tilecount", "columns"),
}


# ---------------------------------------------------------------- writing


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    found, picture = document(maps[0], name)
    head = {key: found[key] for key in ATTRIBUTES if key in found} | {"infinite": 0}
    inside = [_properties(found["properties"])]
    for tileset in found["tilesets"]:
        keys = ("firstgid", "name", "tilewidth", "tileheight", "tilecount", "columns")
        source = {"source": tileset["image"], "width": tileset["imagewidth"], "height": tileset["imageheight"]}
        tiles = "".join(_element("tile", each) for each in tileset["tiles"])
        inside.append(_element("tileset", {key: tileset[key] for key in keys}, _element("image", source) + tiles))
    inside += [_layer(layer) for layer in found["layers"]]
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + _element("map", head, "".join(inside))
    return {"": text.encode(), PICTURE: picture}


def _layer(layer: dict[str, Any]) -> str:
    name = {"id": layer["id"], "name": layer["name"]}
    if layer["type"] == "objectgroup":
        return _element("objectgroup", name, "".join(_object(each) for each in layer["objects"]))
    size, data = {key: layer[key] for key in ("width", "height")}, layer["data"]
    rows = [data[first : first + size["width"]] for first in range(0, len(data), size["width"])]
    cells = ",\n".join(",".join(map(str, row)) for row in rows)
    return _element("layer", {**name, **size}, f'<data encoding="csv">\n{cells}\n</data>\n')


def _object(each: dict[str, Any]) -> str:
    keys = ("id", "name", "type", "x", "y", "width", "height")
    return _element("object", {key: each[key] for key in keys}, _properties(each.get("properties", [])))


def _properties(said: list[dict[str, Any]]) -> str:
    each = "".join(_element("property", _property(one)) for one in said)
    return _element("properties", {}, each) if each else ""


def _property(one: dict[str, Any]) -> dict[str, Any]:
    kind = {} if one["type"] == "string" else {"type": one["type"]}
    return {"name": one["name"], **kind, "value": one["value"]}


def _element(name: str, attributes: dict[str, Any], inside: str = "") -> str:
    said = "".join(f" {key}={quoted(_shown(value))}" for key, value in attributes.items())
    return f"<{name}{said}>\n{inside}</{name}>\n" if inside else f"<{name}{said}/>\n"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return {True: "true", False: "false"}[value]
    return str(value)


# ---------------------------------------------------------------- reading


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    root = parse(data, said)
    if root.name != "map":
        refuse(said, f"line {root.line}", f"this is no map of Tiled but <{shown(root.name)}>")
    if root.named("group") or root.named("imagelayer"):
        other = (root.named("group") + root.named("imagelayer"))[0]
        refuse(said, f"line {other.line}", f"<{other.name}> is not read; only tile and object layers are")
    found = _attributes(root, said)
    found["properties"] = _read_properties(root, said)
    found["tilesets"] = [_attributes(each, said) for each in root.named("tileset")]
    found["layers"] = [
        _read_layer(each, said) if each.name == "layer" else _read_objects(each, said)
        for each in root.children
        if each.name in ("layer", "objectgroup")
    ]
    return [map_of(Reader(found, said), game)]


def _attributes(element: Element, said: str) -> Lined:
    """The attributes of an element; those that are numbers are read as such."""
    found = Lined(element.line)
    for key, text in element.attributes.items():
        found[key] = _number(text, f"{said}: line {element.line}, {key}") if key in NUMBERS else text
    return found


def _number(text: str, where: str) -> int | float:
    if len(text) < 40:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    refuse(where, f"'{shown(text)}'", "this is no number")


def _read_layer(element: Element, said: str) -> Lined:
    found = _attributes(element, said)
    found.setdefault("name", "")
    found["type"] = "tilelayer"
    data = element.named("data")
    if len(data) != 1 or data[0].attributes.get("encoding") != "csv" or data[0].children:
        why = "the layer is not CSV; in Tiled choose CSV as the tile layer format of the map, and no infinite map"
        refuse(said, f"line {element.line}", why)
    numbers: list[int] = []
    for offset, line in enumerate(data[0].text.split("\n")):
        for cell in filter(None, (cell.strip() for cell in line.split(","))):
            if not (cell.isascii() and cell.isdigit() and len(cell) < 12):
                refuse(said, f"line {data[0].line + offset}", f"'{shown(cell)}' is no number of a tile")
            numbers.append(int(cell))
    found["data"] = numbers
    return found


def _read_objects(element: Element, said: str) -> Lined:
    found = _attributes(element, said)
    found.setdefault("name", "")
    found["type"] = "objectgroup"
    found["objects"] = []
    for each in element.named("object"):
        one = _attributes(each, said)
        one["properties"] = _read_properties(each, said)
        found["objects"].append(one)
    return found


def _read_properties(element: Element, said: str) -> list[Lined]:
    found = []
    for each in (one for group in element.named("properties") for one in group.named("property")):
        read = Lined(each.line, **each.attributes)
        kind, text = each.attributes.get("type", "string"), each.attributes.get("value", each.text)
        read["value"] = text
        if kind in ("int", "object"):
            read["value"] = _number(text, f"{said}: line {each.line}")
        if kind == "bool":
            read["value"] = {"true": True, "false": False}.get(text, text)
        found.append(read)
    return found
