"""Shapes of three by three crossings in whose middle playouts of Go like to put a stone (Gelly, Wang, Munos and
Teytaud, "Modification of UCT with patterns in Monte-Carlo Go", 2006).

X and O are the two colours, either way round; `.` is empty, `#` beyond the edge; `?` is anything, `x` anything but X,
`o` anything but O. Each shape stands for its turned and mirrored ones too.
"""

from functools import lru_cache
from itertools import product

import numpy as np

AROUND = ((0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
"""The neighbours of a crossing, those beside it first: steps to the right and up."""
CODES = 1 << 2 * len(AROUND)
"""How many numbers of surroundings there are: two bits a neighbour; 0 empty, 1 and 2 stones, 3 beyond the edge."""
SHAPES = (
    "XOX ... ???", "XO. ... ?.?", "XO? X.. x.?", ".O. X.. ...",  # bend round a stone
    "XO? O.o ?o?", "XO? O.X ???", "?X? O.O ooo", "OX? o.O ???",  # cut
    "X.? O.? ###", "OX? X.O ###", "?X? x.O ###", "?XO x.x ###", "?OX X.O ###",  # at the edge
)  # fmt: skip
MEANINGS = {".": (0,), "X": (1,), "O": (2,), "#": (3,), "?": (0, 1, 2, 3), "x": (0, 2, 3), "o": (0, 1, 3)}
OTHER_COLOUR = str.maketrans("XOxo", "OXox")


@lru_cache(maxsize=1)
def shape_bits():
    """uint64[CODES / 64]: a bit for each number of surroundings, whether it is one of the shapes."""
    is_shape = np.zeros(CODES, np.uint8)
    for shape in (text for one in SHAPES for text in (one, one.translate(OTHER_COLOUR))):
        rows = np.array([list(row) for row in shape.split()])
        for turned in (np.rot90(flipped, turns) for flipped in (rows, rows.T) for turns in range(4)):
            around = [MEANINGS[str(turned[1 + up, 1 + right])] for right, up in AROUND]
            for values in product(*around):
                is_shape[sum(value << 2 * index for index, value in enumerate(values))] = 1
    return np.packbits(is_shape, bitorder="little").view("<u8").astype(np.uint64)
