"""`eyes`: a player that sees the board only as a picture, through a good or a bad camera.

An eye (``eye``) says of every peg and every answer what it may be. What a picture leaves open stays open: each code
is as likely as the product, over the rows, of the chance that it would have answered so, whatever was guessed there.
Then it plans one guess ahead by the model that `learned` plans with, and codes count by how likely they are.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import Game
from turnsmith.games.mastermind import eye, learned
from turnsmith.games.mastermind.cameras import MOST_OFFSET, PHOTO, SHAKEN, STILL, draw_offsets, shoot
from turnsmith.games.mastermind.codes import peg
from turnsmith.games.mastermind.explained import Explained
from turnsmith.games.mastermind.notation import answer_text, code_text
from turnsmith.games.mastermind.picture import FILLS, HOLE, RED, WHITE
from turnsmith.games.mastermind.pixels import pixels, rgb
from turnsmith.languages import _
from turnsmith.play.player import Decision, Player
from turnsmith.play.position import PositionView

DOUBT = 1e-4
"""The least chance of any answer: an eye that was sure and wrong must not rule out the code."""
RARE = 1e-3
"""Guesses that are less likely than this share of the likeliest are not gone into."""


def believe(board, table, pegs, answers, turns, weights):
    """Fill weights (float64[codes], their sum 1) with how likely every code is, by the chances of pegs and answers."""
    codes = np.int64(board.codes)
    chances, told = np.empty(codes), np.empty(codes)
    weights[:] = 1.0
    for turn in range(turns):
        greatest = 0.0
        for guess in range(codes):
            chance = 1.0
            for place in range(board.pegs):
                chance *= pegs[turn, place, peg(board, guess, place)]
            chances[guess] = chance
            greatest = max(greatest, chance)
        told[:], total = 0.0, 0.0
        for guess in range(codes):
            if chances[guess] > 0.0 and chances[guess] >= RARE * greatest:
                total += chances[guess]
                for code in range(codes):
                    told[code] += chances[guess] * max(DOUBT, answers[turn, table[guess, code]])
        for code in range(codes):
            weights[code] *= told[code] / max(total, 1e-30)
        weights /= weights.sum()  # turn by turn, so that nothing becomes too small to count
    weights /= weights.sum()


def plan(table, answers, logs, guesses, weights):
    """The guess after which the codes take the fewest guesses, a part of n codes taking n times what `logs` and
    `guesses`, points of a line, say of log n; n may be any number, for codes count by their weights."""
    codes = weights.shape[0]
    bits = 0.0
    for code in range(codes):
        if weights[code] > 0.0:
            bits -= weights[code] * math.log(weights[code])
    many = math.exp(bits)  # so many equally likely codes would leave as much open
    parts = np.empty(answers)
    best, least = np.int64(np.argmax(weights)), np.inf
    listed = np.flatnonzero(weights > 1e-6 * weights.max())
    if many < 1.5:
        return best
    for guess in range(codes):
        parts[:] = 0.0
        for code in listed:
            parts[table[guess, code]] += weights[code]
        cost = 0.0
        for answer in range(answers - 1):
            size = many * parts[answer]
            if size > 0.0:
                cost += size * (np.interp(math.log(size), logs, guesses) if size > 1.0 else 1.0)
        if cost < least - 1e-9:
            best, least = np.int64(guess), cost
    return best


def decide(boards, table, logs, guesses, pegs, answers, turns, weights):
    """The kernel: the guess, and how likely every code is."""
    believe(boards[0], table, pegs, answers, turns, weights)
    return plan(table, boards[0].answers, logs, guesses, weights)


def photograph(boards, views, kind, most, spare, drawn, corners, out, rng):
    """The kernel: what a camera sees of a position."""
    pixels(boards[0], views[0], drawn)
    shoot(drawn, kind, most, spare, corners, out, rng)


def picture_of(boards: Array, views: Array, kind: int, most: int, rng: Array) -> Array:
    """uint8[HEIGHT, 3 · WIDTH]"""
    spare, drawn, out = np.zeros((3, eye.HEIGHT, 3 * eye.WIDTH), np.uint8)
    compiled(photograph)(boards, views, kind, most, spare, drawn, np.zeros((4, 2)), out, rng)
    return out


def read_perfectly(boards: Array, views: Array, most: int, rng: Array) -> eye.Reading:
    """What can be told at best: pegs and pins by their colours, after the offsets that a camera of this stream adds;
    colours that have become the same are all as likely."""
    board, view = boards[0], views[0]
    offsets = np.zeros(3, np.int64)
    if most:
        compiled(draw_offsets)(most, offsets, rng)
    seen = {
        colour: np.clip(rgb(colour) + offsets, 0, 255).tolist() for colour in (*FILLS[: eye.COLORS], HOLE, WHITE, RED)
    }
    pegs, answers = np.zeros((eye.TRIES, eye.PEGS, eye.COLORS + 1)), np.zeros((eye.TRIES, eye.ANSWERS))
    pegs[view.turns :, :, eye.COLORS] = answers[view.turns :, 0] = 1.0
    for turn in range(int(view.turns)):
        for place in range(eye.PEGS):
            true = seen[FILLS[int(peg(board, view.guesses[turn], place))]]
            pegs[turn, place, : eye.COLORS] = [seen[fill] == true for fill in FILLS[: eye.COLORS]]
        rows = [
            [seen[pin] for pin in [RED] * red + [WHITE] * white + [HOLE] * (eye.PEGS - red - white)]
            for red, white in zip(board.red[: eye.ANSWERS], board.white[: eye.ANSWERS], strict=True)
        ]
        answers[turn] = [row == rows[view.answers[turn]] for row in rows]
    pegs /= pegs.sum(axis=2, keepdims=True)
    return eye.Reading(pegs, answers / answers.sum(axis=1, keepdims=True), np.zeros((4, 2)))


@lru_cache(maxsize=2)
def _model(stamp: int) -> tuple[Array, Array, Array]:
    """What is planned with: the table of answers, and points of log codes left and guesses."""
    model = learned.read_model(learned.SHIPPED)
    points = np.array(model.points[eye.PEGS])
    return model.table(eye.COLORS, eye.PEGS), np.log(points[:, 0]), np.ascontiguousarray(points[:, 1])


def guess_for(boards: Array, reading: eye.Reading, turns: int | None = None) -> tuple[int, Array]:
    """The best guess after what was read, and how likely every code is; chances can be corrected before."""
    table, logs, guesses = _model(learned.SHIPPED.stat().st_mtime_ns)
    weights = np.zeros(int(boards[0].codes))
    pegs, answers = (np.ascontiguousarray(part, np.float64) for part in (reading.pegs, reading.answers))
    turns = reading.turns if turns is None else turns
    return int(compiled(decide)(boards, table, logs, guesses, pegs, answers, turns, weights)), weights


def answer_for(boards: Array, reading: eye.Reading, answers: Array) -> int:
    """As the maker: of these answers to the last guess on the board the one that leaves the most codes."""
    turns = max(0, reading.turns - 1)
    _, weights = guess_for(boards, reading, turns)
    colours = reading.pegs[turns, :, : eye.COLORS].argmax(axis=1)
    given = _model(learned.SHIPPED.stat().st_mtime_ns)[0][int((colours * boards[0].power[: eye.PEGS]).sum())]
    return int(max(answers.tolist(), key=lambda answer: float(weights[given == answer].sum())))


@dataclass(frozen=True, repr=False)
class Eyes(Explained, Player):
    """Sees the board as a picture and nothing else."""

    name: ClassVar[str] = "eyes"
    summary: ClassVar[str] = "sees only a picture of the board, with a good camera or a bad one"

    distortion: int = setting(0, 0, 3)
    """The camera: 0 good, 1 wrong colours (offset=100 unless it is given), 2 turned, shrunk and moved, 3 a photo."""
    offset: int = setting(0, 0, MOST_OFFSET)
    """Up to so much is added to each colour channel of a picture, or taken away."""
    perfect: bool = setting(False)
    """Whether to read like somebody who knows the offsets and errs only where two colours have become the same: what
    could be told at best, to compare with; for distortion 0 and 1."""
    seed: int = setting(0, 0, 2**31 - 1)
    """Of what the camera does."""

    def refuses(self, game: Game, board: Any) -> str | None:
        other = super().refuses(game, board)
        if other:
            return other
        if (board.colors, board.pegs, board.tries) != (eye.COLORS, eye.PEGS, eye.TRIES):
            told = _("its eye reads boards of {colors} colors, {pegs} pegs and {tries} tries only")
            return told.format(colors=eye.COLORS, pegs=eye.PEGS, tries=eye.TRIES)
        if self.perfect and self.distortion > 1:
            return _("what can be told at best is known for distortion=0 and 1 only")
        return None

    def act(self, position: PositionView) -> Decision:
        views = position.view(position.mover)
        kind = {2: SHAKEN, 3: PHOTO}.get(self.distortion, STILL)
        most = self.offset or (100 if self.distortion == 1 else 0)
        rng = stream(self.seed, int.from_bytes(hashlib.blake2b(views.tobytes(), digest_size=7).digest()))
        if self.perfect:
            reading = read_perfectly(position.boards, views, most, rng)
        else:
            (reading,) = eye.read(picture_of(position.boards, views, kind, most, rng)[None])
        if position.state["asked"]:
            answer = answer_for(position.boards, reading, position.actions)
            return Decision(answer, position.words(answer))
        guess, weights = guess_for(position.boards, reading)
        likely = np.argsort(-weights, kind="stable")[:5]
        names = ", ".join(f"{code_text(position.board, int(c)).replace(' ', '')} {weights[c]:.0%}" for c in likely)
        return Decision(
            guess,
            code_text(position.board, guess),
            note=_("reads {rows}\nmost likely: {codes}").format(
                rows=seen_as_text(position.boards[0], reading), codes=names
            ),
        )


def seen_as_text(board: Any, reading: eye.Reading) -> str:
    """What was read, row by row, with a question mark where it is not sure."""
    rows = []
    for turn in range(reading.turns):
        colours, sure = reading.pegs[turn, :, : eye.COLORS].argmax(axis=1), reading.pegs[turn].max(axis=1).min()
        answer = int(reading.answers[turn].argmax())
        doubt = "" if min(sure, reading.answers[turn].max()) > 0.9 else "?"
        code = int((colours * board.power[: eye.PEGS]).sum())
        rows.append(f"{code_text(board, code).replace(' ', '')} {answer_text(board, answer)}{doubt}")
    return "; ".join(rows) or _("an empty board")
