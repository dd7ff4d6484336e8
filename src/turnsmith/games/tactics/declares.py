"""What of Tactics can be exported."""

from __future__ import annotations

from typing import Any

from turnsmith.adapters.export import Export


def policy(game: Any, player: Any) -> Any:
    from turnsmith.games.tactics import exports

    return exports.policy_of(game, player)


def position(look: Any) -> Any:
    from turnsmith.games.tactics import exports

    return exports.position_of(look)


def text(policy: Any) -> str:
    from turnsmith.games.tactics import exports

    return exports.text_of(policy)


EXPORTS = {"matrix": Export("inputs times one matrix", policy, position, {".txt": text})}
