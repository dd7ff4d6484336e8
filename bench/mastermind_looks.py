"""How the shipped eye reads boards that look otherwise than those it was trained on: other colours, other proportions.

Boards are drawn as on the page, then changed. Shares of pegs and answers that are misread, of rows that are there.
"""

import numpy as np

from turnsmith.games.mastermind import eye
from turnsmith.games.mastermind.cameras import PHOTO, STILL
from turnsmith.games.mastermind.picture import FILLS, HOLE, RED, WHITE, WOOD
from turnsmith.games.mastermind.pixels import rgb
from turnsmith.studies.mastermind import album

MANY = 256
PRIMARY = ["#ff0000", "#0000ff", "#ffff00", "#00ff00", "#ff00ff", "#ffffff"]
DARKER = ["#a04600", "#005585", "#b4ab32", "#007656", "#995b7d", "#acacac"]


def exchanged(old, new):
    """Other colours for some; what blends two of them at an edge stays."""

    def change(picture):
        out = picture.copy()
        for one, other in zip(old, new, strict=True):
            out[(picture == rgb(one)).all(axis=2)] = rgb(other)
        return out

    return change


def sized(tall, wide):
    """As a picture of other sides, the board filling it."""

    def change(picture):
        rows = (np.arange(round(tall * len(picture))) / tall).astype(int)
        columns = (np.arange(round(wide * picture.shape[1])) / wide).astype(int)
        return picture[rows][:, columns]

    return change


def within(share, ground=90):
    """The board in the middle of a larger, plain picture of the same proportions."""

    def change(picture):
        tall, wide = (round(side / share) for side in picture.shape[:2])
        out = np.full((tall, wide, 3), ground, np.uint8)
        above, left = (tall - picture.shape[0]) // 2, (wide - picture.shape[1]) // 2
        out[above : above + picture.shape[0], left : left + picture.shape[1]] = picture
        return out

    return change


LOOKS = {
    "as drawn": lambda picture: picture,
    "three times as large": sized(3.0, 3.0),
    "board of black plastic": exchanged([WOOD, HOLE], ["#202020", "#101010"]),
    "board of white plastic": exchanged([WOOD, HOLE], ["#e0e0e0", "#b0b0b0"]),
    "board of green felt": exchanged([WOOD, HOLE], ["#1e6b34", "#144a24"]),
    "pegs darker by a quarter": exchanged(FILLS[: eye.COLORS], DARKER),
    "pegs of pure colours": exchanged(FILLS[: eye.COLORS], PRIMARY),
    "black pins for red ones": exchanged([RED], ["#101010"]),
    "white pins grey": exchanged([WHITE], ["#c0c0c0"]),
    "a tenth wider": sized(3.0, 3.3),
    "a quarter wider": sized(3.0, 3.75),
    "a quarter taller": sized(3.75, 3.0),
    "filling 80 % of the picture's sides": within(0.8),
    "filling 60 %": within(0.6),
    "filling 40 %": within(0.4),
    "upside down": lambda picture: picture[::-1, ::-1],
    "lying on its side": lambda picture: picture.transpose(1, 0, 2)[::-1],
}


def misread(made, change):
    """Shares of pegs and of answers."""
    shape = (len(made.pictures), eye.HEIGHT, eye.WIDTH, 3)
    changed = [eye.fitted(np.ascontiguousarray(change(each))) for each in made.pictures.reshape(shape)]
    read, rows = eye.read(np.stack(changed)), made.pegs[:, :, 0] < eye.COLORS
    pegs = (np.stack([each.pegs.argmax(-1) for each in read]) != made.pegs)[rows].mean()
    return pegs, (np.stack([each.answers.argmax(-1) for each in read]) != made.answers)[rows].mean()


if __name__ == "__main__":
    seeds = np.arange(MANY, dtype=np.uint64) + np.uint64(2**63 + 2**61)
    made = album.samples(seeds, ((STILL, 0),))
    for name, change in LOOKS.items():
        pegs, answers = misread(made, change)
        print(f"{name:<38} pegs {pegs:7.2%}   answers {answers:7.2%}", flush=True)
    pegs, answers = misread(album.samples(seeds, ((PHOTO, 0),)), LOOKS["as drawn"])
    print(f"{'photographs':<38} pegs {pegs:7.2%}   answers {answers:7.2%}")
