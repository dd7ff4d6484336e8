"""The contract: what a game is. Read this first.

A game is one Python file (or a folder, see ``games/``) with two record types and a handful of plain functions.
``Board`` is what never changes during a game, ``State`` is what does. The functions below are written once, in
plain Python over NumPy records, and are run interpreted by the checks and compiled by everything else.

In every signature `board` and `state` are one record each, `out` is an array the caller owns, `rng` is a uint64[1]
stream of ``turnsmith.rng``. A seat is 0, 1, …; ``CHANCE`` moves where chance decides and ``OVER`` has no moves.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import importlib.util
import inspect
import json
import math
import re
import sys
import typing
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.digest import digest, with_files
from turnsmith.games import built_in, games
from turnsmith.installed import modules
from turnsmith.kernel import bundle_type, word, words_in
from turnsmith.languages import add_beside
from turnsmith.outcome import COST, HIGHEST, SCORE, Goal
from turnsmith.rng import mix
from turnsmith.texts import BadInput, build, one_line, parse, parsing, show, suggestion

if TYPE_CHECKING:
    from turnsmith.position import Position

CHANCE = -1
OVER = -2
MOST_SEATS = 256
MOST_ACTIONS = 1 << 24
"""Of a board, actions or outcomes: every loop keeps lists of that length."""
OPENSPIEL = "openspiel:"
"""What stands before the name of a game of OpenSpiel, which is not written in our way."""
UNIT_MOVES = "moves=unit"
"""The setting with which a game of joint moves is played unit by unit."""

Array = np.ndarray[Any, np.dtype[Any]]
Rule = Callable[..., Any]

# ---------------------------------------------------------------- records

_RESERVED = set(dir(np.recarray)) | set(dir(np.record))  # state.size would be the record's own size, not your field


def _is_reserved(name: str) -> bool:
    return name in _RESERVED or name.startswith("_")


def _reserved_in(caller: FrameType | None, names: list[str]) -> str:
    """The names that no field can have, all of the file that makes a record, with their lines; of `names` at least."""
    while caller is not None and caller.f_code.co_filename == __file__:
        caller = caller.f_back
    file = Path(caller.f_code.co_filename if caller is not None else "")
    lines = {name: 0 for name in names if _is_reserved(name)}
    with suppress(OSError, SyntaxError, ValueError), parsing:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("record"):
                lines |= {each.arg: each.lineno for each in node.keywords if each.arg and _is_reserved(each.arg)}
    in_order = sorted(lines.items(), key=itemgetter(1))
    told = [f"'{name}' (line {line})" if line else f"'{name}'" for name, line in in_order]
    return (f"{file.name}: " if any(lines.values()) else "") + f"no field can be called {', '.join(told)}"


def record(**fields: Any) -> np.dtype[Any]:
    """A record type: ``record(stones=(np.uint64, 2), ply=np.int64)``. Zeroed, aligned, a multiple of 8 bytes.

    >>> record(size=np.int64, ply=np.int64, flat=np.int8)
    Traceback (most recent call last):
    turnsmith.texts.BadInput: no field can be called 'size', 'flat': NumPy records own these names; choose others
    """
    if any(map(_is_reserved, fields)):
        raise BadInput(f"{_reserved_in(sys._getframe(1), list(fields))}: NumPy records own these names; choose others")
    described = []
    for name, kind in fields.items():
        scalar, shape = kind if isinstance(kind, tuple) else (kind, ())
        try:
            kind = np.dtype((scalar, shape))
        except (TypeError, ValueError) as error:
            raise BadInput(f"field '{name}': {error}; write a NumPy type, or (type, length)") from None
        if kind.base == np.bool_:
            raise BadInput(f"field '{name}': bool fields do not compile; use np.int8")
        if kind.base.kind not in "iuf":
            raise BadInput(f"field '{name}': {kind.base} does not compile; use whole or floating-point numbers")
        described.append((name, np.dtype(scalar), shape))
    aligned: dict[str, Any] = dict(np.dtype(described, align=True).fields or {})
    whole: list[tuple[str, Any, Any]] = []  # NumPy copies only fields, so what is between them must be fields too
    end = 0
    for name, kind, shape in described:
        if aligned[name][1] > end:
            whole.append((f"_gap{end}", np.dtype(np.uint8), (aligned[name][1] - end,)))
        whole.append((name, kind, shape))
        end = aligned[name][1] + aligned[name][0].itemsize
    if end % 8:
        whole.append((f"_gap{end}", np.dtype(np.uint8), (8 - end % 8,)))
    return np.dtype((np.record, whole))


def board_record(**fields: Any) -> np.dtype[Any]:
    """A record type for boards: it begins with what every loop needs to know of a game.

    seats: how many; actions: one more than the largest action number; outcomes: the same for chance moves;
    low, high: the least and the greatest return.

    >>> board_record(seats=np.int64)
    Traceback (most recent call last):
    turnsmith.texts.BadInput: every board has 'seats' already; leave it out
    """
    taken = [name for name in fields if name in _HEADER]
    if taken:
        raise BadInput(f"every board has {', '.join(map(repr, taken))} already; leave it out")
    return record(**_HEADER, **fields)


def new_board(
    kind: np.dtype[Any],
    seats: int,
    actions: int,
    outcomes: int = 0,
    low: float = -1.0,
    high: float = 1.0,
    **fields: Any,
) -> Array:
    """An array of one board of this record type, with its header and other fields filled: what ``tables`` returns."""
    boards = np.zeros(1, kind)
    for name, value in {"seats": seats, "actions": actions, "outcomes": outcomes, "low": low, "high": high}.items():
        boards[name] = value
    for name, value in fields.items():
        boards[0][name] = value
    return boards


_HEADER = {"seats": np.int64, "actions": np.int64, "outcomes": np.int64, "low": np.float64, "high": np.float64}


# ---------------------------------------------------------------- defaults of the optional functions


def _options_as_source(options: Any, seed: int) -> dict[str, Any]:
    return {} if options is None else dataclasses.asdict(options)


def _zeroed(board: Any, state: Any) -> None:
    pass


def _no_weights(board: Any, state: Any, out: Any) -> None:
    pass


def _no_draw(board: Any, state: Any, rng: Any) -> int:
    return -1


def _no_win(board: Any, state: Any) -> int:
    return -1


def _see_all(board: Any, state: Any, viewer: int) -> None:
    pass


def _nothing_hidden(board: Any, view: Any, viewer: int, rng: Any) -> None:
    pass


def _one_world(board: Any, view: Any, viewer: int, out: Any) -> int:
    return 0


def _no_reveal(board: Any, view: Any, viewer: int, world: int) -> None:
    pass


def _no_rewind(board: Any, state: Any) -> None:
    pass


def _no_evaluation(board: Any, state: Any, out: Any) -> None:
    """Every seat in the middle of the range: a search without ``evaluate`` knows only finished games."""
    for seat in range(board.seats):
        out[seat] = (board.low + board.high) / 2


def hash_bytes(board: Any, state: Any) -> Any:
    from_zero = np.uint64(0)
    for index in range(words_in(state)):
        from_zero = mix(from_zero ^ word(state, index))
    return from_zero


def _no_observation(board: Any, view: Any, viewer: int, out: Any) -> None:
    pass


def _one_symmetry(board: Any) -> int:
    return 1


def _no_reflection(board: Any, state: Any, symmetry: int, out: Any) -> None:
    pass


def _same_action(board: Any, state: Any, symmetry: int, action: int) -> int:
    return action


def _no_ending(board: Any, state: Any) -> str:
    return "over"


# ---------------------------------------------------------------- the game

COMPILED = (
    *("Board", "State", "setup", "to_move", "legal", "apply", "returns", "weights", "sample", "pick", "win"),
    *("hide", "resample", "believe", "reveal", "rewind", "evaluate", "hash", "features", "planes"),
    *("symmetries", "reflect", "reflect_action"),
)
"""What compiled code sees of a game, besides its flags."""


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A game with its options chosen. Compiled code sees every field that is a function, a dtype or a flag."""

    name: str
    options: Any
    Board: np.dtype[Any]
    State: np.dtype[Any]

    tables: Rule
    """(source) -> array of one Board. Python; refuses bad descriptions with the reason."""
    to_move: Rule
    """(board, state) -> a seat, CHANCE or OVER."""
    legal: Rule
    """(board, state, out int32) -> n: the legal action numbers (or outcomes) ascending; the only word on legality."""
    apply: Rule
    """(board, state, action): in place, deterministic, unchecked."""
    returns: Rule
    """(board, state, out float64): one number a seat, within board.low..board.high."""
    words: Rule
    """(board, state, action) -> str: space-separated pieces; no action's words begin another's. Python."""
    picture: Rule
    """(board, state) -> SVG with a ``data-word`` on each clickable part; (board, state, side) where it is
    drawn from a seat's side, see ``shown_from``. Python; works on views."""

    source: Rule = _options_as_source
    """(options, seed) -> a small JSON-able description of one board. Python."""
    setup: Rule = _zeroed
    """(board, state): the first position into a zeroed state. Deterministic: chance is a move of CHANCE."""
    weights: Rule = _no_weights
    """(board, state, out float64): the probabilities of the listed outcomes. Needed when CHANCE moves."""
    sample: Rule = _no_draw
    """(board, state, rng) -> outcome: as `weights` says, without listing."""
    pick: Rule = _no_draw
    """(board, state, rng) -> action: uniform over `legal`, without listing."""
    win: Rule = _no_win
    """(board, state) -> the least action that ends the game with `board.high` for the seat to move, or -1; playouts
    would else have to try them all."""
    hide: Rule = _see_all
    """(board, state, viewer): blank in place what the viewer may not see, and whatever follows from it."""
    resample: Rule = _nothing_hidden
    """(board, view, viewer, rng): fill the blanks in place with a random possible world."""
    believe: Rule = _one_world
    """(board, view, viewer, out int32) -> n: all possible worlds as numbers, equally likely, for `reveal`; `out` has
    room for max(board.actions, board.outcomes) of them."""
    reveal: Rule = _no_reveal
    """(board, view, viewer, world): fill the blanks in place with this world."""
    rewind: Rule = _no_rewind
    """(board, state): undo the hidden commitments of a simultaneous round, back to the round's start."""
    evaluate: Rule = _no_evaluation
    """(board, state, out float64): a guess of `returns` before the end."""
    hash: Rule = hash_bytes
    """(board, state) -> uint64: equal for states that are the same to play on."""

    features: Rule = _no_observation
    """(board, view, viewer, out float32): numbers for learners, one a name of `feature_names`, as `viewer` sees it."""
    feature_names: Rule | None = None
    """(board) -> one name a feature. Python."""
    planes: Rule = _no_observation
    """(board, view, viewer, out uint8): pictures for learners, planes × height × width, as `viewer` sees them."""
    plane_names: Rule | None = None
    """(board) -> one name a plane. Python."""
    plane_shape: Rule | None = None
    """(board) -> height and width of a plane. Python."""
    symmetries: Rule = _one_symmetry
    """(board) -> in how many ways a position may be turned and mirrored and stay the same to play, itself among them;
    learners see every position in all of these. Compiled."""
    reflect: Rule = _no_reflection
    """(board, state, symmetry, out): the position as it looks by symmetry 1, 2, …, into a record. Compiled; works on
    views."""
    reflect_action: Rule = _same_action
    """(board, state, symmetry, action) -> what an action of this state, or an outcome of chance, is there. Compiled."""
    seat_fields: tuple[str, ...] = ()
    """The fields of the State that have one number a seat. With `seat_values` it says that the game is seen the same
    from every seat: what learners read off the record is then turned to the viewer."""
    seat_values: tuple[str, ...] = ()
    """The fields of the State whose numbers are seats."""

    units: Rule | None = None
    """(board, state) -> how many units the move is for, where moves are joint ones; 1 where chance moves. An action is
    then a number to the base `radix` with a digit a unit, the first unit's most significant: ``unitwise``
    makes a game of it in which they decide one after another. Compiled."""
    radix: Rule | None = None
    """(board) -> how many pieces of a move a unit may have. Compiled; goes with `units`."""
    pieces: Rule | None = None
    """(board, state, decided, chosen, out int32) -> n: the pieces, ascending, with which the next unit may go on when
    `decided` units have chosen and their pieces make the number `chosen`; faster than listing joint moves. Compiled."""
    pick_piece: Rule | None = None
    """(board, state, decided, chosen, rng) -> piece: uniform over `pieces`, without listing. Compiled."""
    joint: Game | None = None
    """The game whose joint moves this one splits, see ``unitwise``."""

    genes: Rule | None = None
    """(source) -> int array: a board as whole numbers, for what makes maps by evolution and taste. Python."""
    gene_values: Rule | None = None
    """(source) -> int array, one a gene: how many values it has, counted from 0. Python."""
    with_genes: Rule | None = None
    """(source, genes) -> the source with these genes, repaired where nobody could play on it. Python."""

    draw_boards: Rule | None = None
    """(options, seeds uint64) -> array of Boards: what `tables` makes of the `source` of each seed, all at once. For
    games whose boards all differ, so that a tournament need not wait for them. Python."""
    sources_of: Rule | None = None
    """(boards) -> list of the descriptions that `tables` would make them from; goes with `draw_boards`. Python."""
    winner: str | Rule = HIGHEST
    """Who wins: the "highest" return; nobody, returns being a "score" or a "cost"; or (returns) -> the seats that won.
    Python."""
    roles: Rule | None = None
    """(board) -> a name a seat: seats of one name play the same role. The same on all boards of a game. Python."""
    ending: Rule = _no_ending
    """(board, state) -> str: why it ended. Python."""
    refusal: Rule | None = None
    """(board, state, text) -> str | None: why a person's words are no move here, in the game's own terms. Python."""
    shorthand: Rule | None = None
    """(board, state, text) -> str: the words a person's short form stands for, or the text as it is. Python."""
    text: Rule | None = None
    """(board, state) -> str: the position for a terminal, in rich markup. Python; works on views."""
    tip: Rule | None = None
    """(board, state, action) -> str: what a person may be told of a move before it is made, in a few signs, such as
    the odds of an attack; "" for nothing. Python; works on views."""
    overlay: Rule | None = None
    """(board, state, action) -> str: parts of SVG drawn upon the picture while a person points at a move, such as
    a line of fire; "" for nothing. Python; works on views."""
    draft: Rule | None = None
    """(board, state, pieces) -> str: parts of SVG drawn upon the picture while a person builds a move, for the pieces
    chosen so far, such as pegs in a row; "" for nothing. Python; works on views."""
    roll: Rule | None = None
    """(board, state, outcome) -> rows of dice, each (seat, faces), that an outcome of chance shows; none where it is no
    roll. The same whenever one asks. Python; works on views."""
    tell: Rule | None = None
    """(board, moves) -> str: a line of the log for a decision and what chance made of it; `moves` are pairs of a state
    and the action there, the decision first. Python; works on views."""
    remark: Rule | None = None
    """(board, state) -> str: what the seat to move could work out from its view, for people. Python; works on views."""
    json_state: Rule | None = None
    """(board, state) -> an instance of the dataclass that its return annotation names: the position for other programs,
    of what JSON can hold. Python; works on views."""
    arrows: tuple[str, ...] = ()
    """How the pieces of a move end that the keys ↑ ← ↓ → stand for, such as ("w", "a", "s", "d")."""
    seat_colors: tuple[str, ...] = ()
    """The colours, as in CSS, in which the picture shows the seats: charts take the same."""
    lesson: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """How it is played, for people who are new to it: a few sentences, the last of them how to click, each with the
    moves, in words, that lead from the first position of seed 0 to the one that illustrates it."""
    by_hand: dict[str, str] | None = None
    """The settings with which the game is played along on a real board, everything entered by hand."""
    doc: str = ""
    home: str = ""
    """Where the game's code is: the path of a file, the name by which a package declares it, "" for our own."""
    alias: str = ""
    """The text by which the game is known where nobody need know where its code is."""

    hides: bool = field(init=False, default=False)
    samples: bool = field(init=False, default=False)
    picks: bool = field(init=False, default=False)
    wins: bool = field(init=False, default=False)
    believes: bool = field(init=False, default=False)
    rewinds: bool = field(init=False, default=False)
    evaluates: bool = field(init=False, default=False)
    gives_features: bool = field(init=False, default=False)
    gives_planes: bool = field(init=False, default=False)
    turns: bool = field(init=False, default=False)
    reflects: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        flags = {
            "hides": self.hide is not _see_all,
            "samples": self.sample is not _no_draw,
            "picks": self.pick is not _no_draw,
            "wins": self.win is not _no_win,
            "believes": self.believe is not _one_world,
            "rewinds": self.rewind is not _no_rewind,
            "evaluates": self.evaluate is not _no_evaluation,
            "gives_features": self.features is not _no_observation,
            "gives_planes": self.planes is not _no_observation,
            "turns": bool(self.seat_fields or self.seat_values),
            "reflects": self.reflect is not _no_reflection,
        }
        for name, value in flags.items():
            object.__setattr__(self, name, value)
        if self.hides and self.resample is _nothing_hidden:
            raise BadInput(
                f"{self.name} has hide but no resample; write one so that players can imagine the hidden part"
            )
        if (self.draw_boards is None) != (self.sources_of is None):
            raise BadInput(f"{self.name} has one of draw_boards and sources_of; write both, or neither")
        if self.winner not in (HIGHEST, SCORE, COST) and not _takes_one(self.winner):
            raise BadInput(
                f"{self.name}: winner must be 'highest', 'score', 'cost' or a function (returns), not {self.winner!r}"
            )
        if self.roles is not None and not _takes_one(self.roles):
            raise BadInput(
                f"{self.name}: roles must be a function (board) that gives a name a seat, not {self.roles!r}"
            )
        if self.gives_features != (self.feature_names is not None):
            raise BadInput(f"{self.name} has one of features and feature_names; write both, or neither")
        if not self.gives_planes == (self.plane_names is not None) == (self.plane_shape is not None):
            raise BadInput(f"{self.name} has some of planes, plane_names and plane_shape; write all three, or none")
        if len({self.genes is None, self.gene_values is None, self.with_genes is None}) > 1:
            raise BadInput(f"{self.name} has some of genes, gene_values and with_genes; write all three, or none")
        parts = (self.symmetries is _one_symmetry, not self.reflects, self.reflect_action is _same_action)
        if len(set(parts)) > 1:
            raise BadInput(f"{self.name} has some of symmetries, reflect and reflect_action; write all three, or none")
        if (self.units is None) != (self.radix is None):
            raise BadInput(f"{self.name} has one of units and radix; write both, or neither")
        if self.units is None and (self.pieces is not None or self.pick_piece is not None):
            raise BadInput(f"{self.name} has pieces of joint moves but no units and radix; write both")
        for name in (*self.seat_fields, *self.seat_values):
            if name not in (self.State.names or ()):
                raise BadInput(f"{self.name}: '{name}' of seat_fields or seat_values is no field of its State")

    @cached_property
    def _numba_type_(self) -> Any:
        flags = [f.name for f in dataclasses.fields(self) if not f.init]
        name = self.name.partition("_")[0] if self.home.startswith(OPENSPIEL) else self.name  # one code for all of them
        return bundle_type(name, {n: getattr(self, n) for n in [*COMPILED, *flags]})

    @cached_property
    def digest(self) -> str:
        """Changes when a rule changes, or what makes the boards, or anything these reach, files by their content."""
        makers = (self.source, self.tables, self.draw_boards, self.sources_of)
        return digest(self._numba_type_.name, *makers, self.options and with_files(self.options))

    @property
    def text_name(self) -> str:
        """What the game is called with its options: the text that loads it again, unless it has an alias."""
        return self.alias or self.loads_by

    @property
    def loads_by(self) -> str:
        """The text that loads this game again, in any process."""
        text = show(self.home or self.name, self.options) if self.options is not None else (self.home or self.name)
        if self.joint is None or hasattr(self.options, "moves"):
            return text
        return f"{text},{UNIT_MOVES}" if text != (self.home or self.name) else f"{text}:{UNIT_MOVES}"

    def __repr__(self) -> str:
        return f"turnsmith.load({self.text_name!r})"

    def describe(self, seed: int = 0) -> Any:
        """The source of the board this game plays with `seed`; JSON keeps it."""
        source = self.source(self.options, seed)
        try:
            return json.loads(json.dumps(source))
        except (TypeError, ValueError, RecursionError) as error:
            raise BadInput(f"{self.name}: source must give what JSON can hold ({error})") from None

    def board(self, seed: int = 0) -> Array:
        """An array of one Board."""
        return self.build(self.describe(seed))

    def build(self, source: Any) -> Array:
        """An array of one Board from a source, checked for the header every loop relies on."""
        try:
            boards: Array = self.tables(source)
        except BadInput:
            raise
        except ValueError as error:  # how a stranger's game refuses
            raise BadInput(f"{self.name}: {error}") from None
        kind = boards.dtype if isinstance(boards, np.ndarray) else None
        if (kind is not self.Board and kind != self.Board) or boards.shape != (1,):  # comparing records is slow
            if kind is not None and kind.names == self.Board.names and boards.shape == (1,):
                raise BadInput(f"this description is of a larger or smaller board than {self.text_name} has")
            got = f"{kind} {boards.shape}" if kind is not None else type(boards).__name__
            raise BadInput(f"{self.name}: tables must return np.zeros(1, Board), filled; got {got}")
        seats, actions, outcomes, low, high = (boards[name][0] for name in _HEADER)
        if seats < 1 or actions < 1 or outcomes < 0 or not low < high:
            raise BadInput(f"{self.name}: tables must fill seats, actions, outcomes and low < high of the board")
        if seats > MOST_SEATS or max(actions, outcomes) > MOST_ACTIONS:
            raise BadInput(
                f"{self.name}: a board has at most {MOST_SEATS} seats and {MOST_ACTIONS:,} actions or outcomes; this "
                f"one has {seats} seats, {actions} actions and {outcomes} outcomes"
            )
        if not (math.isfinite(low) and math.isfinite(high)):
            raise BadInput(f"{self.name}: low and high of the board must be finite; they are {low} and {high}")
        if outcomes and self.weights is _no_weights:
            raise BadInput(f"{self.name}: the board has outcomes of CHANCE but there is no weights; write it")
        return boards

    def goal(self, board: Any) -> Goal:
        """What the seats of a board play for."""
        if self.roles is None:
            return Goal(self.winner)
        roles = tuple(self.roles(board))
        if len(roles) != board.seats or not all(isinstance(role, str) and role for role in roles):
            raise BadInput(f"{self.name}: roles must name each of the {board.seats} seats; it gave {roles}")
        return Goal(self.winner, roles)

    def rebuild(self, source: Any) -> Array:
        """The same from a source that came from outside: whatever is wrong with it, it is refused in a sentence."""
        try:
            return self.build(source)
        except BadInput:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise BadInput(f"this is no board of {self.name} ({why}); take the source of a saved match") from None

    def start(self, seed: int = 0) -> Position:
        """The first position in which somebody decides, on the board and with the chance of `seed`."""
        from turnsmith.position import Position

        return Position(self, seed)

    def players(self) -> dict[str, Any]:
        """The game's own players by name."""
        return self._declared("PLAYERS")

    def levels(self) -> dict[str, str]:
        """Names of difficulty the game gives to players, easiest first: name -> text of a player."""
        return self._declared("LEVELS")

    def _declared(self, name: str) -> dict[str, Any]:
        found = getattr(self._players_module, name, {})
        if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
            raise BadInput(f"{self.home or self.name}: {name} must be a dict with names as keys, not {found!r:.60}")
        return dict(found)

    @property
    def _module_file(self) -> Path | None:
        """The file the game was read from, that of its folder for a folder; None of one that has none."""
        if self.home.startswith(OPENSPIEL):
            return None
        file = _module(self.home or self.name).__file__
        return Path(file) if file else None

    @cached_property
    def _players_module(self) -> ModuleType:
        return part_of(self.home or self.name, "players")


def _takes_one(rule: Any) -> bool:
    """Whether something can be called with one argument."""
    try:
        inspect.signature(rule).bind(None)
    except (TypeError, ValueError):
        return False
    return True


# ---------------------------------------------------------------- finding games

_REQUIRED = ["Board", "State", "tables", "to_move", "legal", "apply", "returns", "words", "picture"]
_FILE = re.compile(r"(.+?\.py)(?::(.*))?", re.DOTALL)
"""A path, which may itself hold colons and dots, and the settings behind it."""


_served: dict[str, tuple[str, Callable[[str], Game]]] = {}


def serve_as(name: str, home: str, known: Callable[[str], Game]) -> None:
    """Let a file be a game by a name, in this process: `known` gives it with the settings of a text."""
    _served[name] = (home, known)


def load(text: str) -> Game:
    """The game a text names: ``connect_four``, ``mastermind:colors=4,pegs=2``, ``./my_game.py``, ``openspiel:chess``.

    The rules of others are tried out on their first use: compiled, a mistake in them could write anywhere in memory.
    """
    is_named = not names_file(text) and not text.strip().startswith(OPENSPIEL)
    if is_named and (served := _served.get(parse(text)[0])):
        return served[1](text)
    game = load_untried(text)
    if game.home:
        from turnsmith.first_use import try_out

        try_out(game)
    return game


def _let_wrap(modules: set[str]) -> None:
    """Numbers of rules wrap around, as they do compiled: where rules run interpreted, in words and pictures, NumPy need
    not warn of it. Whatever else a program does is none of our business."""
    for name in modules:
        warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, f"{re.escape(name)}$")


def load_untried(text: str) -> Game:
    """What ``load`` gives, but for the rules of others nobody vouches: to be checked, or checked before."""
    if text.strip().startswith(OPENSPIEL):
        from turnsmith.adapters.from_openspiel import game_of

        return game_of(text.strip().removeprefix(OPENSPIEL))
    file, (home, chosen) = names_file(text), home_and_settings(text)
    module = _module(home)
    if module.__file__ and home not in built_in():
        add_beside(Path(module.__file__), _title(Path(module.__file__)))
    with _importing(home):
        parts = {name: value for part in _parts(module) for name, value in vars(part).items()}
    name = _title(Path(home))
    missing = [m for m in _REQUIRED if m not in parts]
    if missing:
        raise BadInput(f"{home} is not a game yet: it lacks {', '.join(missing)} (docs/contract.md says what each is)")
    splits = "units" in parts and f"moves={chosen.get('moves')}" == UNIT_MOVES
    if splits and not hasattr(parts.get("Options"), "moves"):
        del chosen["moves"]  # which every game of joint moves has, declared or not
    if "Options" in parts:
        _refuse_bad_options(parts["Options"], name)
        options = build(parts["Options"], chosen, name)
    elif chosen:
        raise BadInput(f"{name} has no settings; write just '{home}'")
    else:
        options = None
    known = {f.name: f.type for f in dataclasses.fields(Game) if f.init}
    own = {"name", "options", "doc", "home", "alias", "joint"}
    given = {key: parts[key] for key in known.keys() - own if key in parts}
    if inspect.isfunction(given["Board"]):  # boards that differ much in size have a record type each
        given["Board"] = given["Board"](options)
    for key, value in given.items():
        if known[key] in ("Rule", "Rule | None") and not callable(value):
            raise BadInput(f"{home}: {key} must be a function, not {value!r} (docs/contract.md says what it does)")
    _let_wrap({module.__name__, *(value.__module__ for value in given.values() if inspect.isfunction(value))})
    doc = (module.__doc__ or "").strip()
    is_ours = not file and home in built_in()
    game = Game(name=name, options=options, doc=doc, home="" if is_ours else home, **given)
    if not is_ours:
        from turnsmith.player import refuse_bad_players

        refuse_bad_players(game)
    if splits:
        from turnsmith.unitwise import unitwise

        return unitwise(game)
    return game


def home_and_settings(text: str) -> tuple[str, dict[str, str]]:
    """A game's name or the path of its file, and its settings.

    >>> home_and_settings("./my_game.py:size=3"), home_and_settings("openspiel:chess")
    (('./my_game.py', {'size': '3'}), ('openspiel:chess', {}))
    """
    if text.strip().startswith(OPENSPIEL):
        return one_line(text), {}
    file = _FILE.fullmatch(text.strip())
    return (file[1], parse(f"x:{file[2] or ''}")[1]) if file else parse(text)


def names_file(text: str) -> bool:
    """Whether loading the game of this text would run a file that does not come with turnsmith."""
    return _FILE.fullmatch(text.strip()) is not None


def shown_from(rule: Rule, board: Any, state: Any, side: int | None) -> str:
    """What `picture` or `text` shows who sits on the side of this seat, or on none: only games whose boards have sides
    take the third argument."""
    return str(rule(board, state, side) if has_sides(rule) else rule(board, state))


@lru_cache(maxsize=1024)
def has_sides(rule: Rule) -> bool:
    return "side" in inspect.signature(rule).parameters


def _title(path: Path) -> str:
    """What a game is called: its file, or its folder."""
    return path.resolve().parent.name if path.name == "__init__.py" else path.stem


def _refuse_bad_options(kind: Any, name: str) -> None:
    """Options are a frozen dataclass of plain fields with defaults."""
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise BadInput(f"{name}: Options must be a frozen dataclass; write @dataclass(frozen=True) above it")
    try:
        kinds = typing.get_type_hints(kind)
    except Exception as error:
        raise BadInput(f"{name}: Options cannot be read ({type(error).__name__}: {error})") from None
    for each in filter(lambda field: field.init, dataclasses.fields(kind)):
        if each.default is dataclasses.MISSING:
            raise BadInput(f"{name}: Options needs a default for {each.name}")
        plain = kinds[each.name] in (int, float, bool, str) or typing.get_origin(kinds[each.name]) is typing.Literal
        if not plain:
            raise BadInput(f"{name}: the option {each.name} must be int, float, bool, str or Literal, not {each.type}")


def _parts(module: ModuleType) -> list[ModuleType]:
    """A game folder keeps its rules and its picture in files of those names, unless its own file has them; if it likes,
    also what learners see (`sight`) and its state for programs (`json_state`)."""
    if not hasattr(module, "__path__") or hasattr(module, "Board"):
        return [module]
    folder = Path(module.__file__ or "").parent
    further = [part for part in ("sight", "json_state") if (folder / f"{part}.py").exists()]
    return [importlib.import_module(f"{module.__name__}.{part}") for part in ("rules", "picture", *further)]


def part_of(home: str, name: str) -> ModuleType:
    """The file of a game's folder that has this name; without one, the game's own module."""
    module = _module(home)
    if hasattr(module, "__path__") and (Path(module.__file__ or "").parent / f"{name}.py").exists():
        with _importing(home):
            module = importlib.import_module(f"{module.__name__}.{name}")
    return module


def _module(home: str) -> ModuleType:
    home = _served[home][0] if home in _served else home
    if home.startswith(OPENSPIEL):
        return importlib.import_module("turnsmith.adapters.from_openspiel")
    if not home.endswith(".py"):
        ours = frozenset(built_in())
        if home in ours:
            return importlib.import_module(f"turnsmith.games.{home}")
        if home in modules(ours):
            with _importing(home):
                return importlib.import_module(modules(ours)[home])
        near, known = suggestion(home, games()), ", ".join(games())
        raise BadInput(f"there is no game '{home}'{near}; there are {known}, or ./file.py")
    path = Path(home).resolve()
    if not path.is_file():
        raise BadInput(f"there is no file {home}; give the path of a game written in Python")
    # A name that is the same in every process: numba would not find cached code of a module called __main__.
    name = f"turnsmith_game_{_title(path)}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    folder = [str(path.parent)] if path.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folder)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _importing(home):
            spec.loader.exec_module(module)
    except BadInput:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _importing(home: str) -> Iterator[None]:
    """Let a game's file import its neighbours, and say in one line why the code of others cannot be imported."""
    if home in built_in():
        yield
        return
    folder = str(Path(home).resolve().parent)
    if home.endswith(".py"):
        sys.path.insert(0, folder)
    try:
        yield
    except (Exception, SystemExit) as error:
        line = (f"{type(error).__name__}: {error}".splitlines() or [""])[0]
        raise BadInput(f"{home} cannot be imported: {line}") from error
    finally:
        if home.endswith(".py"):
            sys.path.remove(folder)
