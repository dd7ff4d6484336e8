"""Reading a board off a photograph: the eye's chances as a sheet that people can correct, and what to guess next."""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.loading import load
from turnsmith.contract.photo import Cell, Photo, Sheet
from turnsmith.games.mastermind import eye
from turnsmith.games.mastermind.cameras import PHOTO as PHOTOGRAPH
from turnsmith.games.mastermind.cameras import rectify
from turnsmith.games.mastermind.codes import answer_table
from turnsmith.games.mastermind.eyes import guess_for, picture_of
from turnsmith.games.mastermind.notation import LETTERS, code_text
from turnsmith.games.mastermind.picture import FILLS, HOLE
from turnsmith.games.mastermind.pixels import LEFT, PEG_SPRITES, PITCH, ROW, TOP, draw_all, paste
from turnsmith.games.mastermind.rules import HIDDEN, State
from turnsmith.languages import _, marked

EMPTY, NONE = eye.COLORS, eye.ANSWERS
"""No peg, and no answer because there is no guess."""
PEGS = (*LETTERS[: eye.COLORS], "–")
COLOURS = (*FILLS[: eye.COLORS], HOLE)
ANSWERS = (*(f"{red}+{white}" for red, white in answer_table(eye.PEGS)), "–")
LEAST_FIT = 0.55
"""Of a picture with a board in it: of 600 samples two fit worse, and pictures of other games all do."""
GREY, PATCH, STEP = 128, 14, 7
"""What covers a part of the picture, its side, and how far apart the places are, to see what matters."""


def read(picture: Array) -> Sheet:
    shown = eye.fitted(picture)
    (seen,) = eye.read(shown[None])
    rows = []
    for turn in range(eye.TRIES):
        pegs = [
            Cell(_name(turn + 1, place + 1), PEGS, tuple(map(float, seen.pegs[turn, place])), COLOURS)
            for place in range(eye.PEGS)
        ]
        empty = float(seen.pegs[turn, :, EMPTY].mean())
        answers = [*((1.0 - empty) * float(chance) for chance in seen.answers[turn]), empty]
        rows.append((*pegs, Cell(_("answer {turn}").format(turn=turn + 1), ANSWERS, tuple(answers))))
    return Sheet(tuple(rows), _corners_in(picture, seen.corners), fit(shown, seen) >= LEAST_FIT)


def fit(picture: Array, seen: eye.Reading) -> float:
    """How well a picture agrees with a board of the pegs that were read, drawn between the corners that were found: the
    mean correlation of the three colours, 0 where there is nothing to see."""
    boards = load("mastermind").board()
    views, flat = np.zeros(1, State), np.zeros((2, eye.HEIGHT, 3 * eye.WIDTH), np.uint8)
    straight, expected = flat
    views[0].secret = HIDDEN
    compiled(draw_all)(boards, views, expected[None])
    for turn, row in enumerate(seen.pegs.argmax(axis=2).tolist()):
        for place, colour in enumerate(row):
            sprite = PEG_SPRITES[colour if colour < EMPTY else -1]
            compiled(paste)(sprite, expected, TOP + ROW * turn, LEFT + PITCH * place)
    compiled(rectify)(picture, seen.corners.astype(np.float64), straight)
    one, other = (image.reshape(-1, 3).astype(np.float64) for image in flat)
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    spread = np.sqrt((one**2).sum(axis=0) * (other**2).sum(axis=0))
    return float(((one * other).sum(axis=0) / np.maximum(spread, 1.0)).mean())


def cut(picture: Array, corners: Array) -> Array:
    """The board as the eye sees it from straight above."""
    out = np.zeros((eye.HEIGHT, 3 * eye.WIDTH), np.uint8)
    flat = np.ascontiguousarray(picture.reshape(picture.shape[0], -1))
    compiled(rectify)(flat, np.asarray(corners, np.float64), out)
    return out.reshape(eye.HEIGHT, eye.WIDTH, 3)


def _name(guess: int, peg: int) -> str:
    return _("guess {guess}, peg {peg}").format(guess=guess, peg=peg)


def _corners_in(picture: Array, corners: Array) -> tuple[tuple[float, float], ...]:
    """Corners as shares of the whole picture, which the eye saw between bars."""
    height, width = picture.shape[:2]
    shrunk = min(eye.HEIGHT / height, eye.WIDTH / width)
    across, down = eye.WIDTH / (width * shrunk), eye.HEIGHT / (height * shrunk)
    return tuple((float((x - 0.5) * across + 0.5), float((y - 0.5) * down + 0.5)) for x, y in corners)


def turns_of(choices: list[list[int]]) -> list[tuple[list[int], int]]:
    """Colours and answer of every guess; refused where one is only half there, or is missing among others."""
    turns: list[tuple[list[int], int]] = []
    for number, (*pegs, answer) in enumerate(choices, start=1):
        if EMPTY in pegs and set(pegs) != {EMPTY}:
            message = _("guess {guess} has {count} empty places; say which pegs stand there")
            raise BadInput(message.format(guess=number, count=pegs.count(EMPTY)))
        if EMPTY in pegs:
            continue
        if answer == NONE:
            raise BadInput(_("guess {guess} has no answer; say what it was").format(guess=number))
        if len(turns) + 1 != number:
            message = _("guess {guess} comes after an empty row; say what guess {missing} was")
            raise BadInput(message.format(guess=number, missing=len(turns) + 1))
        turns.append((pegs, answer))
    return turns


def moves(sheet: Sheet, choices: list[list[int]]) -> list[str]:
    """Guess and answer in turn, in words."""
    texts = []
    for pegs, answer in turns_of(choices):
        texts += [" ".join(LETTERS[colour] for colour in pegs), ANSWERS[answer]]
    return texts


def advice(sheet: Sheet, choices: list[list[int]]) -> str:
    """What `eyes` would guess: what a person has put right is certain, the rest as likely as it was read."""
    boards = load("mastermind").board()
    turns = len(turns_of(choices))
    pegs, answers = np.zeros((eye.TRIES, eye.PEGS, eye.COLORS + 1)), np.zeros((eye.TRIES, eye.ANSWERS))
    for turn, (row, cells) in enumerate(zip(choices, sheet.rows, strict=True)):
        for place, (choice, cell) in enumerate(zip(row, cells, strict=True)):
            sure = np.array(cell.chances) if choice == cell.best else np.arange(len(cell.choices)) == choice
            if place == eye.PEGS:
                answers[turn] = sure[: eye.ANSWERS]
            else:
                pegs[turn, place] = sure
    guess, weights = guess_for(boards, eye.Reading(pegs, answers, np.zeros((4, 2))), turns)
    likely = int(np.argmax(weights))
    names = [code_text(boards[0], code).replace(" ", "") for code in (guess, likely)]
    message = _("guess {guess}; the most likely code is {likely} ({share:.0%})")
    return message.format(guess=names[0], likely=names[1], share=weights[likely])


def sample(seed: int) -> Array:
    """A game with a few guesses at random, as a telephone might see it."""
    game = load("mastermind")
    position, random = game.start(seed=seed), np.random.default_rng(seed)
    for guess in random.integers(0, eye.COLORS**eye.PEGS, 2 + seed % 5).tolist():
        if guess != position.state["secret"]:
            position.push(guess)
    picture = picture_of(position.boards, position.view(0), PHOTOGRAPH, 0, stream(seed))
    return picture.reshape(eye.HEIGHT, eye.WIDTH, 3)


def heat(picture: Array, row: int, cell: int) -> Array:
    """How much less likely what was read becomes when a part of the picture is covered, around every pixel."""
    shown = eye.fitted(picture).reshape(eye.HEIGHT, eye.WIDTH, 3)
    shrunk = min(eye.HEIGHT / picture.shape[0], eye.WIDTH / picture.shape[1])
    bar, side = (
        round((whole - shrunk * part) / 2)
        for whole, part in ((eye.HEIGHT, picture.shape[0]), (eye.WIDTH, picture.shape[1]))
    )
    places = [(y, x) for y in range(0, eye.HEIGHT, STEP) for x in range(0, eye.WIDTH, STEP)]
    covered = np.repeat(shown[None], len(places) + 1, axis=0)
    for number, (y, x) in enumerate(places, start=1):
        covered[number, max(0, y - PATCH // 2) : y + PATCH // 2, max(0, x - PATCH // 2) : x + PATCH // 2] = GREY
    seen = eye.read(covered.reshape(len(covered), eye.HEIGHT, -1))
    chances = [reading.answers[row] if cell == eye.PEGS else reading.pegs[row, cell] for reading in seen]
    best = int(np.argmax(chances[0]))
    shades = np.zeros((eye.HEIGHT, eye.WIDTH))
    for (y, x), chance in zip(places, chances[1:], strict=True):
        shades[y : y + STEP, x : x + STEP] = max(0.0, float(chances[0][best] - chance[best]))
    shades = shades[bar : eye.HEIGHT - bar, side : eye.WIDTH - side]
    return np.asarray(shades / max(shades.max(), 1e-9))


PHOTO = Photo(
    about=marked(
        "A board of 4 pegs, 6 colours and 10 rows as the page draws it: the whole of it, upright, not too small."
    ),
    game="mastermind:maker=seat",
    read=read, moves=moves, advice=advice, sample=sample, heat=heat, cut=cut,
)  # fmt: skip
