"""Tiled's XML (.tmx): see ``tiled`` for what stands where."""

from __future__ import annotations

from typing import Any

from turnsmith.common.errors import shown
from turnsmith.maps.files.damage import JsonReader, Lined, refuse
from turnsmith.maps.files.tiled import PICTURE, document, map_of
from turnsmith.maps.files.xml_tree import Element, parse, quoted
from turnsmith.maps.record import GameMap

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
    content, picture = document(maps[0], name)
    head = {key: content[key] for key in ATTRIBUTES if key in content} | {"infinite": 0}
    inside = [_properties(content["properties"])]
    for tileset in content["tilesets"]:
        keys = ("firstgid", "name", "tilewidth", "tileheight", "tilecount", "columns")
        source = {"source": tileset["image"], "width": tileset["imagewidth"], "height": tileset["imageheight"]}
        tiles = "".join(_element("tile", tile) for tile in tileset["tiles"])
        inside.append(_element("tileset", {key: tileset[key] for key in keys}, _element("image", source) + tiles))
    inside += [_layer(layer) for layer in content["layers"]]
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + _element("map", head, "".join(inside))
    return {"": text.encode(), PICTURE: picture}


def _layer(layer: dict[str, Any]) -> str:
    name = {"id": layer["id"], "name": layer["name"]}
    if layer["type"] == "objectgroup":
        return _element("objectgroup", name, "".join(_object(item) for item in layer["objects"]))
    size, data = {key: layer[key] for key in ("width", "height")}, layer["data"]
    rows = [data[first : first + size["width"]] for first in range(0, len(data), size["width"])]
    cells = ",\n".join(",".join(map(str, row)) for row in rows)
    return _element("layer", {**name, **size}, f'<data encoding="csv">\n{cells}\n</data>\n')


def _object(each: dict[str, Any]) -> str:
    keys = ("id", "name", "type", "x", "y", "width", "height")
    return _element("object", {key: each[key] for key in keys}, _properties(each.get("properties", [])))


def _properties(said: list[dict[str, Any]]) -> str:
    inside = "".join(_element("property", _property(one)) for one in said)
    return _element("properties", {}, inside) if inside else ""


def _property(one: dict[str, Any]) -> dict[str, Any]:
    kind = {} if one["type"] == "string" else {"type": one["type"]}
    return {"name": one["name"], **kind, "value": one["value"]}


def _element(name: str, attributes: dict[str, Any], inside: str = "") -> str:
    written = "".join(f" {key}={quoted(_shown(value))}" for key, value in attributes.items())
    return f"<{name}{written}>\n{inside}</{name}>\n" if inside else f"<{name}{written}/>\n"


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
    content = _attributes(root, said)
    content["properties"] = _read_properties(root, said)
    content["tilesets"] = [_attributes(element, said) for element in root.named("tileset")]
    content["layers"] = [
        _read_layer(element, said) if element.name == "layer" else _read_objects(element, said)
        for element in root.children
        if element.name in ("layer", "objectgroup")
    ]
    return [map_of(JsonReader(content, said), game)]


def _attributes(element: Element, said: str) -> Lined:
    """The attributes of an element; those that are numbers are read as such."""
    attributes = Lined(element.line)
    for key, text in element.attributes.items():
        attributes[key] = _number(text, f"{said}: line {element.line}, {key}") if key in NUMBERS else text
    return attributes


def _number(text: str, where: str) -> int | float:
    if len(text) < 40:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    refuse(where, f"'{shown(text)}'", "this is no number")


def _read_layer(element: Element, said: str) -> Lined:
    layer = _attributes(element, said)
    layer.setdefault("name", "")
    layer["type"] = "tilelayer"
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
    layer["data"] = numbers
    return layer


def _read_objects(element: Element, said: str) -> Lined:
    layer = _attributes(element, said)
    layer.setdefault("name", "")
    layer["type"] = "objectgroup"
    layer["objects"] = []
    for item in element.named("object"):
        one = _attributes(item, said)
        one["properties"] = _read_properties(item, said)
        layer["objects"].append(one)
    return layer


def _read_properties(element: Element, said: str) -> list[Lined]:
    properties = []
    for entry in (one for group in element.named("properties") for one in group.named("property")):
        read = Lined(entry.line, **entry.attributes)
        kind, text = entry.attributes.get("type", "string"), entry.attributes.get("value", entry.text)
        read["value"] = text
        if kind in ("int", "object"):
            read["value"] = _number(text, f"{said}: line {entry.line}")
        if kind == "bool":
            read["value"] = {"true": True, "false": False}.get(text, text)
        properties.append(read)
    return properties
