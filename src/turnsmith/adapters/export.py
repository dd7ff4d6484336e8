"""Players as files for other engines: a game declares what can be exported, the ending of the file says as what.

A game says ``EXPORTS = {"matrix": Export(...)}`` in its ``exports.py``, or in its one file, by the name of a player.
To declare is cheap: whatever is heavy is imported inside. Beside the file stand golden vectors, by which a port can be
proven, and for a language its own program that replays them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsmith.common.errors import BadInput, suggestion
from turnsmith.common.files import write_folder

if TYPE_CHECKING:
    from turnsmith.adapters.golden import Vectors
    from turnsmith.contract.game import Game
    from turnsmith.nets.linear_policy import LinearPolicy, WinRate
    from turnsmith.play.player import Player
    from turnsmith.play.position import PositionView

Files = dict[str, str | bytes]
"""Contents by name."""


@dataclass(frozen=True)
class Export:
    """How one player of a game leaves it."""

    summary: str
    """A sentence, for people."""
    policy: Callable[[Game, Player], LinearPolicy]
    """(game, player): what it decides by, its meanings and its origin."""
    position: Callable[[PositionView], Any]
    """(position as the seat to move sees it): what a port needs to compute the inputs there, as JSON holds it."""
    own: Mapping[str, Callable[[LinearPolicy], str]] = field(default_factory=dict)
    """Files of the game's own kinds, by ending."""


def exports(home: str) -> dict[str, Export]:
    """What the game of this name, or in this file, lets be exported, by the name of the player."""
    from turnsmith.contract.homes import part_of

    declared = getattr(part_of(home, "exports", "declares"), "EXPORTS", {})
    if not isinstance(declared, dict) or not all(isinstance(entry, Export) for entry in declared.values()):
        raise BadInput(f"{home}: EXPORTS must be a dict of Export by the name of a player, not {declared!r:.60}")
    return declared


# ---------------------------------------------------------------- kinds of files


def as_json(name: str, policy: LinearPolicy, vectors: Vectors) -> Files:
    from turnsmith.nets.linear_policy import json_lines

    return {f"{name}.json": json_lines(policy.document())}


def as_onnx(name: str, policy: LinearPolicy, vectors: Vectors) -> Files:
    from turnsmith.adapters import onnx_model

    return {f"{name}.onnx": onnx_model.model_bytes(policy)}


def as_csharp(name: str, policy: LinearPolicy, vectors: Vectors) -> Files:
    from turnsmith.adapters import csharp

    test = csharp.test_text(name, policy, vectors)
    return {f"{name}Test.cs": test, f"{name}.cs": csharp.class_text(name, policy)}


def as_gdscript(name: str, policy: LinearPolicy, vectors: Vectors) -> Files:
    from turnsmith.adapters import gdscript

    test = gdscript.test_text(name, policy, vectors)
    return {f"{name}_test.gd": test, f"{name}.gd": gdscript.script_text(name, policy)}


KINDS = {".cs": as_csharp, ".gd": as_gdscript, ".json": as_json, ".onnx": as_onnx}
"""By ending: (name without it, policy, vectors) -> files, the one that was asked for last."""


# ---------------------------------------------------------------- exporting


@dataclass(frozen=True)
class Exported:
    """What was written, the file that was asked for first."""

    files: tuple[Path, ...]
    policy: LinearPolicy
    vectors: int

    def document(self) -> dict[str, Any]:
        about = self.policy.document()
        parts = {key: about[key] for key in ("origin", "inputs", "actions")}
        return {"files": [str(file) for file in self.files], "golden_vectors": self.vectors, **parts}


@dataclass(frozen=True)
class WinRateMeasure:
    """Games to play for the win rate that the files tell; "" against nobody."""

    against: str = ""
    games: int = 1000
    workers: int = 1


def find(game: Game, player: Player, to: Path) -> Export:
    """The export that was declared for a player; refused if there is none, or none of this ending."""
    known = exports(game.home or game.name)
    if not known:
        raise BadInput(f"{game.name} declares nothing to export; docs/reference/contract.md says how a game does")
    if player.name not in known:
        can = "; ".join(f"{name} ({entry.summary})" for name, entry in known.items())
        raise BadInput(f"{game.name} does not export {player.name}{suggestion(player.name, known)}; it exports {can}")
    chosen = known[player.name]
    endings = sorted({*KINDS, *chosen.own})
    if to.suffix not in endings:
        raise BadInput(f"--to {to}: the ending says what to write; it must be one of {', '.join(endings)}")
    if to.suffix == ".cs":
        from turnsmith.adapters import csharp

        csharp.refuse_name(to.stem)
    return chosen


def export(
    game: Game, player: Player, to: Path, vectors: int = 240, seed: int = 1, measure: WinRateMeasure | None = None
) -> Exported:
    """Write a player to a file whose ending says as what, with golden vectors beside it; all of it or nothing."""
    from importlib.metadata import version

    from turnsmith.adapters import golden

    declared, boards = find(game, player, to), game.board(seed)
    player.check(game, boards)
    policy = declared.policy(game, player)
    policy = replace(policy, origin=replace(policy.origin, version=version("turnsmith")))
    if measure and measure.against:
        rate = measured(game, player, measure, seed)
        policy = replace(policy, origin=replace(policy.origin, winrate=rate))
    files, proof = Files(), golden.Vectors({}, [])
    if to.suffix in declared.own:
        files[to.name] = declared.own[to.suffix](policy)
    else:
        proof = golden.collect(game, player, policy, declared.position, vectors, seed)
        files[f"{to.stem}.golden.json"] = golden.json_text(policy, proof)
        files |= KINDS[to.suffix](to.stem, policy, proof)
    write_folder(to.parent, files)
    return Exported(tuple(to.parent / name for name in reversed(files)), policy, len(proof.vectors))


def measured(game: Game, player: Player, measure: WinRateMeasure, seed: int) -> WinRate:
    """The share of decided games it wins against a player, with a 95 % interval."""
    from turnsmith.arena.statistics import wilson
    from turnsmith.arena.tournament import arena
    from turnsmith.nets.linear_policy import WinRate
    from turnsmith.play.player import player as find_player

    opponent = find_player(measure.against, game)
    table = arena(game, [player, opponent], measure.games, seed=seed, workers=measure.workers).to_dict()
    row = table["players"][0] if table["players"][0]["name"] == repr(player) else table["players"][1]
    decided = row["games"] - row["draws"]
    if not decided:
        raise BadInput(f"all {row['games']} games against {opponent!r} are draws; there is no win rate to tell")
    rate = row["wins"] / decided
    low, high = wilson(rate, decided)
    return WinRate(rate, low, high, row["games"], row["draws"], repr(opponent), seed)
