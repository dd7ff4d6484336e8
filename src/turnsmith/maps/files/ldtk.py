"""LDtk's project (.ldtk, JSON version 1.5.3): a level a map, an IntGrid layer for each layer, and a layer of entities.

Cells are numbered as in ``tiled``, from 1, and 0 is nothing. What is joined refers to the other in its field `target`.
A level has the text of the game, its seed and all properties of the map in its field `map`, as JSON.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.grids import MOST_CELLS, MOST_THINGS, Form, Grid, Thing, form_of
from turnsmith.maps.files.damage import JsonReader, game_and_form, read_json
from turnsmith.maps.files.tiled import from_number, something, to_numbers
from turnsmith.maps.record import GameMap, split_options

VERSION = "1.5.3"
SIDE, APART = 16, 4
"""Pixels of a cell, and cells between two levels."""
ENTITIES, FIELD, TARGET = "Things", "map", "target"
SPACE = uuid.UUID("6d3f3b0c-8f1f-5c53-9a44-0c1f0d6d5e11")
"""What the identifiers of a project are made from: the same maps make the same file."""


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    homes = {split_options(game_map.game)[0] for game_map in maps}
    if len(homes) > 1:
        raise BadInput(f"a project has maps of one game, these are of {', '.join(sorted(homes))}; write .json")
    form = form_of(maps[0].game)
    definitions = _Definitions(form)
    levels, left = [], 0
    for number, game_map in enumerate(maps):
        grid = form.grid_of(game_map.source)
        levels.append(_level(game_map, grid, form, definitions, number, left))
        left += (grid.shape[1] + APART) * SIDE
    return {"": (json.dumps(_project(definitions, levels), indent=1) + "\n").encode()}


# ---------------------------------------------------------------- writing


def _identifier(*parts: object) -> str:
    """An identifier of LDtk's, which looks like a UUID."""
    return str(uuid.uuid5(SPACE, "/".join(map(str, parts))))


def _name(text: str) -> str:
    """A name as LDtk wants it: a capital letter, no spaces."""
    return text[:1].upper() + text[1:].replace(" ", "_")


WORLD = _identifier("world")


class _Definitions:
    """The numbers by which a project's levels name its layers, entities and fields."""

    def __init__(self, form: Form):
        self.form = form
        self.layers = {name: number for number, name in enumerate([*form.layers, ENTITIES], start=1)}
        self.kinds = {kind.name: 100 + number for number, kind in enumerate(form.kinds)}
        self.targets = {name: number + 100 for name, number in self.kinds.items()}
        self.field = 300

    def described(self) -> dict[str, Any]:
        grids = [self._layer(name, "IntGrid") for name in reversed(list(self.form.layers))]
        fields = [_field(FIELD, "String", "F_Text", self.field)]
        return {
            "layers": [self._layer(ENTITIES, "Entities"), *grids], "entities": [self._entity(k) for k in self.kinds],
            "tilesets": [], "enums": [], "externalEnums": [], "levelFields": fields,
        }  # fmt: skip

    def _layer(self, name: str, kind: str) -> dict[str, Any]:
        tiles = self.form.layers.get(name, ())
        values = [
            {"value": number, "identifier": tiles[value].name.replace(" ", "_"), "color": tiles[value].colour,
             "tile": None, "groupUid": 0}
            for number, value in enumerate(something(tiles), start=1)
        ]  # fmt: skip
        return {
            "__type": kind, "identifier": _name(name), "type": kind, "uid": self.layers[name], "doc": None,
            "uiColor": None, "gridSize": SIDE, "guideGridWid": 0, "guideGridHei": 0, "displayOpacity": 1,
            "inactiveOpacity": 1, "hideInList": False, "hideFieldsWhenInactive": True, "canSelectWhenInactive": True,
            "renderInWorldView": True, "pxOffsetX": 0, "pxOffsetY": 0, "parallaxFactorX": 0, "parallaxFactorY": 0,
            "parallaxScaling": True, "requiredTags": [], "excludedTags": [], "autoTilesKilledByOtherLayerUid": None,
            "uiFilterTags": [], "useAsyncRender": False, "intGridValues": values, "intGridValuesGroups": [],
            "autoRuleGroups": [], "autoSourceLayerDefUid": None, "tilesetDefUid": None, "tilePivotX": 0,
            "tilePivotY": 0, "biomeFieldUid": None,
        }  # fmt: skip

    def _entity(self, name: str) -> dict[str, Any]:
        kind = self.form.kind(name)
        fields = [_field(TARGET, "EntityRef", "F_EntityRef", self.targets[name])] if kind.joined else []
        return {
            "identifier": _name(name), "uid": self.kinds[name], "tags": [kind.group], "exportToToc": False,
            "allowOutOfBounds": False, "doc": None, "width": SIDE, "height": SIDE, "resizableX": False,
            "resizableY": False, "minWidth": None, "maxWidth": None, "minHeight": None, "maxHeight": None,
            "keepAspectRatio": False, "tileOpacity": 1, "fillOpacity": 0.6, "lineOpacity": 1, "hollow": False,
            "color": kind.colour, "renderMode": "Ellipse", "showName": True, "tilesetId": None,
            "tileRenderMode": "FitInside", "tileRect": None, "uiTileRect": None, "nineSliceBorders": [], "maxCount": 0,
            "limitScope": "PerLevel", "limitBehavior": "MoveLastOne", "pivotX": 0, "pivotY": 0, "fieldDefs": fields,
        }  # fmt: skip


def _field(name: str, shown_type: str, kind: str, number: int) -> dict[str, Any]:
    """The definition of a field."""
    is_reference = kind == "F_EntityRef"
    return {
        "identifier": name, "doc": None, "__type": shown_type, "uid": number, "type": kind, "isArray": False,
        "canBeNull": True, "arrayMinLength": None, "arrayMaxLength": None,
        "editorDisplayMode": "RefLinkBetweenCenters" if is_reference else "Hidden", "editorDisplayScale": 1,
        "editorDisplayPos": "Above", "editorLinkStyle": "ZigZag", "editorDisplayColor": None,
        "editorAlwaysShow": False, "editorShowInWorld": False, "editorCutLongValues": True, "editorTextSuffix": None,
        "editorTextPrefix": None, "useForSmartColor": False, "exportToToc": False, "searchable": False, "min": None,
        "max": None, "regex": None, "acceptFileTypes": None, "defaultOverride": None, "textLanguageMode": None,
        "symmetricalRef": is_reference, "autoChainRef": False, "allowOutOfLevelRef": False,
        "allowedRefs": "OnlySame" if is_reference else "Any", "allowedRefsEntityUid": None, "allowedRefTags": [],
        "tilesetUid": None,
    }  # fmt: skip


def _project(definitions: _Definitions, levels: list[dict[str, Any]]) -> dict[str, Any]:
    header = {"fileType": "LDtk Project JSON", "app": "LDtk", "doc": "https://ldtk.io/json", "appVersion": VERSION}
    return {
        "__header__": header, "iid": _identifier("project"), "jsonVersion": VERSION, "appBuildId": 0,
        "nextUid": 100_000, "identifierStyle": "Free", "toc": [], "worldLayout": "Free", "worldGridWidth": 256,
        "worldGridHeight": 256, "defaultLevelWidth": 256, "defaultLevelHeight": 256, "defaultPivotX": 0,
        "defaultPivotY": 0,
        "defaultGridSize": SIDE, "defaultEntityWidth": SIDE, "defaultEntityHeight": SIDE, "bgColor": "#40465B",
        "defaultLevelBgColor": "#696A79", "minifyJson": False, "externalLevels": False, "exportTiled": False,
        "simplifiedExport": False, "imageExportMode": "None", "exportLevelBg": True, "pngFilePattern": None,
        "backupOnSave": False, "backupLimit": 10, "backupRelPath": None, "levelNamePattern": "Map_%idx",
        "tutorialDesc": None, "customCommands": [], "flags": [], "defs": definitions.described(), "levels": levels,
        "worlds": [], "dummyWorldIid": WORLD,
    }  # fmt: skip


def _level(found: GameMap, grid: Grid, form: Form, definitions: _Definitions, number: int, left: int) -> dict[str, Any]:
    rows, columns = grid.shape
    about = {"game": found.game, "seed": found.seed, "properties": dict(grid.properties)}
    text = json.dumps(about)
    entities = [_entity(grid, form, definitions, number, index) for index in range(len(grid.things))]
    layers = [_layer(ENTITIES, "Entities", grid, definitions, number, [], entities)]
    for name in reversed(list(form.layers)):
        numbers = to_numbers(grid.layers[name], form.layers[name]).reshape(-1).tolist()
        layers.append(_layer(name, "IntGrid", grid, definitions, number, numbers, []))
    return {
        "identifier": f"Map_{number}", "iid": _identifier("level", number), "uid": 1000 + number, "worldX": left,
        "worldY": 0, "worldDepth": 0, "pxWid": columns * SIDE, "pxHei": rows * SIDE, "__bgColor": "#696A79",
        "bgColor": None, "useAutoIdentifier": True, "bgRelPath": None, "bgPos": None, "bgPivotX": 0.5, "bgPivotY": 0.5,
        "__smartColor": "#ADADB5", "__bgPos": None, "externalRelPath": None,
        "fieldInstances": [_value(FIELD, "String", text, definitions.field, {"id": "V_String", "params": [text]})],
        "layerInstances": layers, "__neighbours": [],
    }  # fmt: skip


def _layer(
    name: str, kind: str, grid: Grid, definitions: _Definitions, number: int, cells: list[int], entities: list[Any]
) -> dict[str, Any]:
    rows, columns = grid.shape
    return {
        "__identifier": _name(name), "__type": kind, "__cWid": columns, "__cHei": rows, "__gridSize": SIDE,
        "__opacity": 1, "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 0, "__tilesetDefUid": None,
        "__tilesetRelPath": None, "iid": _identifier("layer", number, name), "levelId": 1000 + number,
        "layerDefUid": definitions.layers[name], "pxOffsetX": 0, "pxOffsetY": 0, "visible": True, "optionalRules": [],
        "intGridCsv": cells, "autoLayerTiles": [], "seed": 0, "overrideTilesetUid": None, "gridTiles": [],
        "entityInstances": entities,
    }  # fmt: skip


def _entity(grid: Grid, form: Form, definitions: _Definitions, number: int, index: int) -> dict[str, Any]:
    thing = grid.things[index]
    fields = []
    if thing.target is not None:
        other = _identifier("entity", number, thing.target)
        place = {"layerIid": _identifier("layer", number, ENTITIES), "levelIid": _identifier("level", number)}
        reference = {"entityIid": other, **place, "worldIid": WORLD}
        raw = {"id": "V_String", "params": [other]}
        fields.append(_value(TARGET, "EntityRef", reference, definitions.targets[thing.kind], raw))
    return {
        "__identifier": _name(thing.kind), "__grid": [thing.column, thing.row], "__pivot": [0, 0],
        "__tags": [form.kind(thing.kind).group], "__tile": None, "__smartColor": form.kind(thing.kind).colour,
        "iid": _identifier("entity", number, index), "width": SIDE, "height": SIDE,
        "defUid": definitions.kinds[thing.kind], "px": [thing.column * SIDE, thing.row * SIDE],
        "fieldInstances": fields,
    }  # fmt: skip


def _value(name: str, kind: str, value: Any, definition: int, raw: Any) -> dict[str, Any]:
    about = {"__identifier": name, "__type": kind, "__value": value, "__tile": None}
    return {**about, "defUid": definition, "realEditorValues": [raw]}


# ---------------------------------------------------------------- reading


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    project = JsonReader(read_json(data, said), said)
    if not project.has("jsonVersion") or not project.has("defs"):
        project.refuse("this is no project of LDtk")
    if project.has("externalLevels") and project.at("externalLevels").value:
        project.at("externalLevels").refuse("levels are in files of their own; in LDtk save them in the project")
    return [_read_level(level, game) for level in project.list("levels")]


def _read_level(level: JsonReader, game: str) -> GameMap:
    about = _said(level)
    game, form = game_and_form(about.get("game"), level.called, game)
    cells: dict[str, Array] = {}
    entities: list[JsonReader] = []
    names = {_name(name): name for name in form.layers}
    for layer in level.list("layerInstances"):
        name, kind = layer.text("__identifier"), layer.text("__type")
        if kind == "Entities":
            entities += layer.list("entityInstances")
        elif kind == "IntGrid" and name in names and names[name] not in cells:
            cells[names[name]] = _cells(layer, form, names[name])
        else:
            layer.refuse(f"a layer '{shown(name)}' of the type {shown(kind)} is none of {', '.join(names)}, {ENTITIES}")
    seed, properties = about.get("seed"), about.get("properties", {})
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**64):
        level.refuse(f"its seed must be a whole number, not {shown(seed)}")
    if not isinstance(properties, dict) or not all(type(value) in (bool, int, str) for value in properties.values()):
        level.refuse("its properties must be texts, whole numbers, true or false")
    try:
        source = form.source_of(Grid(cells, _things(entities, form, level), properties))
    except BadInput as error:
        level.refuse(str(error))
    return GameMap(game, source, seed=seed)


def _said(level: JsonReader) -> dict[str, Any]:
    """What the field of a level says besides cells and things."""
    for field in level.list("fieldInstances") if level.has("fieldInstances") else []:
        if field.text("__identifier") == FIELD and field.at("__value").value is not None:
            about = read_json(field.text("__value").encode("utf-8", "replace"), f"{level.called}.{FIELD}")
            if not isinstance(about, dict):
                field.refuse("it must be an object with game, seed and properties")
            return about
    return {}


def _cells(layer: JsonReader, form: Form, name: str) -> Array:
    rows, columns = layer.whole("__cHei", 1, MOST_CELLS), layer.whole("__cWid", 1, MOST_CELLS)
    numbers = layer.list("intGridCsv")
    if len(numbers) != rows * columns:
        layer.refuse(f"it has {len(numbers):,} cells; {rows} rows of {columns} have {rows * columns:,}")
    values = []
    for index, number in enumerate(numbers):
        value = from_number(number.as_whole(0, 2**31), form.layers[name])
        if value < 0:
            row, column = divmod(index, columns)
            number.refuse(f"row {row + 1}, column {column + 1}: {number.value} cannot stand on the layer '{name}'")
        values.append(value)
    return np.array(values, np.int16).reshape(rows, columns)


def _things(entities: list[JsonReader], form: Form, level: JsonReader) -> tuple[Thing, ...]:
    if len(entities) > MOST_THINGS:
        level.refuse(f"there are {len(entities):,} entities; at most {MOST_THINGS:,} are read")
    number = {entity.text("iid"): index for index, entity in enumerate(entities)}
    if len(number) != len(entities):
        level.refuse("two entities have the same iid")
    names = {_name(kind.name): kind.name for kind in form.kinds}
    things = []
    for entity in entities:
        name, place = entity.text("__identifier"), entity.list("__grid")
        if name not in names or len(place) != 2:
            entity.refuse(f"'{shown(name)}' is none of {', '.join(names)}, or has no place")
        column, row = (side.as_whole(-1, MOST_CELLS) for side in place)
        target = _target(entity)
        if target is not None and target not in number:
            entity.refuse("its target is not in this level")
        things.append(Thing(names[name], row, column, None if target is None else number[target]))
    return tuple(things)


def _target(each: JsonReader) -> str | None:
    for field in each.list("fieldInstances") if each.has("fieldInstances") else []:
        if field.text("__identifier") == TARGET and field.at("__value").value is not None:
            return field.at("__value").text("entityIid")
    return None
