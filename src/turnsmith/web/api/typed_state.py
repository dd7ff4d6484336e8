"""A position as typed JSON, for engines that draw it themselves: a game's own description, or the fields of its State.

It is made of a look that has been through the game's `hide`, like everything that leaves the server.
"""

from __future__ import annotations

import dataclasses
import typing
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import ConfigDict, create_model

from turnsmith.contract.game import Game
from turnsmith.play.position import PositionView


def state_of(look: PositionView) -> dict[str, Any]:
    """What is to be seen, as ``schema_of`` the game describes it."""
    if look.game.json_state is not None:
        return dataclasses.asdict(look.game.json_state(look.board, look.state))
    record = look.state
    return {name: _number(np.asarray(record[name])) for name in _names(look.game)}


@lru_cache(maxsize=64)
def schema_of(game: Game) -> dict[str, Any]:
    """The JSON Schema of what ``state_of`` gives."""
    if game.json_state is not None:
        kind = typing.get_type_hints((game.joint or game).json_state)["return"]  # `turnsmith check` asks for it
        described: Any = {"state": (kind, ...), "__config__": ConfigDict(use_attribute_docstrings=True)}
        schema = create_model("Described", **described).model_json_schema()
        return {**schema["properties"]["state"], "$defs": schema["$defs"]}
    kinds = {name: game.State[name] for name in _names(game)}
    head = {"title": f"State of {game.name}", "type": "object", "required": list(kinds), "additionalProperties": False}
    return {**head, "properties": {name: _schema(kind) for name, kind in kinds.items()}}


def _names(game: Game) -> list[str]:
    return [name for name in game.State.names or () if not name.startswith("_")]


def _schema(kind: np.dtype[Any]) -> dict[str, Any]:
    """Of one field: arrays have a fixed length, numbers the range of their type."""
    schema: dict[str, Any]
    if kind.base == np.uint64:
        schema = {"type": "string", "format": "uint64", "pattern": "^[0-9]+$"}
    elif kind.base.kind == "f":
        schema = {"type": "number"}
    elif kind.base == np.int64:
        schema = {"type": "integer"}
    else:
        limits = np.iinfo(kind.base)
        schema = {"type": "integer", "minimum": int(limits.min), "maximum": int(limits.max)}
    for length in reversed(kind.shape):
        schema = {"type": "array", "items": schema, "minItems": length, "maxItems": length}
    return schema


def _number(value: np.ndarray[Any, np.dtype[Any]]) -> Any:
    """A field as JSON. Sets of 64 bits are decimal texts: most programs read numbers of JSON as doubles."""
    return (value.astype(str) if value.dtype == np.uint64 else value).tolist()
