"""Tiled's JSON (.tmj): see ``tiled`` for what stands where."""

from __future__ import annotations

import json
import re

from turnsmith.maps.files.damage import JsonReader, read_json
from turnsmith.maps.files.tiled import PICTURE, document, map_of
from turnsmith.maps.record import GameMap

_MARK = re.compile(rb'"tiledversion"\s*:|"type"\s*:\s*"tilelayer"')


def is_one(data: bytes) -> bool:
    """Whether this is Tiled's JSON, whatever its name ends with."""
    return data.lstrip()[:1] == b"{" and _MARK.search(data) is not None


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    content, picture = document(maps[0], name)
    return {"": (json.dumps(content, indent=1) + "\n").encode(), PICTURE: picture}


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    return [map_of(JsonReader(read_json(data, said), said), game)]
