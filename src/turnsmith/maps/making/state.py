"""A maker as one JSON document, and back: a session that is read again goes on as if it had never stopped."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.maps.files import own_json
from turnsmith.maps.files.damage import JsonReader, refuse_to_run
from turnsmith.maps.making.elites import EMPTY, Elites
from turnsmith.maps.record import refuse_untaken
from turnsmith.maps.taste.taste import Taste

if TYPE_CHECKING:
    from turnsmith.maps.making.maker import Maker, Proposal

FORMAT, VERSION = "turnsmith maker", 1
MOST = 2**62
MOST_BYTES = 2**28
"""Of an array."""


def to_dict(maker: Maker) -> dict[str, Any]:
    elites = maker.elites
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": maker.game.text_name,
        "seed": maker.seed,
        "settings": asdict(maker.settings),
        "base": maker.describer.base,
        "taste": maker.taste.to_dict(),
        "shown": [_proposal(proposal) for proposal in maker.shown],
        "counts": {name: getattr(maker, name) for name in COUNTS},
        "judged": maker.is_judged,
        "elites": {
            "count": elites.count,
            "niches": elites.filled.tolist(),
            "genomes": packed(elites.genomes[elites.filled]),
            "liking": elites.liking[elites.filled].tolist(),
            "seen": packed(elites.seen[: elites.remembered]),
        },
    }


COUNTS = ("bred", "asked", "_due", "_evolved")


def from_dict(document: Any, game: Game | None, said: str) -> Maker:
    from turnsmith.maps.making.maker import Maker, MakerSettings

    reader = JsonReader(document, said)
    if not reader.has("format") or reader.value["format"] != FORMAT:
        reader.refuse(f'this is no maker of maps: "format" must be "{FORMAT}"')
    reader.only(
        "format", "version", "game", "seed", "settings", "base", "taste", "shown", "counts", "judged", "elites"
    )  # fmt: skip
    if reader.whole("version", 1, 2**31) > VERSION:
        reader.at("version").refuse(f"this turnsmith reads version {VERSION}; get a newer one")
    game_name = reader.text("game")
    refuse_to_run(game_name, said, game.text_name if game else "")
    if game is not None and game_name != game.text_name:
        reader.at("game").refuse(f"this makes maps of {game_name}, not of {game.text_name}")
    game = game or load(game_name)
    try:
        settings = MakerSettings.of(**reader.object("settings"))
    except BadInput as error:
        reader.at("settings").refuse(str(error))
    base = reader.object("base")
    try:
        game.rebuild(base)
    except BadInput as error:
        reader.at("base").refuse(str(error))
    taste = Taste.from_dict(reader.object("taste"), f"{said}, taste", game.text_name)
    maker = Maker(game, taste, settings, reader.whole("seed", 0, 2**63), base)
    counts = reader.at("counts")
    for name in COUNTS:
        setattr(maker, name, counts.whole(name, 0, MOST))
    maker.shown = [_shown(row, number, maker) for number, row in enumerate(reader.list("shown"))]
    _fill(maker.elites, reader.at("elites"), maker.describer.values)
    if type(reader.value.get("judged")) is not bool:
        reader.at("judged").refuse("it must be true or false")
    maker.go_on(reader.value["judged"])
    return maker


def _proposal(each: Proposal) -> dict[str, Any]:
    return {**vars(each), "map": own_json.described(each.map)}


def _shown(row: JsonReader, number: int, maker: Maker) -> Proposal:
    from turnsmith.maps.making.maker import Proposal

    row.only("number", "map", "genes", "liking", "spread", "measures", "why")
    if row.whole("number", 0, MOST) != number:
        row.at("number").refuse(f"maps are numbered in order; this is {number}")
    game_map = own_json.map_from(row.at("map"))
    refuse_untaken(game_map, row.at("map").called)
    measures = row.object("measures")
    if not all(type(value) in (int, float) and math.isfinite(value) for value in measures.values()):
        row.at("measures").refuse("measures are numbers")
    if not maker.describer.has_place_for(game_map.source):
        row.at("map").refuse("this map has other genes")
    genes = tuple(maker.describer.genes_of(game_map.source).tolist())
    why = [[part.as_number() for part in reason.items()] for reason in row.list("why")]
    if any(len(reason) != 3 for reason in why):
        row.at("why").refuse("each is the number of a rating, a nearness and a rating")
    reasons = tuple((int(reason[0]), float(reason[1]), float(reason[2])) for reason in why)
    return Proposal(number, game_map, genes, row.number("liking"), row.number("spread"), measures, reasons)


def _fill(elites: Elites, found: JsonReader, values: Array) -> None:
    """Put into an archive what was read, checked: compiled code will read it."""
    niches = np.array([number.as_number() for number in found.list("niches")], np.float64)
    if len(set(niches.tolist())) != len(niches) or not all(n % 1 == 0 and 0 <= n < len(elites.liking) for n in niches):
        found.at("niches").refuse(f"they are different whole numbers below {len(elites.liking)}")
    places = niches.astype(np.int64)
    elites.count = found.whole("count", 0, MOST)
    elites.genomes[places] = _genomes(found, "genomes", len(places), values)
    elites.liking[:] = EMPTY
    elites.liking[places] = _numbers(found, "liking", len(places))
    elites.seen[: elites.remembered] = _genomes(found, "seen", elites.remembered, values)


def _numbers(found: JsonReader, name: str, count: int) -> Array:
    numbers = np.array([number.as_number() for number in found.list(name)], np.float64)
    if len(numbers) != count:
        found.at(name).refuse(f"there are {len(numbers):,} numbers; there must be {count:,}")
    return numbers


def _genomes(found: JsonReader, name: str, count: int, values: Array) -> Array:
    try:
        numbers = unpacked(found.text(name), 4 * count * len(values)).reshape(count, len(values))
    except (ValueError, zlib.error, binascii.Error):
        found.at(name).refuse(f"these are no {count:,} genomes of {len(values)} genes")
    if ((numbers < 0) | (numbers >= values)).any():
        found.at(name).refuse("a gene has a value that it cannot have")
    return numbers


def packed(genomes: Array) -> str:
    """int32 genomes as a text: little-endian, deflated, base64."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(genomes, "<i4").tobytes(), 1)).decode()


def unpacked(text: str, length: int) -> Array:
    """int32 of so many bytes; another length is refused before it is unpacked."""
    if length > MOST_BYTES:
        raise ValueError("too large")
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), length + 1)
    if len(data) != length:
        raise ValueError("another length")
    return np.frombuffer(data, "<i4").astype(np.int32)
