"""PNG: a picture of a map that also holds the map itself, as a text of the picture, so that it can be read again."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from turnsmith.contract.grids import form_of
from turnsmith.maps.files import own_json
from turnsmith.maps.files.damage import refuse
from turnsmith.maps.raster import SIGNATURE, encode, picture_of
from turnsmith.maps.record import GameMap

KEYWORD = "turnsmith maps"


def is_one(data: bytes) -> bool:
    return data.startswith(SIGNATURE[:4])


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    form = form_of(maps[0].game)
    return {"": encode(picture_of(form.grid_of(maps[0].source), form), {KEYWORD: own_json.text_of(maps)})}


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    start = f"{KEYWORD}\0\0\0\0\0".encode()
    texts = [content for kind, content in _chunks(data, said) if kind == b"iTXt" and content.startswith(start)]
    if len(texts) != 1:
        refuse(said, "the file", "this picture does not hold a map; only those that turnsmith wrote do")
    return own_json.read(texts[0][len(start) :], f"{said}, the map in it")


def _chunks(data: bytes, said: str) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG, each with its sum checked, up to its end."""
    if not data.startswith(SIGNATURE):
        refuse(said, "byte 0", "this is no PNG")
    place = len(SIGNATURE)
    while True:
        if len(data) < place + 12:
            refuse(said, f"byte {len(data)}", "the file ends before the picture does")
        length, kind = struct.unpack_from(">I4s", data, place)
        if len(data) < place + 12 + length:
            refuse(said, f"byte {place}", f"a part of {length:,} bytes begins here, but the file ends before it does")
        content = data[place + 8 : place + 8 + length]
        if struct.unpack_from(">I", data, place + 8 + length)[0] != zlib.crc32(kind + content):
            refuse(said, f"byte {place}", "the part that begins here is damaged")
        yield kind, content
        place += 12 + length
        if kind == b"IEND":
            break
    if place != len(data):
        refuse(said, f"byte {place}", "something follows the end of the picture")
