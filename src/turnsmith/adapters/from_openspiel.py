"""Games of OpenSpiel as games of ours: ``turnsmith play openspiel:backgammon``, ``openspiel:go(board_size=5)``.

Their rules are not compiled with ours: a State is the list of the actions made so far, and every question about it goes
to Python, which asks OpenSpiel's own state of the same actions. So everything works on them, searches, arena, page and
checks, but at the speed of Python.

Simultaneous moves are made one after another, hidden until all are in. What a seat sees is its information state, or
its observation where there is none; players imagine the rest by drawing other histories that look the same to them.
When the game is over everything is open.
"""

from __future__ import annotations

import ctypes
import hashlib
import html
import os
import random
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, one_line, shown, suggestion
from turnsmith.compile.kernel import ask_python, zero
from turnsmith.compile.numba_private import hosts
from turnsmith.compile.rng import draw, mix
from turnsmith.contract import drawing, sources
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.homes import OPENSPIEL
from turnsmith.contract.records import board_record, new_board, record

TIERS = (64, 512, 4096)
"""Moves that a State has room for: the first that is enough for a game. A longer game is cut there."""
KEPT = 20_000
"""OpenSpiel's states, and views, that are remembered; others are made again from their actions."""
TRIES = 20_000
"""Moves tried to imagine a world that looks the same."""
HOST = 1 << 8
MOVER, LEGAL, WEIGHTS, RETURNS, HIDE, RESAMPLE = range(6)
HEAD = 48
"""Bytes of a State before its history."""

Board = board_record(key=np.uint64, most=np.int64)


def state_record(moves: int) -> np.dtype[Any]:
    """The State with room for so many moves. `viewer`: 0, or plus 1 whose view this is, and `known` a digest of what
    that seat knows; then nothing else is in it but who moves."""
    return record(
        made=np.int64, mover=np.int64, viewer=np.int64, known=(np.uint64, 2), key=np.uint64, history=(np.int32, moves)
    )


# ---------------------------------------------------------------- the rules, as far as they are compiled


def setup(board, state):
    state.mover = ask_python(HOST + MOVER, board.key, state, 0, state.known)


def to_move(board, state):
    return int(state.mover)


def legal(board, state, out):
    return 0 if state.mover == OVER else ask_python(HOST + LEGAL, board.key, state, 0, out)


def weights(board, state, out):
    ask_python(HOST + WEIGHTS, board.key, state, 0, out)


def apply(board, state, action):
    state.history[state.made] = action
    state.made += 1
    state.key = mix(state.key ^ np.uint64(action + 1))
    cut = state.made == board.most
    state.mover = OVER if cut else ask_python(HOST + MOVER, board.key, state, 0, state.known)


def returns(board, state, out):
    ask_python(HOST + RETURNS, board.key, state, 0, out)


def hash(board, state):
    return mix(state.key ^ state.known[0] ^ np.uint64(state.mover + 2))


def hide(board, state, viewer):
    if state.mover == OVER or state.viewer == viewer + 1:
        return
    ask_python(HOST + HIDE, board.key, state, viewer, state.known)
    first, second, mover = state.known[0], state.known[1], state.mover
    zero(state)
    state.viewer, state.mover, state.known[0], state.known[1] = viewer + 1, mover, first, second


def resample(board, view, viewer, rng):
    if view.viewer:
        count = ask_python(HOST + RESAMPLE, board.key, view, np.int64(draw(rng) >> np.uint64(1)), view.history)
        view.made, view.viewer, view.key = max(count, 0), 0, 0
        view.known[0] = view.known[1] = 0
        for index in range(view.made):
            view.key = mix(view.key ^ np.uint64(view.history[index] + 1))


# ---------------------------------------------------------------- what Python answers


class Theirs:
    """A game of OpenSpiel, its states by the actions that lead there, and histories by what a seat knows."""

    def __init__(self, text: str, game: Any, most: int):
        self.text, self.game, self.most = text, game, most
        self._states: OrderedDict[bytes, Any] = OrderedDict()
        self._views: OrderedDict[bytes, bytes] = OrderedDict()
        self._words: tuple[bytes, dict[int, str]] = (b"?", {})
        kind = game.get_type()
        self._tells_all = bool(kind.provides_information_state_string)

    def state(self, history: bytes) -> Any:
        """OpenSpiel's state after these actions (int32 each); not to be changed."""
        found = self._states.get(history)
        if found is None:
            before = self._states.get(history[:-4]) if history else None
            if before is not None:
                found = before.child(int.from_bytes(history[-4:], sys.byteorder))
            else:
                found = self.game.new_initial_state()
                for action in np.frombuffer(history, np.int32).tolist():
                    found.apply_action(action)
            self._keep(self._states, history, found)
        else:
            self._states.move_to_end(history)
        return found

    @staticmethod
    def _keep(among: OrderedDict[bytes, Any], key: bytes, value: Any) -> None:
        among[key] = value
        among.move_to_end(key)
        if len(among) > KEPT:
            among.popitem(last=False)

    def shown_to(self, state: Any, viewer: int) -> str:
        """What a seat knows."""
        told = state.information_state_string(viewer) if self._tells_all else state.observation_string(viewer)
        return f"{told}\n{_mover(state)}"

    def note_view(self, history: bytes, viewer: int) -> bytes:
        """A digest of what a seat knows after these actions, by which one such history is found again."""
        told = self.shown_to(self.state(history), viewer)
        digest = hashlib.blake2b(f"{viewer} {told}".encode(), digest_size=16).digest()
        if digest not in self._views:
            self._keep(self._views, digest, history)
        return digest

    def one_history(self, view: bytes) -> bytes:
        """A history that is seen so."""
        self._views.move_to_end(view)
        return self._views[view]

    def imagine(self, history: bytes, viewer: int, seed: int) -> bytes:
        """A random history that looks the same to a seat at every move; dead ends are left by going back."""
        actions = np.frombuffer(history, np.int32).tolist()
        told = [self.shown_to(self.state(history[: 4 * ply]), viewer) for ply in range(len(actions) + 1)]
        rng, tries = random.Random(seed), 0
        states = [self.game.new_initial_state()]
        left: list[list[int]] = []  # of each move made: what else can be tried there, the last first
        while len(states) <= len(actions):
            ply = len(states) - 1
            if len(left) == ply:
                left.append([actions[ply]] if states[ply].current_player() == viewer else _shuffled(states[ply], rng))
            if not left[ply]:
                left.pop()
                states.pop()
                continue
            tries += 1
            if tries > TRIES:
                raise BadInput(f"{OPENSPIEL}{self.text}: what is hidden here cannot be imagined in {TRIES:,} tries")
            after = states[ply].child(left[ply].pop())
            if not after.is_terminal() and self.shown_to(after, viewer) == told[ply + 1]:
                states.append(after)
        return np.array(states[-1].history(), np.int32).tobytes()

    def words(self, history: bytes) -> dict[int, str]:
        """What OpenSpiel calls the legal actions: one piece each, no two the same."""
        if self._words[0] != history:
            state = self.state(history)
            player, found = state.current_player(), dict[int, str]()
            for action in state.legal_actions():
                said = re.sub(r"\s+", "_", state.action_to_string(player, action).strip()) or str(action)
                said = said.replace("[", "(").replace("]", ")")
                found[action] = said if said not in found.values() else f"{said}#{action}"
            self._words = (history, found)
        return self._words[1]


_known: dict[int, Theirs] = {}
_lock = threading.RLock()


def _mover(state: Any) -> int:
    return OVER if state.is_terminal() else CHANCE if state.is_chance_node() else int(state.current_player())


def _outcomes(state: Any) -> list[tuple[int, float]]:
    return sorted((outcome, chance) for outcome, chance in state.chance_outcomes() if chance > 0.0)


def _shuffled(state: Any, rng: random.Random) -> list[int]:
    """The moves here in random order, the likeliest of chance rather at the end."""
    if state.is_chance_node():
        return sorted(dict(_outcomes(state)), key=lambda outcome: rng.random() ** (1 / dict(_outcomes(state))[outcome]))
    moves = list(state.legal_actions())
    rng.shuffle(moves)
    return moves


def _read(record: int) -> tuple[int, bytes, bytes]:
    """Of the State at an address: whose view it is, or 0; its history; what the viewer knows."""
    made, _, viewer = (ctypes.c_int64 * 3).from_address(record)
    return viewer, ctypes.string_at(record + HEAD, 4 * made), ctypes.string_at(record + 24, 16)


def _answer(what: int, key: int, record: int, number: int, out: int) -> int:
    with _lock:
        theirs, (viewer, history, known) = _known[key], _read(record)
        if viewer:
            history = theirs.one_history(known)
        state = theirs.state(history)
        if what == MOVER:
            return _mover(state)
        if what == LEGAL:
            found = [outcome for outcome, _ in _outcomes(state)] if state.is_chance_node() else state.legal_actions()
            (ctypes.c_int32 * len(found)).from_address(out)[:] = found
            return len(found)
        if what in (WEIGHTS, RETURNS):
            game = theirs.game
            numbers = [chance for _, chance in _outcomes(state)] if what == WEIGHTS else state.returns()
            if what == RETURNS:
                numbers = [min(max(value, game.min_utility()), game.max_utility()) for value in numbers]
            (ctypes.c_double * len(numbers)).from_address(out)[:] = numbers
            return len(numbers)
        if what == HIDE:
            ctypes.memmove(out, bytes(16) if viewer else theirs.note_view(history, number), 16)
            return 0
        imagined = theirs.imagine(history, viewer - 1, number)
        ctypes.memmove(out, imagined, len(imagined))
        return len(imagined) // 4


hosts[HOST >> 8] = _answer


# ---------------------------------------------------------------- for people


def _shown(board: Any, state: Any) -> tuple[Theirs, bytes, int]:
    """The game, a history, and whose view of it is meant (or -1)."""
    theirs = _known[int(board.key)]
    if state.viewer:
        return theirs, theirs.one_history(np.asarray(state.known).tobytes()), int(state.viewer) - 1
    return theirs, np.asarray(state.history)[: int(state.made)].tobytes(), -1


def words(board: Any, state: Any, action: int) -> str:
    with _lock:
        theirs, history, _ = _shown(board, state)
        return theirs.words(history)[int(action)]


def ending(board: Any, state: Any) -> str:
    return f"cut after {int(board.most):,} moves" if state.made == board.most else "over"


def _lines(board: Any, state: Any) -> list[str]:
    """The position as OpenSpiel writes it."""
    with _lock:
        theirs, history, viewer = _shown(board, state)
        at = theirs.state(history)
        said = str(at) if viewer < 0 else theirs.shown_to(at, viewer).rpartition("\n")[0]
        return said.rstrip().splitlines() or ["(nothing to be seen)"]


def text_of(board: Any, state: Any) -> str:
    from rich.markup import escape

    return escape("\n".join(_lines(board, state)))


def picture(board: Any, state: Any) -> str:
    """OpenSpiel's text, and a button for every move."""
    said, moves = _lines(board, state), []
    if state.mover >= 0:
        theirs, history, _ = _shown(board, state)
        moves = list(theirs.words(history).values())
    wide = max([max(map(len, said)) * 9.1 + 24, 420.0])
    out = [
        f'<text x="12" y="{26 + 18 * row}" text-anchor="start" font-family="monospace" xml:space="preserve" '
        f'fill="#22262b">{html.escape(line)}</text>'
        for row, line in enumerate(said)
    ]
    x, y = 12.0, 34.0 + 18 * len(said)
    for move in moves:
        size = 16 + 8.5 * len(move)
        if x > 12 and x + size > wide - 12:
            x, y = 12.0, y + 34
        plate = f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="28" rx="5" fill="#3d5a3d"/>'
        name = html.escape(move)
        out.append(drawing.clickable(name, plate + drawing.label(x + size / 2, y + 19, name, "#ffffff", font_size=13)))
        wide, x = max(wide, x + size + 12), x + size + 6
    return drawing.svg(wide, y + 42, out, "#f6f1e7")


# ---------------------------------------------------------------- finding them


def game_of(text: str) -> Game:
    """The game that OpenSpiel knows by a text, with its parameters in brackets."""
    text = re.sub(r"\s", "", one_line(text))
    theirs = _load(text)
    kind = theirs.get_type()
    longest = theirs.max_game_length() + theirs.max_chance_nodes_in_history()
    room = next((moves for moves in TIERS if moves > longest), TIERS[-1])
    key = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    _known.setdefault(key, Theirs(text, theirs, room))

    def source(options: Any, seed: int) -> Any:
        return {"game": text, "OpenSpiel": _version()}

    def tables(source: Any) -> Array:
        sources.fields(source, "game", "OpenSpiel")
        if sources.text(source, "game", 1000) != text:
            raise BadInput(f"the description is of {shown(source['game'])}, not of {text}")
        sources.text(source, "OpenSpiel", 40)
        low, high = theirs.min_utility(), theirs.max_utility()
        sizes = (theirs.num_players(), theirs.num_distinct_actions(), theirs.max_chance_outcomes())
        return new_board(Board, *sizes, low, high if high > low else low + 1.0, key=key, most=room)

    rules: dict[str, Any] = {
        "setup": setup,
        "to_move": to_move,
        "legal": legal,
        "apply": apply,
        "returns": returns,
        "weights": weights,
        "hash": hash,
    }
    people: dict[str, Any] = {"words": words, "picture": picture, "text": text_of, "ending": ending}
    hidden: dict[str, Any] = (
        {"hide": hide, "resample": resample} if kind.information.name != "PERFECT_INFORMATION" else {}
    )
    name = f"openspiel_{kind.short_name}"
    doc = f"{kind.long_name}: a game of OpenSpiel, at the speed of Python."
    return Game(
        name=name, options=None, doc=doc, home=f"{OPENSPIEL}{text}", Board=Board, State=state_record(room),
        source=source, tables=tables, **rules, **people, **hidden,
    )  # fmt: skip


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the line that OpenSpiel itself writes to the error output when it refuses something: we say it."""
    with _lock, open(os.devnull, "wb") as nowhere:
        kept = os.dup(2)
        try:
            os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _version() -> str:
    from importlib.metadata import version

    return version("open_spiel")


def _load(text: str) -> Any:
    try:
        import pyspiel
    except ImportError:
        raise BadInput(f"{OPENSPIEL}{shown(text)} needs OpenSpiel; pip install 'turnsmith[openspiel]'") from None
    name = text.partition("(")[0]
    known = pyspiel.registered_names()
    if name not in known:
        near = suggestion(name, known)
        raise BadInput(f"OpenSpiel has no game '{shown(name)}'{near}; it has {', '.join(known[:8])}, … ({len(known)})")
    try:
        with _quiet():
            found = pyspiel.load_game_as_turn_based(text)
    except Exception as error:
        raise BadInput(f"OpenSpiel refuses {shown(text)}: {str(error).splitlines()[0][:200]}") from None
    kind = found.get_type()
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC" or kind.dynamics.name == "MEAN_FIELD":
        raise BadInput(f"{OPENSPIEL}{name}: chance that is not listed, and mean fields, cannot be played here")
    return found
