"""Unit by unit: any game with joint moves as one in which the units that a seat moves decide one after another.

A joint move is one number, its digits the pieces of the units, the first unit's most significant. Alpha-beta wants
such moves; tree search and nets would rather decide for one unit at a time, with fewer moves to choose from and with
those before it known. The derived game runs the rules of the joint one as they stand. Its Board holds the joint game's
as `joint`. Its State is the joint one and what is open of a move: `decided`, how many units have chosen, and `chosen`,
the number that their pieces make. A State that has these two fields already keeps it there, and the game's words for
people and its hash may look at them; a joint move leaves them 0.
"""

from __future__ import annotations

import dataclasses
import html
import re
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.rng import GOLDEN, mix
from turnsmith.contract.game import Game, Rule, shown_from
from turnsmith.contract.records import board_record, record

OPEN = ("decided", "chosen")
_AS_IT_IS = (
    *("name", "doc", "home", "source", "genes", "gene_values", "with_genes"),
    *("winner", "arrows", "seat_colors", "seat_fields", "seat_values", "history", "unobserved", "by_hand"),
)
_ARGUMENTS = {
    **dict.fromkeys(("roles", "feature_names", "plane_names", "plane_shape"), 1),
    **dict.fromkeys(("setup", "to_move", "ending", "remark", "json_state"), 2),
    **dict.fromkeys(("returns", "weights", "sample", "evaluate", "refusal", "shorthand"), 3),
    **dict.fromkeys(("resample", "believe", "reveal", "features", "planes"), 4),
}
"""The functions of the joint game that are asked with its board, and how many arguments they have."""
_OF_JOINT_MOVES = ("refusal", "shorthand")
"""What makes sense of people's words: only where the game knows of moves that are open."""
_CLICK = re.compile(r"""\sdata-word=(["'])(.*?)\1""", re.DOTALL)


def unitwise(game: Game) -> Game:
    """The same game, in which the units that a seat moves decide one after another."""
    if game.joint is not None:
        return game
    if game.units is None:
        raise BadInput(
            f"{game.name} has no joint moves to split; write units and radix (docs/reference/contract.md says how)"
        )
    fields = {name: kind for name, (kind, *_) in (game.State.fields or {}).items() if not name.startswith("_")}
    knows = set(OPEN) <= set(fields)
    if not knows:
        if set(OPEN) & set(fields):
            raise BadInput(f"{game.name}: its State has one of the fields {' and '.join(OPEN)}; it needs both, or none")
        fields |= {"decided": np.dtype(np.int64), "chosen": np.dtype(np.int64)}
    state = game.State if knows else record(**{name: (kind.base, kind.shape) for name, kind in fields.items()})
    options = game.options
    if hasattr(options, "moves"):
        options = dataclasses.replace(options, moves="unit")
    parts = {name: getattr(game, name) for name in _AS_IT_IS}
    parts |= {name: _on_joint(rule, _ARGUMENTS[name]) for name, rule in _passed_on(game, knows).items()}
    parts |= {**_boards(game), **_moves(game, knows), **_hidden(game), **_for_people(game)}
    return Game(options=options, joint=game, State=state, **parts)


def _passed_on(game: Game, knows: bool) -> dict[str, Rule]:
    """The functions that need no more than the joint game's board, of those that the game has."""
    left_out: tuple[str, ...] = () if knows else _OF_JOINT_MOVES
    if not _has_weights(game):
        left_out += ("believe", "reveal")  # the worlds would find no room, see _boards
    found = {name: getattr(game, name) for name in _ARGUMENTS if name not in left_out}
    return {name: rule for name, rule in found.items() if rule is not None and rule is not getattr(Game, name, None)}


def _on_joint(rule: Rule, arguments: int) -> Rule:
    """A function of the joint game, asked with a board that holds the joint one's."""

    def one(board):
        return rule(board.joint)

    def two(board, state):
        return rule(board.joint, state)

    def three(board, state, third):
        return rule(board.joint, state, third)

    def four(board, state, third, fourth):
        return rule(board.joint, state, third, fourth)

    return (one, two, three, four)[arguments - 1]


# ---------------------------------------------------------------- boards


def _has_weights(game: Game) -> bool:
    return game.weights is not Game.weights


def boards_around(Board: np.dtype[Any], radix: Rule, believes: bool, boards: Array) -> Array:
    """Boards of a game unit by unit, of this type, from those of the joint one."""
    found = np.zeros(len(boards), Board)
    found["joint"] = boards
    for name in board_record().names or ():
        found[name] = boards[name]
    found["actions"] = [radix(board) for board in boards]
    if believes:  # lists of worlds are as long as lists of outcomes may be
        found["outcomes"] = np.maximum(boards["actions"], boards["outcomes"])
    return found


def _boards(game: Game) -> dict[str, Any]:
    tables, draw_boards, sources_of, radix = game.tables, game.draw_boards, game.sources_of, game.radix
    believes = game.believes and _has_weights(game)
    header = board_record()
    Board = np.dtype((np.record, [*((name, header[name]) for name in header.names or ()), ("joint", game.Board)]))
    assert radix is not None

    def around(boards: Array) -> Array:
        return boards_around(Board, radix, believes, boards)

    parts: dict[str, Any] = {"Board": Board, "tables": lambda source: around(tables(source))}
    if draw_boards is not None and sources_of is not None:
        parts["draw_boards"] = lambda options, seeds: around(draw_boards(options, seeds))
        parts["sources_of"] = lambda boards: sources_of(np.ascontiguousarray(boards["joint"]))
    return parts


# ---------------------------------------------------------------- moves


def _pieces(game: Game) -> Rule:
    """What lists the pieces of the next unit: the game's own `pieces`, or one that reads them off the joint moves."""
    joint_moves, units, radix = game.legal, game.units, game.radix
    assert units is not None
    assert radix is not None

    def read_off(board, state, decided, chosen, out):
        moves = np.empty(board.actions, np.int32)
        count = joint_moves(board, state, moves)
        base = np.int64(radix(board))
        place = np.int64(1)  # what a piece of this unit counts in the number of a joint move
        for _ in range(units(board, state) - decided - 1):
            place *= base
        listed = 0
        for index in range(count):
            begun = np.int64(moves[index]) // place
            piece = begun % base
            if begun // base == chosen and (listed == 0 or out[listed - 1] != piece):
                out[listed] = piece
                listed += 1
        return listed

    return game.pieces or read_off


def _moves(game: Game, knows: bool) -> dict[str, Rule]:
    """Who has decided what, and the joint move when all have."""
    units, radix, pieces, pick_piece = game.units, game.radix, _pieces(game), game.pick_piece
    to_move, joint_moves, make_joint_move, joint_hash = game.to_move, game.legal, game.apply, game.hash
    assert units is not None
    assert radix is not None

    def legal(board, state, out):
        if to_move(board.joint, state) < 0:
            return np.int64(joint_moves(board.joint, state, out))
        return np.int64(pieces(board.joint, state, np.int64(state.decided), np.int64(state.chosen), out))

    def apply(board, state, action):
        move = np.int64(state.chosen) * np.int64(radix(board.joint)) + np.int64(action)
        if state.decided + 1 < units(board.joint, state):
            state.decided += 1
            state.chosen = move
        else:
            state.decided = 0
            state.chosen = 0
            make_joint_move(board.joint, state, move)

    def pick(board, state, rng):
        return pick_piece(board.joint, state, np.int64(state.decided), np.int64(state.chosen), rng)

    def hash(board, state):
        opened = np.uint64(state.chosen) * np.uint64(64) + np.uint64(state.decided)
        return mix(joint_hash(board.joint, state) ^ (opened * GOLDEN))

    found: dict[str, Rule] = {"legal": legal, "apply": apply}
    if pick_piece is not None:
        found["pick"] = pick
    if joint_hash is not Game.hash:  # which takes all bytes, the open move's too
        found["hash"] = _on_joint(joint_hash, 2) if knows else hash
    return found


def _hidden(game: Game) -> dict[str, Rule]:
    """An open move is its mover's secret where a game has secrets, and undone where commitments are."""
    hide_in_joint, rewind_in_joint, to_move = game.hide, game.rewind, game.to_move

    def hide(board, state, viewer):
        if to_move(board.joint, state) != viewer:
            state.decided = 0
            state.chosen = 0
        hide_in_joint(board.joint, state, viewer)

    def rewind(board, state):
        state.decided = 0
        state.chosen = 0
        rewind_in_joint(board.joint, state)

    return {**({"hide": hide} if game.hides else {}), **({"rewind": rewind} if game.rewinds else {})}


# ---------------------------------------------------------------- for people


def _for_people(game: Game) -> dict[str, Rule]:
    """A unit's words are those of its piece of any joint move that begins so; only those can be clicked."""
    units, radix, pieces = game.units, game.radix, _pieces(game)
    joint_words, joint_picture, joint_text, to_move = game.words, game.picture, game.text, game.to_move
    assert units is not None
    assert radix is not None

    def words(board: Any, state: Any, action: int) -> str:
        count = int(units(board.joint, state))
        if to_move(board.joint, state) < 0:
            return str(joint_words(board.joint, state, action))
        decided, base = int(state.decided), int(radix(board.joint))
        out, move = np.zeros(base, np.int32), int(state.chosen) * base + action
        for later in range(decided + 1, count):
            pieces(board.joint, state, later, move, out)
            move = move * base + int(out[0])
        return str(joint_words(board.joint, state, move)).split(" ")[decided]

    def picture(board: Any, state: Any, side: int | None) -> str:
        drawn = shown_from(joint_picture, board.joint, state, side)
        if to_move(board.joint, state) < 0:
            return drawn
        out = np.zeros(int(radix(board.joint)), np.int32)
        count = pieces(board.joint, state, int(state.decided), int(state.chosen), out)
        known = {words(board, state, action) for action in out[:count].tolist()}
        return _CLICK.sub(lambda found: found[0] if html.unescape(found[2]) in known else "", drawn)

    def text(board: Any, state: Any, side: int | None) -> str:
        assert joint_text is not None
        return shown_from(joint_text, board.joint, state, side)

    return {"words": words, "picture": picture, **({"text": text} if joint_text else {})}
