"""Maps to try files with: random ones of Homeguard as plain descriptions, those of other games as they draw them."""

import random

from turnsmith.maps.record import GameMap


def homeguard(seed, size=9, pairs=2, share=0.5):
    """A description of a Homeguard board."""
    dice = random.Random(seed)

    def sign(row, column):
        return dice.choice("oT") if (row + column) % 2 and dice.random() < share else "."

    rows = ["".join(sign(row, column) for column in range(size)) for row in range(size)]
    free = [
        row * size + column
        for row in range(size)
        for column in range(size)
        if (row + column) % 2 == 0 and not {row, column} <= {0, size - 1}
    ]
    ends = dice.sample(free, 2 * pairs)
    portals = [sorted(ends[first : first + 2]) for first in range(0, 2 * pairs, 2)]
    return {"rows": rows, "portals": portals, "generator": "checkers", "starts": "corners", "strict": False}


def homeguard_map(number, size=9, **known):
    text = "homeguard" if size == 9 else f"homeguard:size={size}"
    return GameMap(text, homeguard(number, size), **known)


def mutated(data, dice):
    """A file with one thing wrong in it: a byte changed, cut out, put in or said twice, or the end missing."""
    start = dice.randrange(len(data))
    length = dice.choice((1, 1, 1, 2, 8, 64))
    kind = dice.randrange(6)
    if kind == 0:
        return data[:start] + bytes([dice.randrange(256)]) + data[start + 1 :]
    if kind == 1:
        return data[:start] + data[start + length :]
    if kind == 2:
        return data[:start] + bytes(dice.randrange(256) for _ in range(length)) + data[start:]
    if kind == 3:
        return data[:start] + data[start : start + length] + data[start:]
    if kind == 4:
        return data[:start]
    known = b"0123456789 -+,;:.\"'{}[]<>/&\n\r\tATop#"
    return data[:start] + bytes([dice.choice(known)]) + data[start + 1 :]
