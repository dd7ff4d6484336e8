"""The contract: what a game is. Read this first.

A game is one Python file (or a folder, see ``games/``) with two record types and a handful of plain functions. Its
parts come in four groups: the rules, what people see, what learners see, and maps.

``Board`` is what never changes during a game, ``State`` is what does. The functions below are written once, in
plain Python over NumPy records, and are run interpreted by the checks and compiled by everything else.

In every signature `board` and `state` are one record each, `out` is an array the caller owns, `rng` is a uint64[1]
stream of ``turnsmith.compile.rng``. A seat is 0, 1, …; ``CHANCE`` moves where chance decides and ``OVER`` has no moves.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import show
from turnsmith.compile.digest import digest, with_files
from turnsmith.compile.kernel import bundle_type, word, words_in
from turnsmith.compile.rng import mix
from turnsmith.contract.homes import OPENSPIEL, module_of, part_of
from turnsmith.contract.outcome import COST, HIGHEST, SCORE, Goal
from turnsmith.contract.records import HEADER

if TYPE_CHECKING:
    from turnsmith.play.position import Position

CHANCE = -1
OVER = -2
MOST_SEATS = 256
MOST_ACTIONS = 1 << 24
"""Of a board, actions or outcomes: every loop keeps lists of that length."""
MOST_ORDER = 1_000_000
UNIT_MOVES = "moves=unit"
"""The setting with which a game of joint moves is played unit by unit."""

Rule = Callable[..., Any]

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


def _never_loud(board: Any, state: Any, action: int) -> int:
    return 0


def _no_order(board: Any, state: Any, action: int) -> int:
    return 0


def _no_skip(board: Any, state: Any) -> int:
    return 0


def hash_bytes(board: Any, state: Any) -> Any:
    from_zero = np.uint64(0)
    for index in range(words_in(state)):
        from_zero = mix(from_zero ^ word(state, index))
    return from_zero


def _hash_without(State: np.dtype[Any], history: tuple[str, ...]) -> Rule:
    """The default hash, to which the bytes of these fields are nothing."""
    counts = np.full(State.itemsize, 255, np.uint8)
    for name in history:
        kind, offset, *_ = dict(State.fields or {})[name]
        counts[offset : offset + kind.itemsize] = 0
    masks = counts.view(np.uint64)
    places = np.flatnonzero(masks)
    masks = masks[places]

    def hash_present(board: Any, state: Any) -> Any:
        from_zero = np.uint64(0)
        for index in range(places.shape[0]):
            from_zero = mix(from_zero ^ (word(state, places[index]) & masks[index]))
        return from_zero

    return hash_present


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
    *("rollout", "hide", "resample", "believe", "reveal", "rewind", "evaluate", "hash", "features", "planes"),
    *("loud", "order", "skip"),
    *("symmetries", "reflect", "reflect_action"),
)
"""What compiled code sees of a game, besides its flags."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Game:
    """A game with its options chosen. Compiled code sees the fields that ``COMPILED`` names, and the flags."""

    name: str
    options: Any
    doc: str = ""
    home: str = ""
    """Where the game's code is: the path of a file, the name by which a package declares it, "" for our own."""
    alias: str = ""
    """The text by which the game is known where nobody need know where its code is."""

    # ---------------- rules: two record types and compiled functions

    Board: np.dtype[Any]
    State: np.dtype[Any]
    source: Rule = _options_as_source
    """(options, seed) -> a small JSON-able description of one board. Python."""
    tables: Rule
    """(source) -> array of one Board. Python; refuses bad descriptions with the reason."""
    setup: Rule = _zeroed
    """(board, state): the first position into a zeroed state. Deterministic: chance is a move of CHANCE."""
    to_move: Rule
    """(board, state) -> a seat, CHANCE or OVER."""
    legal: Rule
    """(board, state, out int32) -> n: the legal action numbers (or outcomes) ascending; the only word on legality."""
    apply: Rule
    """(board, state, action): in place, deterministic, unchecked."""
    returns: Rule
    """(board, state, out float64): one number a seat, within board.low..board.high."""
    winner: str | Rule = HIGHEST
    """Who wins: the "highest" return; nobody, returns being a "score" or a "cost"; or (returns) -> the seats that won.
    Python."""
    roles: Rule | None = None
    """(board) -> a name a seat: seats of one name play the same role. The same on all boards of a game. Python."""
    weights: Rule = _no_weights
    """(board, state, out float64): the probabilities of the listed outcomes. Needed when CHANCE moves."""
    sample: Rule = _no_draw
    """(board, state, rng) -> outcome: as `weights` says, without listing."""
    pick: Rule = _no_draw
    """(board, state, rng) -> action: uniform over `legal`, without listing."""
    win: Rule = _no_win
    """(board, state) -> the least action that ends the game with `board.high` for the seat to move, or -1; playouts
    would else have to try them all."""
    rollout: Rule = _no_draw
    """(board, state, rng) -> action: a sensible legal move for playouts, drawn quickly; it need not be uniform, nor
    ever give every move."""
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
    history: tuple[str, ...] = ()
    """The fields of the State that only remember the past, such as hashes of earlier positions: a `hash` that the game
    does not write itself leaves them out."""
    loud: Rule = _never_loud
    """(board, state, action) -> whether a legal move changes much at once, as a capture does: depth-first searches look
    at such moves beyond their depth."""
    order: Rule = _no_order
    """(board, state, action) -> the more promising the move looks, the larger, within ±MOST_ORDER; 0 for any other."""
    skip: Rule = _no_skip
    """(board, state) -> whether it passed the turn, in place, to the other seat: a position that is good enough for a
    seat even so need not be looked at closely. 0 where to pass could be the best move there is."""
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

    # ---------------- what people see: words, pictures, lessons; Python

    words: Rule
    """(board, state, action) -> str: space-separated pieces; no action's words begin another's. Python."""
    picture: Rule
    """(board, state) -> SVG with a ``data-word`` on each clickable part; (board, state, side) where it is
    drawn from a seat's side, see ``shown_from``. Python; works on views."""
    text: Rule | None = None
    """(board, state) -> str: the position for a terminal, in rich markup. Python; works on views."""
    ending: Rule = _no_ending
    """(board, state) -> str: why it ended. Python."""
    refusal: Rule | None = None
    """(board, state, text) -> str | None: why a person's words are no move here, in the game's own terms. Python."""
    shorthand: Rule | None = None
    """(board, state, text) -> str: the words a person's short form stands for, or the text as it is. Python."""
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

    # ---------------- what learners see: numbers, planes, symmetries

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
    unobserved: tuple[str, ...] = ()
    """The fields of the State that learners need not see, besides those of `history`."""

    # ---------------- maps: boards as whole numbers, and many boards at once; Python

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

    # ---------------- what the game was found to have

    hides: bool = field(init=False, default=False)
    samples: bool = field(init=False, default=False)
    picks: bool = field(init=False, default=False)
    wins: bool = field(init=False, default=False)
    rolls_out: bool = field(init=False, default=False)
    believes: bool = field(init=False, default=False)
    rewinds: bool = field(init=False, default=False)
    evaluates: bool = field(init=False, default=False)
    gives_features: bool = field(init=False, default=False)
    gives_planes: bool = field(init=False, default=False)
    turns: bool = field(init=False, default=False)
    reflects: bool = field(init=False, default=False)
    louds: bool = field(init=False, default=False)
    orders: bool = field(init=False, default=False)
    skips: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        flags = {
            "hides": self.hide is not _see_all,
            "samples": self.sample is not _no_draw,
            "picks": self.pick is not _no_draw,
            "wins": self.win is not _no_win,
            "rolls_out": self.rollout is not _no_draw,
            "believes": self.believe is not _one_world,
            "rewinds": self.rewind is not _no_rewind,
            "evaluates": self.evaluate is not _no_evaluation,
            "gives_features": self.features is not _no_observation,
            "gives_planes": self.planes is not _no_observation,
            "turns": bool(self.seat_fields or self.seat_values),
            "reflects": self.reflect is not _no_reflection,
            "louds": self.loud is not _never_loud,
            "orders": self.order is not _no_order,
            "skips": self.skip is not _no_skip,
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
        for what, named in (("history", self.history), ("unobserved", self.unobserved)):
            if not isinstance(named, tuple) or not set(named) <= set(self.State.names or ()):
                raise BadInput(f"{self.name}: {what} must be a tuple of fields of its State, not {named!r:.60}")
        if self.history and self.hash is hash_bytes:
            object.__setattr__(self, "hash", _hash_without(self.State, self.history))

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
        seats, actions, outcomes, low, high = (boards[name][0] for name in HEADER)
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
        from turnsmith.play.position import Position

        return Position(self, seed)

    def players(self) -> dict[str, Any]:
        """The game's own players by name."""
        return self._declared("PLAYERS")

    def levels(self) -> dict[str, str]:
        """Names of difficulty the game gives to players, easiest first: name -> text of a player."""
        return self._declared("LEVELS")

    def _declared(self, name: str) -> dict[str, Any]:
        declared = getattr(self._players_module, name, {})
        if not isinstance(declared, dict) or not all(isinstance(key, str) for key in declared):
            raise BadInput(f"{self.home or self.name}: {name} must be a dict with names as keys, not {declared!r:.60}")
        return dict(declared)

    @property
    def _module_file(self) -> Path | None:
        """The file the game was read from, that of its folder for a folder; None of one that has none."""
        if self.home.startswith(OPENSPIEL):
            return None
        file = module_of(self.home or self.name).__file__
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


def shown_from(rule: Rule, board: Any, state: Any, side: int | None) -> str:
    """What `picture` or `text` shows who sits on the side of this seat, or on none: only games whose boards have sides
    take the third argument."""
    return str(rule(board, state, side) if has_sides(rule) else rule(board, state))


@lru_cache(maxsize=1024)
def has_sides(rule: Rule) -> bool:
    return "side" in inspect.signature(rule).parameters
