"""JSON: every map with its game, options, description, seed, rating, class, embeddings and provenance; versioned."""

from __future__ import annotations

import json
from typing import Any

from turnsmith.maps.files.damage import JsonReader, read_json
from turnsmith.maps.record import GameMap, split_options, with_options

FORMAT, VERSION = "turnsmith maps", 1
KEYS = ("game", "options", "source", "seed", "rating", "class", "embeddings", "provenance")
MOST_SEED = 2**64


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    return {"": text_of(maps).encode()}


def text_of(maps: list[GameMap]) -> str:
    """The document, a map a few lines."""
    head = json.dumps({"format": FORMAT, "version": VERSION})
    body = ",\n".join(json.dumps(described(item), indent=1, ensure_ascii=False, allow_nan=False) for item in maps)
    return f'{head[:-1]}, "maps": [\n{body}\n]}}\n'


def described(found: GameMap) -> dict[str, Any]:
    """A map as JSON holds it; what is not known is left out."""
    game, options = split_options(found.game)
    document: dict[str, Any] = {"game": game, "options": options, "source": found.source}
    for key, value in (("seed", found.seed), ("rating", found.rating), ("class", found.label)):
        if value is not None:
            document[key] = value
    if found.embeddings:
        document["embeddings"] = [list(vector) for vector in found.embeddings]
    if found.provenance:
        document["provenance"] = found.provenance
    return document


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    document = JsonReader(read_json(data, said), said)
    if not document.has("format") or document.value["format"] != FORMAT:
        document.refuse(f'this is no file of maps: "format" must be "{FORMAT}"')
    document.only("format", "version", "maps")
    if document.whole("version", 1, 2**31) > VERSION:
        document.at("version").refuse(f"this turnsmith reads version {VERSION}; get a newer one")
    return [map_from(row) for row in document.list("maps")]


def map_from(found: JsonReader) -> GameMap:
    """The map that ``described`` gave."""
    options = found.object("options") if found.has("options") else {}
    found.only(*KEYS)
    for key, value in options.items():
        if not isinstance(value, str) or not key:
            found.at("options").refuse(f"'{key}' must be a text, as on the command line")
    return GameMap(
        game=with_options(found.text("game"), options) if found.has("game") else "",
        source=found.object("source"),
        seed=found.whole("seed", 0, MOST_SEED) if found.has("seed") else None,
        rating=found.number("rating") if found.has("rating") else None,
        label=found.whole("class", -(2**31), 2**31 - 1) if found.has("class") else None,
        embeddings=_vectors(found) if found.has("embeddings") else (),
        provenance=found.object("provenance") if found.has("provenance") else {},
    )


def _vectors(found: JsonReader) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(number.as_number() for number in vector.items()) for vector in found.list("embeddings"))
