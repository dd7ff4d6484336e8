"""Files of maps: they come back as they were, and what is damaged is refused by place and reason."""

from __future__ import annotations

import dataclasses
import json
import random
import re

import matplotlib.image
import numpy as np
import pytest
from drawn import homeguard, homeguard_map, mutated
from hypothesis import given, settings
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import Form, Grid, Thing, form_of
from turnsmith.games.homeguard.grid import GRID
from turnsmith.maps import files
from turnsmith.maps.files import FORMATS, ldtk, own_json, svg, tmx
from turnsmith.maps.record import GameMap, map_of
from turnsmith.studies.homeguard import iwonmapformat

LOSSLESS = ("json", "png")
"""Formats that keep all that is known of a map; the others keep the map."""
HOMEGUARD = [name for name in FORMATS if name != "svg"]
"""Pictures of the game's own need the game."""
BOARDS = st.builds(
    homeguard, st.integers(0, 10**6), st.sampled_from([7, 9, 11, 15]), st.integers(0, 8), st.floats(0.0, 1.0)
)


def written(name, maps):
    """The content of a file."""
    return FORMATS[name].code.write(maps, f"x{FORMATS[name].endings[0]}")[""]


def read(name, data, game=""):
    return FORMATS[name].code.read(data, "x", game)


def saved(folder, name, found):
    """The path of a file with one map."""
    path = folder / f"x{FORMATS[name].endings[0]}"
    files.save(path, [found])
    return path


# ---------------------------------------------------------------- there and back


@pytest.mark.parametrize("name", HOMEGUARD)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(source=BOARDS)
def test_a_map_of_homeguard_comes_back(name, source):
    """Rows, portals and everything else, in every format; the sizes are said where they are not the usual."""
    size = len(source["rows"])
    found = GameMap("homeguard" if size == 9 else f"homeguard:size={size}", source)
    (back,) = read(name, written(name, [found]))
    assert (back.source, back.game) == (found.source, found.game)


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.many])
def test_several_maps_come_back_in_order(name):
    """As many as there were, each with its portals."""
    maps = [homeguard_map(seed) for seed in range(5)]
    assert [each.source for each in read(name, written(name, maps))] == [each.source for each in maps]


@pytest.mark.parametrize("name", LOSSLESS)
def test_what_is_known_of_a_map_comes_back(name):
    """Seed, rating, class, embeddings and provenance."""
    vectors = ((0.5, -1.25, 1e-9), (3.0, 0.0, 1e12))
    known = {"seed": 2**63, "rating": -1.5, "label": -7, "embeddings": vectors, "provenance": {"by": "Žofie", "n": [1]}}
    found = homeguard_map(3, **known)
    assert read(name, written(name, [found])) == [found]


@pytest.mark.parametrize("text", ["pacman:map=tiny", "pacman:map=ten", "tactics:size=12,team=2", "dicewars:players=3"])
@pytest.mark.parametrize("name", ["json", "tmx", "tmj", "ldtk", "png", "svg", "txt"])
def test_maps_of_other_games_come_back(text, name, tmp_path):
    """Through a file, checked by the game; a text file of Pac-Man or Tactics says the map and no options."""
    game = ts.load(text)
    found = map_of(game, 4)
    path = saved(tmp_path, name, found)
    own_text = name == "txt" and form_of(text).from_text is not None
    (back,) = files.load(path, text if own_text else "")
    if own_text:
        assert back.source["rows"] == found.source["rows"]
    else:
        assert back == (dataclasses.replace(found, seed=None) if name == "txt" else found)


@pytest.mark.parametrize("text", ["pacman:map=tiny", "tactics:size=8"])
def test_a_text_file_is_one_that_the_game_plays(text, tmp_path, monkeypatch):
    """What is exported as .txt can be named as the game's map."""
    monkeypatch.chdir(tmp_path)
    found = map_of(ts.load(text), 1)
    files.save(tmp_path / "mine.txt", [found])
    name = text.partition(":")[0]
    played = ts.load(f"{name}:map=./mine.txt")
    assert played.describe(0)["rows"] == found.source["rows"]
    kept = map_of(played, 0)
    assert "mine" not in kept.game  # whoever gets the file has no mine.txt
    assert ts.load(kept.game).build(kept.source).shape == (1,)


def test_the_same_map_is_the_same_bytes():
    """Nothing of a file depends on when or where it is written."""
    for name in HOMEGUARD:
        assert written(name, [homeguard_map(1)]) == written(name, [homeguard_map(1)])


# ---------------------------------------------------------------- as others read them


def test_tiled_finds_what_it_needs():
    """Layers, objects with targets by id, one tileset from number 1 whose picture has a square for each tile."""
    contents = tmx.write([homeguard_map(2)], "my.tmx")
    text = contents[""].decode()
    assert '<tileset firstgid="1" name="homeguard"' in text
    assert re.findall(r'<layer id="\d" name="(\w+)"', text) == ["ground", "cover"]
    assert re.findall(r'<objectgroup id="\d" name="(\w+)"', text) == ["spawns", "portals"]
    assert '<image source="my.tmx.tiles.png" width="256" height="32"/>' in text
    ids = dict(re.findall(r'<object id="(\d)" name="portal".*?name="target" type="object" value="(\d)"', text, re.S))
    assert ids == {"5": "6", "6": "5", "7": "8", "8": "7"}
    numbers = json.loads(FORMATS["tmj"].code.write([homeguard_map(2)], "my.tmj")[""])["layers"][1]["data"]
    assert set(numbers) == {0, 3, 4}
    hexes = FORMATS["tmj"].code.write([map_of(ts.load("dicewars"), 1)], "d.tmj")[""]
    assert json.loads(hexes)["orientation"] == "hexagonal"


def test_tiled_may_have_changed_the_file():
    """Turned tiles, points instead of rectangles, a class instead of a type, CSV without spaces: all mean the same."""
    found = homeguard_map(2)
    document = json.loads(written("tmj", [found]))
    cover = document["layers"][1]["data"]
    document["layers"][1]["data"] = [number and number | 0x80000000 for number in cover]
    for each in document["layers"][3]["objects"]:
        each |= {"x": each["x"] + 16, "y": each["y"] + 16, "width": 0, "height": 0, "class": each.pop("type")}
    assert read("tmj", json.dumps(document).encode())[0].source == found.source


REQUIRED = {
    "project": "bgColor defs externalLevels iid jsonVersion levels toc worlds appBuildId backupLimit backupOnSave "
    "customCommands defaultEntityHeight defaultEntityWidth defaultGridSize defaultLevelBgColor defaultPivotX "
    "defaultPivotY dummyWorldIid exportLevelBg exportTiled flags identifierStyle imageExportMode levelNamePattern "
    "minifyJson nextUid simplifiedExport",
    "defs": "entities enums externalEnums layers levelFields tilesets",
    "layer definition": "__type displayOpacity gridSize identifier intGridValues intGridValuesGroups parallaxFactorX "
    "parallaxFactorY parallaxScaling pxOffsetX pxOffsetY uid autoRuleGroups canSelectWhenInactive excludedTags "
    "guideGridHei guideGridWid hideFieldsWhenInactive hideInList inactiveOpacity renderInWorldView requiredTags "
    "tilePivotX tilePivotY type uiFilterTags useAsyncRender",
    "entity definition": "color height identifier nineSliceBorders pivotX pivotY tileRenderMode uid width "
    "allowOutOfBounds exportToToc fieldDefs fillOpacity hollow keepAspectRatio limitBehavior limitScope lineOpacity "
    "maxCount renderMode resizableX resizableY showName tags tileOpacity",
    "field definition": "__type canBeNull identifier isArray type uid allowOutOfLevelRef allowedRefTags allowedRefs "
    "autoChainRef editorAlwaysShow editorCutLongValues editorDisplayMode editorDisplayPos editorDisplayScale "
    "editorLinkStyle editorShowInWorld exportToToc searchable symmetricalRef useForSmartColor",
    "level": "__bgColor __neighbours fieldInstances identifier iid pxHei pxWid uid worldDepth worldX worldY "
    "__smartColor bgPivotX bgPivotY useAutoIdentifier",
    "layer": "__cHei __cWid __gridSize __identifier __opacity __pxTotalOffsetX __pxTotalOffsetY __type autoLayerTiles "
    "entityInstances gridTiles iid intGridCsv layerDefUid levelId pxOffsetX pxOffsetY visible optionalRules seed",
    "entity": "__grid __identifier __pivot __smartColor __tags defUid fieldInstances height iid px width",
    "field": "__identifier __type __value defUid realEditorValues",
}
"""The keys that LDtk's schema of version 1.5.3 asks for."""


def test_ldtk_finds_every_key_that_its_schema_asks_for():
    """In the project, its definitions, levels, layers, entities and fields; numbers and identifiers are unique."""
    project = json.loads(ldtk.write([homeguard_map(1), homeguard_map(2)], "x.ldtk")[""])
    level = project["levels"][1]
    layers = level["layerInstances"]
    entities = layers[0]["entityInstances"]
    portal = project["defs"]["entities"][2]
    for what, found in (
        ("project", project), ("defs", project["defs"]), ("layer definition", project["defs"]["layers"][1]),
        ("entity definition", portal), ("field definition", portal["fieldDefs"][0]),
        ("field definition", project["defs"]["levelFields"][0]), ("level", level), ("layer", layers[0]),
        ("layer", layers[1]), ("entity", entities[-1]), ("field", entities[-1]["fieldInstances"][0]),
    ):  # fmt: skip
        assert set(REQUIRED[what].split()) - set(found) == set(), what
    assert [layer["__identifier"] for layer in layers] == ["Things", "Cover", "Ground"]
    numbers = [each["uid"] for kind in ("layers", "entities", "levelFields") for each in project["defs"][kind]]
    numbers += [each["uid"] for each in project["levels"]] + [portal["fieldDefs"][0]["uid"]]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < project["nextUid"]
    names = [each["iid"] for one in project["levels"] for each in one["layerInstances"][0]["entityInstances"]]
    assert len(set(names)) == len(names) == 16
    assert entities[-1]["fieldInstances"][0]["__value"]["entityIid"] == entities[-2]["iid"]


def test_a_png_is_a_picture_for_others_too(tmp_path):
    """Another reader sees covers, starts and portals where they are, a pair in one colour."""
    source = homeguard(0, share=0.0, pairs=1)
    source["rows"][0] = ".T......."
    source["portals"] = [[2, 40]]
    path = tmp_path / "x.png"
    files.save(path, [GameMap("homeguard", source)])
    pixels = (matplotlib.image.imread(path)[:, :, :3] * 255).round().astype(int)
    assert pixels.shape == (288, 288, 3)

    def at(row, column, right=0):
        return tuple(pixels[row * 32 + 16, column * 32 + 16 + right])

    assert at(0, 1) == (0x2F, 0x6B, 0x3A)
    assert at(0, 0) == at(8, 8) == (0x2C, 0x6F, 0xBB)
    assert at(0, 8) == at(8, 0) == (0xC0, 0x39, 0x2B)
    assert at(0, 2, 10) == at(4, 4, 10) == (0x8E, 0x44, 0xAD)
    assert at(0, 2) == at(1, 1) == (0xD8, 0xCF, 0xB4)


def test_a_picture_of_the_games_own_holds_its_map():
    """It is the picture that the game draws, and the map stands in it once, whatever signs its name has."""
    game = ts.load("pacman:map=tiny")
    found = map_of(game, 0)
    found.source["map"] = "a < b & \"c\" 'd' – ž"
    text = svg.write([found], "x.svg")[""].decode()
    assert re.sub(r"<metadata.*</metadata>", "", text, flags=re.S) == game.start().picture(0) + "\n"
    assert svg.read(text.encode(), "x") == [found]
    with pytest.raises(BadInput, match="this picture does not hold a map"):
        svg.read(game.start().picture(0).encode(), "x")


# ---------------------------------------------------------------- iwonmapformat


def test_iwonmapformat_is_as_its_description_says():
    """Signs of cells, numbers of embeddings, empty lines between parts and maps, nothing at the end."""
    source = homeguard(0, size=7, pairs=2, share=0.0)
    source["rows"] = [".o.....", "T......", *["......."] * 5]
    source["portals"] = [[16, 24], [40, 46]]
    maps = [GameMap("homeguard:size=7", source, label=3, embeddings=((0.5, -12.25), (1234.5678, 0.00001)))]
    maps.append(GameMap("homeguard:size=7", source, rating=-2.0))
    maps.append(GameMap("homeguard:size=7", source))
    text = iwonmapformat.text_of(maps, "made by hand\n")
    rows = "20    3\n1      \n  A    \n   A   \n       \n     B \n3   B 2"
    first = f"{rows}\n\n+0000,5000;-0012,2500\n+1234,5678;+0000,0000\n\n3"
    others = [f"{rows}\n\n+0000,0000\n\n{label}" for label in (-2, 2)]
    assert text == "made by hand\n----\n" + "\n\n\n".join([first, *others])
    back = iwonmapformat.read(text.encode(), "x")
    assert [each.label for each in back] == [3, -2, 2]
    assert back[0].embeddings == ((0.5, -12.25), (1234.5678, 0.0))
    assert back[1].embeddings == ()
    for feeds in range(4):
        assert iwonmapformat.read((text + "\n" * feeds).encode(), "x") == back


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    numbers=st.lists(st.floats(-9999.9999, 9999.9999), min_size=1, max_size=4),
    header=st.text(max_size=20).filter(lambda text: "----\n" not in text and text.isprintable()),
)
def test_numbers_and_headers_of_iwonmapformat_come_back(numbers, header):
    """To four digits behind the comma, whatever the header says."""
    found = homeguard_map(1, embeddings=(tuple(numbers),), label=0)
    (back,) = iwonmapformat.read(iwonmapformat.text_of([found], header).encode(), "x")
    read_back = back.embeddings[0] if back.embeddings else (0.0,)
    assert np.allclose(read_back, numbers, rtol=0, atol=0.50001e-4)


def test_files_of_the_original_program_are_known_without_an_ending(tmp_path):
    """maps.txt and a name without an ending are looked into."""
    for name in ("maps.txt", "07-06_14-20"):
        (tmp_path / name).write_text(iwonmapformat.text_of([homeguard_map(1)], "any header"))
        assert files.read(tmp_path / name)[0].source == homeguard(1)
    document = written("tmj", [homeguard_map(1)])
    (tmp_path / "from_tiled.json").write_bytes(document)
    assert files.read(tmp_path / "from_tiled.json")[0].source == homeguard(1)


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.replace("----\n", "---\n"), "line 15: the header is not ended by ----"),
        (lambda t: "\n" + t, None),
        (lambda t: t.replace("2", "", 1), "line 4 has 9 signs where the first row has 8"),
        (lambda t: t.replace("2", "4", 1), "line 3, column 1: '4' is no sign of a map"),
        (lambda t: t.replace("A", "C", 1), "line 10, column 2: 'A' stands once; a pair has two ends"),
        (lambda t: t.replace("+0000,0000", "0000,0000"), "line 13: '0000,0000' is no number"),
        (lambda t: t.replace("+0000,0000", "+0000.0000"), "line 13: '\\+0000.0000' is no number"),
        (lambda t: t.replace("+0000,0000", "+0000,0000;"), "line 13: '' is no number"),
        (lambda t: t[:-1] + "x", "line 15: 'x' is no class"),
        (lambda t: t[:-1] + "99999999999", "line 15: '99999999999' is no class"),
        (lambda t: t[:-3], "line 3: a map has three parts .* this one has 2"),
        (lambda t: t + "\n\n\n\n", "line 16: empty lines follow the last map"),
        (lambda t: t[: t.index("----\n") + 5], "line 3: there are no maps"),
        (lambda t: t.replace("3\n", "3\r\n", 1), "line 3: the line ends with a carriage return"),
        (lambda t: t.replace("2", "3", 1), "the map at line 3: spawns, row 1, column 1: so no enemy starts"),
    ],
)
def test_damaged_iwonmapformat_is_refused_by_line(change, reason):
    """One line says which line and what is wrong with it; a longer header is none of that."""
    text = change("head\n----\n" + iwonmapformat.text_of([homeguard_map(1)]).partition("----\n")[2])
    if reason is None:
        assert iwonmapformat.read(text.encode(), "x")
        return
    with pytest.raises(BadInput, match=f"^x: {reason}"):
        iwonmapformat.read(text.encode(), "x")


def changed(name, change):
    """A document of JSON with something changed in it."""
    document = json.loads(written(name, [homeguard_map(1)]))
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("json", lambda d: d.pop("format"), 'the file: this is no file of maps: "format" must be'),
        ("json", lambda d: d.update(version=2), "version: this turnsmith reads version 1"),
        ("json", lambda d: d["maps"][0].update(seed=-1), r"maps\[0\].seed: must be a whole number"),
        ("json", lambda d: d["maps"][0].update(ranking=1), r"maps\[0\]: there is no 'ranking' here"),
        ("json", lambda d: d["maps"][0].update(source=[]), r"maps\[0\].source: must be an object"),
        (
            "json",
            lambda d: d["maps"][0].update(embeddings=[["x"]]),
            r"maps\[0\].embeddings\[0\]\[0\]: must be a number",
        ),
        ("tmj", lambda d: d.update(infinite=True), "infinite: the map is infinite"),
        ("tmj", lambda d: d.update(height=10**9), "height: must be a whole number from 1 to 512"),
        ("tmj", lambda d: d["layers"][1].update(data="eJw="), r"layers\[1\].data: the layer is compressed"),
        (
            "tmj",
            lambda d: d["layers"][1]["data"].__setitem__(9, 99),
            r"layers\[1\].data: row 2, column 1: tile 99 cannot",
        ),
        (
            "tmj",
            lambda d: d["layers"][0]["data"].__setitem__(9, 0),
            r"layers\[0\].data: row 2, column 1: nothing cannot",
        ),
        (
            "tmj",
            lambda d: d["layers"][0]["data"].__setitem__(9, 1),
            "the file: ground, row 2, column 1: the ground is always",
        ),
        ("tmj", lambda d: d["layers"][1]["data"].__setitem__(0, 3), "the file: cover, row 1, column 1: here one walks"),
        (
            "tmj",
            lambda d: d["layers"][3]["objects"].pop(),
            r"layers\[3\].objects\[2\]: its target, object 8, is not there",
        ),
        (
            "tmj",
            lambda d: d["layers"][3]["objects"][0].pop("properties"),
            "portals, row ., column .: this portal must have",
        ),
        (
            "tmj",
            lambda d: d["layers"][2]["objects"][0].update(x=-999),
            "spawns, row 1, column 0: this player is not on",
        ),
        ("tmj", lambda d: d["layers"].pop(1), "the layer 'cover' is missing"),
        ("tmj", lambda d: d["tilesets"].append(d["tilesets"][0]), "there are 2 tilesets"),
        ("tmj", lambda d: d["properties"].pop(0), "x does not say of which game it is"),
        (
            "tmj",
            lambda d: d["properties"][1].update(name="genrator"),
            "no property 'genrator' .did you mean 'generator'",
        ),
        ("ldtk", lambda d: d.update(externalLevels=True), "externalLevels: levels are in files of their own"),
        (
            "ldtk",
            lambda d: d["levels"][0]["layerInstances"][1]["intGridCsv"].pop(),
            "it has 80 cells; 9 rows of 9 have 81",
        ),
        (
            "ldtk",
            lambda d: d["levels"][0]["layerInstances"][1].update(__cWid=10**9),
            "__cWid: must be a whole number from",
        ),
        ("ldtk", lambda d: d["levels"][0]["layerInstances"].append(0), r"layerInstances\[3\]: must be an object"),
        (
            "ldtk",
            lambda d: d["levels"][0]["layerInstances"][0]["entityInstances"].pop(),
            "its target is not in this level",
        ),
    ],
)
def test_wrong_json_is_refused_by_key(name, change, reason):
    """One line says where it stands and what is wrong with it."""
    with pytest.raises(BadInput, match=reason):
        read(name, changed(name, change))


def test_broken_json_is_refused_by_line_and_column():
    """Whether it ends early, has numbers that JSON has not, or stands too deeply in itself."""
    data = written("json", [homeguard_map(1)])
    for wrong, reason in (
        (data[:200], r"x: line 12, column 3: this is no JSON: Expecting"),
        (b'{"maps": NaN}', "x: line 1: NaN is no number of JSON"),
        (b"[" * 100_000, "x: line 1: lists and objects stand within each other too deeply"),
        (b"[" * 80 + b"]" * 80, "x: line 1: lists and objects stand within each other too deeply"),
        (b'{"maps": ' + b"9" * 5000 + b"}", "x: line 1: a number has too many digits"),
        (data.replace(b"homeguard", b"h\xff"), "x: byte 66: this is no UTF-8"),
    ):
        with pytest.raises(BadInput, match=reason):
            own_json.read(wrong, "x")


LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE map [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<map name="&b;"/>
"""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: LAUGHS, "x: line 2: a document type is not read"),
        (lambda t: t.decode().replace("UTF-8", "UTF-16").encode("utf-16").replace(b"?>", b"?>"), None),
        (lambda t: t[:300], "x: line 5, column 1: this is no XML: unclosed token"),
        (lambda t: b"<a>" * 200 + b"</a>" * 200, "x: line 1: elements stand more than 64 deep"),
        (lambda t: b"<svg/>", "x: line 1: this is no map of Tiled but <svg>"),
        (lambda t: t.replace(b'encoding="csv"', b'encoding="base64"', 1), "x: line 16: the layer is not CSV"),
        (lambda t: t.replace(b"1,2,1,2", b"1,x,1,2", 1), "x: line 18: 'x' is no number of a tile"),
        (lambda t: t.replace(b"1,2,1,2", b"1,2,2", 1), "x: line 16, data: there are 80 cells"),
        (lambda t: t.replace(b'width="9"', b'width="nine"', 1), "x: line 2, width: 'nine': this is no number"),
        (lambda t: t.replace(b'infinite="0"', b'infinite="1"', 1), "x: line 2, infinite: the map is infinite"),
        (lambda t: t.replace(b'value="6"', b'value="77"', 1), "its target, object 77, is not there"),
        (lambda t: t.replace(b"</map>", b"<group/></map>"), "<group> is not read"),
    ],
)
def test_damaged_tmx_is_refused_by_line(change, reason):
    """Entities are never multiplied; other wrong things are named by their line. Another encoding is no damage."""
    data = change(tmx.write([homeguard_map(1)], "x.tmx")[""])
    if reason is None:
        assert tmx.read(data, "x")[0].source == homeguard(1)
        return
    with pytest.raises(BadInput, match=reason):
        tmx.read(data, "x")


def test_damaged_png_is_refused_by_byte():
    """By its sums, its end, and what follows it."""
    data = written("png", [homeguard_map(1)])
    for wrong, reason in (
        (data[:-1], f"x: byte {len(data) - 12}: a part of 0 bytes|x: byte {len(data) - 1}: the file ends before"),
        (data[:100] + b"?" + data[101:], "x: byte 33: the part that begins here is damaged"),
        (data + b"!", f"x: byte {len(data)}: something follows the end"),
        (data[:8] + b"\xff\xff\xff\xff" + data[12:], "x: byte 8: a part of 4,294,967,295 bytes begins here"),
        (b"GIF89a", "x: byte 0: this is no PNG"),
    ):
        with pytest.raises(BadInput, match=reason):
            read("png", wrong)


def test_what_a_format_cannot_hold_is_refused_before_anything_is_written(tmp_path):
    """Several maps in one picture, too many pairs for letters, maps of other games, numbers without room."""
    many = [homeguard_map(seed) for seed in (1, 2)]
    crowded = GameMap("homeguard:size=15", homeguard(1, 15, pairs=27))
    wide = homeguard_map(1, embeddings=((1e5,),))
    for name, maps, reason in (
        ("x.png", many, "x.png can hold one map, there are 2"),
        ("x.txt", [crowded], "a drawing has letters for 25 pairs, this map has 27"),
        ("x.iwonmapformat", [crowded], "a drawing has letters for 26 pairs, this map has 27"),
        ("x.iwonmapformat", [GameMap("pacman", {})], "iwonmapformat is for maps of homeguard, map 1 is one of pacman"),
        (
            "x.iwonmapformat",
            [GameMap("homeguard", {**homeguard(1), "strict": True})],
            "map 1 is played with strict=true",
        ),
        ("x.iwonmapformat", [wide], "map 1: 100000.0 has no four digits before the comma"),
        ("x.ldtk", [*many, map_of(ts.load("dicewars"), 0)], "maps of one game, these are of dicewars, homeguard"),
        ("x.gif", many, "does not say a format; let it end with one of .json"),
        ("x.json", [], "there are no maps to write"),
        ("x.tmx", [map_of(ts.load("pig"), 0)], "pig does not say how its maps look as grids"),
    ):
        with pytest.raises(BadInput, match=reason):
            files.save(tmp_path / name, maps)
    assert not list(tmp_path.iterdir())


def test_a_map_that_its_game_does_not_take_is_refused(tmp_path):
    """What a file describes is built by the game before anybody gets it."""
    found = map_of(ts.load("pacman:map=tiny"), 0)
    path = tmp_path / "x.json"
    files.save(path, [found, dataclasses.replace(found, source={**found.source, "rows": ["#"]})])
    with pytest.raises(BadInput, match=r"x.json, map 2: map tiny has no pacman"):
        files.load(path)
    files.save(path, [dataclasses.replace(found, game="./mine.py")])
    with pytest.raises(BadInput, match=r"x.json would run ./mine.py, the file of its game"):
        files.load(path)


@pytest.mark.parametrize("name", [*HOMEGUARD, "svg"])
def test_any_damage_is_refused_in_one_line_or_does_no_harm(name):
    """Random changes of a file: what is read is a map that can be written again, all else is refused in a line."""
    dice, lines = random.Random(name), []
    found = homeguard_map(1, embeddings=((0.5, -1.0),), label=3)
    data = svg.with_map("<svg></svg>", found).encode() if name == "svg" else written(name, [found])
    for _ in range(60):
        try:
            maps = read(name, mutated(data, dice))
        except BadInput as error:
            lines.append(str(error))
            continue
        if name not in ("json", "png", "svg"):  # there the description is for the game to check
            assert all(GRID.source_of(GRID.grid_of(each.source)) == each.source for each in maps)
    assert len(lines) > 20
    assert all(re.match("x[:, ]", line) and "\n" not in line for line in lines)


# ---------------------------------------------------------------- grids


def test_a_game_in_one_file_may_have_grids(tmp_path, monkeypatch):
    """A form in a stranger's file is found by its path, and used."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "from turnsmith.contract.grids import Form, Grid, Tile\n"
        "GRID = Form({'ground': (Tile('sea', '~'), Tile('land', 'x', '#00ff00'))}, (),\n"
        "    lambda source: Grid({'ground': np.array(source['cells'], np.int16)}),\n"
        "    lambda grid: {'cells': grid.layers['ground'].tolist()})\n"
    )
    found = GameMap("./mine.py:size=3", {"cells": [[0, 1], [1, 1]]})
    assert isinstance(form_of(found.game), Form)
    for name in ("tmx", "ldtk", "txt", "json"):
        assert read(name, written(name, [found]), found.game) == [found]
        with pytest.raises(BadInput, match=r"x.* would run ./mine.py:size=3, the file of its game"):
            files.load(saved(tmp_path, name, found))
    assert b"~x\nxx" in written("txt", [found])


def test_a_grid_of_homeguard_is_checked():
    """Covers, ground, portals and starts by row and column; starts may be left out."""
    good = GRID.grid_of(homeguard(1))
    together = {**homeguard(1, pairs=0), "starts": "together"}
    spread = GRID.grid_of(together)
    assert [(each.row, each.column) for each in spread.things] == [(0, 2), (2, 0), (8, 6), (6, 8)]
    assert GRID.source_of(spread) == GRID.source_of(Grid(spread.layers, spread.things)) == together
    assert iwonmapformat.read(written("iwonmapformat", [GameMap("homeguard", together)]), "x")[0].source == together
    crowded = GameMap("homeguard", {**together, "portals": [[2, 40]]})
    with pytest.raises(BadInput, match="two things stand on one cell"):
        written("txt", [crowded])
    assert read("tmj", written("tmj", [crowded]))[0].source == crowded.source
    bare = Grid({"cover": good.layers["cover"]}, tuple(each for each in good.things if each.kind == "portal")[:0])
    assert GRID.source_of(bare) == {**homeguard(1), "portals": []}
    portal = (Thing("portal", 0, 0, 1), Thing("portal", 2, 2, 0))
    twice = (Thing("portal", 2, 2, 1), Thing("portal", 2, 2, 0))
    for layers, things, reason in (
        ({"cover": good.layers["cover"][:8, :8]}, (), "8 rows of 8"),
        ({"cover": good.layers["cover"]}, portal, "portals, row 1, column 1: a portal stands where"),
        ({"cover": good.layers["cover"]}, twice, "portals, row 3, column 3: a portal stands where"),
        (
            {"cover": good.layers["cover"]},
            (Thing("player", 0, 0),),
            "spawns, row 1, column 1: so no player starts; there are two of each",
        ),
        ({"cover": good.layers["cover"]}, (Thing("tank", 0, 0),), "'tank' is no kind of things here"),
        ({"cover": good.layers["cover"] + 1}, (), "cover, row .*: 3 is no tile; there are 3|here one walks"),
        ({"covers": good.layers["cover"]}, (), "the layer 'cover' is missing"),
    ):
        with pytest.raises(BadInput, match=reason):
            GRID.source_of(Grid(layers, things))
