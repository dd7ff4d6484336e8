"""A maker as one JSON document, and back: a session that is read again goes on as if it had never stopped."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.game import Array, Game, load
from turnsmith.maps.files import own_json
from turnsmith.maps.files.damage import Reader, refuse_to_run
from turnsmith.maps.making.elites import EMPTY, Elites
from turnsmith.maps.record import refuse_untaken
from turnsmith.maps.taste.taste import Taste
from turnsmith.texts import BadInput

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
        "shown": [_proposal(each) for each in maker.shown],
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

    found = Reader(document, said)
    if not found.has("format") or found.value["format"] != FORMAT:
        found.refuse(f'this is no maker of maps: "format" must be "{FORMAT}"')
    found.only(
        "format", "version", "game", "seed", "settings", "base", "taste", "shown", "counts", "judged", "elites"
    )  # fmt: skip
    if found.whole("version", 1, 2**31) > VERSION:
        found.at("version").refuse(f"this turnsmith reads version {VERSION}; get a newer one")
    told = found.text("game")
    refuse_to_run(told, said, game.text_name if game else "")
    if game is not None and told != game.text_name:
        found.at("game").refuse(f"this makes maps of {told}, not of {game.text_name}")
    game = game or load(told)
    try:
        settings = MakerSettings.of(**found.object("settings"))
    except BadInput as error:
        found.at("settings").refuse(str(error))
    base = found.object("base")
    try:
        game.rebuild(base)
    except BadInput as error:
        found.at("base").refuse(str(error))
    taste = Taste.from_dict(found.object("taste"), f"{said}, taste", game.text_name)
    maker = Maker(game, taste, settings, found.whole("seed", 0, 2**63), base)
    counts = found.at("counts")
    for name in COUNTS:
        setattr(maker, name, counts.whole(name, 0, MOST))
    maker.shown = [_shown(each, number, maker) for number, each in enumerate(found.list("shown"))]
    _fill(maker.elites, found.at("elites"), maker.describer.values)
    if type(found.value.get("judged")) is not bool:
        found.at("judged").refuse("it must be true or false")
    maker.go_on(found.value["judged"])
    return maker


def _proposal(each: Proposal) -> dict[str, Any]:
    return {**vars(each), "map": own_json.described(each.map)}


def _shown(row: Reader, number: int, maker: Maker) -> Proposal:
    from turnsmith.maps.making.maker import Proposal

    row.only("number", "map", "genes", "liking", "spread", "measures", "why")
    if row.whole("number", 0, MOST) != number:
        row.at("number").refuse(f"maps are numbered in order; this is {number}")
    found = own_json.map_from(row.at("map"))
    refuse_untaken(found, row.at("map").called)
    measures = row.object("measures")
    if not all(type(value) in (int, float) and math.isfinite(value) for value in measures.values()):
        row.at("measures").refuse("measures are numbers")
    if not maker.describer.has_place_for(found.source):
        row.at("map").refuse("this map has other genes")
    genes = tuple(maker.describer.genes_of(found.source).tolist())
    why = [[part.as_number() for part in each.items()] for each in row.list("why")]
    if any(len(each) != 3 for each in why):
        row.at("why").refuse("each is the number of a rating, a nearness and a rating")
    reasons = tuple((int(each[0]), float(each[1]), float(each[2])) for each in why)
    return Proposal(number, found, genes, row.number("liking"), row.number("spread"), measures, reasons)


def _fill(elites: Elites, found: Reader, values: Array) -> None:
    """Put into an archive what was read, checked: compiled code will read it."""
    niches = np.array([each.as_number() for each in found.list("niches")], np.float64)
    if len(set(niches.tolist())) != len(niches) or not all(n % 1 == 0 and 0 <= n < len(elites.liking) for n in niches):
        found.at("niches").refuse(f"they are different whole numbers below {len(elites.liking)}")
    places = niches.astype(np.int64)
    elites.count = found.whole("count", 0, MOST)
    elites.genomes[places] = _genomes(found, "genomes", len(places), values)
    elites.liking[:] = EMPTY
    elites.liking[places] = _numbers(found, "liking", len(places))
    elites.seen[: elites.remembered] = _genomes(found, "seen", elites.remembered, values)


def _numbers(found: Reader, name: str, count: int) -> Array:
    numbers = np.array([each.as_number() for each in found.list(name)], np.float64)
    if len(numbers) != count:
        found.at(name).refuse(f"there are {len(numbers):,} numbers; there must be {count:,}")
    return numbers


def _genomes(found: Reader, name: str, count: int, values: Array) -> Array:
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
