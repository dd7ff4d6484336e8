"""What bad cameras make of a picture of the board: wrong colours, a shaking hand, a photograph. Compiled.

A picture is uint8[height, 3 · width]. Where a board is in a picture is told by its corners, float64[4, 2]: x and y of
the left upper, right upper, right lower and left lower one, as shares of the picture's width and height.

The original work's first distortion adds an offset to each colour channel of a picture, up to so much, and cuts what
is beyond black and white; its second one turns, shrinks and moves the board on black ground. How far it does not say;
TURN, SHRUNK and MOVED are ours. The photograph adds what a telephone would: perspective, uneven and coloured light,
blur, noise and things behind the board.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from turnsmith.compile.rng import below, unit

Kind = Literal["still", "shaken", "photo"]
STILL, SHAKEN, PHOTO = range(len(get_args(Kind)))
TURN, SHRUNK, MOVED = math.radians(12.0), (0.7, 0.95), 0.05
"""Of a shaken picture: turned by up to so much either way, made so small, moved by such a share of its sides."""
TILT = 0.06
"""Of a photograph: how far every corner is off besides, as a share of the sides."""
MOST_OFFSET = 250


def between(low, high, rng):
    return low + (high - low) * unit(rng)


def place_corners(kind, height, width, corners, rng):
    """Where the corners of the board come to be."""
    turn, size, x, y = 0.0, 1.0, 0.5, 0.5
    if kind != STILL:
        turn, size = between(-TURN, TURN, rng), between(SHRUNK[0], SHRUNK[1], rng)
        x, y = 0.5 + between(-MOVED, MOVED, rng), 0.5 + between(-MOVED, MOVED, rng)
    for corner in range(4):
        across = size * width * (0.5 if corner in (1, 2) else -0.5)
        down = size * height * (0.5 if corner >= 2 else -0.5)
        corners[corner, 0] = x + (across * math.cos(turn) - down * math.sin(turn)) / width
        corners[corner, 1] = y + (across * math.sin(turn) + down * math.cos(turn)) / height
        if kind == PHOTO:
            corners[corner, 0] += between(-TILT, TILT, rng)
            corners[corner, 1] += between(-TILT, TILT, rng)


def to_quad(corners, out):
    """float64[3, 3]: the projection that takes the unit square to these corners (after Heckbert)."""
    x0, y0, x1, y1 = corners[0, 0], corners[0, 1], corners[1, 0], corners[1, 1]
    x2, y2, x3, y3 = corners[2, 0], corners[2, 1], corners[3, 0], corners[3, 1]
    dx1, dy1, dx2, dy2 = x1 - x2, y1 - y2, x3 - x2, y3 - y2
    sx, sy = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    area = dx1 * dy2 - dx2 * dy1
    if abs(area) < 1e-9:  # no board has such corners; whatever comes of it is as wrong
        area = 1e-9
    g, h = (sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area
    out[0, 0], out[0, 1], out[0, 2] = x1 - x0 + g * x1, x3 - x0 + h * x3, x0
    out[1, 0], out[1, 1], out[1, 2] = y1 - y0 + g * y1, y3 - y0 + h * y3, y0
    out[2, 0], out[2, 1], out[2, 2] = g, h, 1.0


def turn_back(matrix, out):
    """The projection the other way round, up to a factor that does not count."""
    for row in range(3):
        for column in range(3):
            a, b = (column + 1) % 3, (column + 2) % 3
            c, d = (row + 1) % 3, (row + 2) % 3
            out[row, column] = matrix[a, c] * matrix[b, d] - matrix[a, d] * matrix[b, c]


def warp(picture, matrix, ground, out):
    """Fill `out` with what the picture shows where `matrix` takes each place, both as shares of their sides; between
    pixels by their mean, beyond its edge `ground` (3 bytes)."""
    height, width = picture.shape[0], picture.shape[1] // 3
    for row in range(out.shape[0]):
        t = (row + 0.5) / out.shape[0]
        for column in range(out.shape[1] // 3):
            s = (column + 0.5) / (out.shape[1] // 3)
            far = matrix[2, 0] * s + matrix[2, 1] * t + matrix[2, 2]
            far = far if abs(far) > 1e-9 else 1e-9
            u = (matrix[0, 0] * s + matrix[0, 1] * t + matrix[0, 2]) / far * width - 0.5
            v = (matrix[1, 0] * s + matrix[1, 1] * t + matrix[1, 2]) / far * height - 0.5
            if not (-1.0 < u < width and -1.0 < v < height):
                for channel in range(3):
                    out[row, 3 * column + channel] = ground[channel]
                continue
            left, above = np.int64(math.floor(u)), np.int64(math.floor(v))
            along, down = u - left, v - above
            for channel in range(3):
                total = 0.0
                for dy in range(2):
                    for dx in range(2):
                        share = (along if dx else 1.0 - along) * (down if dy else 1.0 - down)
                        inside = 0 <= left + dx < width and 0 <= above + dy < height
                        seen = picture[above + dy, 3 * (left + dx) + channel] if inside else ground[channel]
                        total += share * seen
                out[row, 3 * column + channel] = np.uint8(total + 0.5)


def draw_offsets(most, out, rng):
    """A whole number from -most to most for each channel."""
    for channel in range(3):
        out[channel] = below(rng, 2 * most + 1) - most


def add_offsets(picture, most, rng):
    """A random number on each channel, cut to 0..255."""
    offsets = np.empty(3, np.int64)
    draw_offsets(most, offsets, rng)
    for channel in range(3):
        for row in range(picture.shape[0]):
            for column in range(picture.shape[1] // 3):
                value = np.int64(picture[row, 3 * column + channel]) + offsets[channel]
                picture[row, 3 * column + channel] = np.uint8(min(255, max(0, value)))


def light_up(picture, rng):
    """Uneven, coloured light and the noise of a small sensor."""
    height, width = picture.shape[0], picture.shape[1] // 3
    level, across, down = between(0.65, 1.25, rng), between(-0.25, 0.25, rng), between(-0.25, 0.25, rng)
    noise = between(0.0, 12.0, rng)
    for channel in range(3):
        own = level * between(0.88, 1.12, rng)
        for row in range(height):
            for column in range(width):
                gain = own * (1.0 + across * (column / width - 0.5) + down * (row / height - 0.5))
                grain = noise * (unit(rng) + unit(rng) + unit(rng) - 1.5) * 2.0
                value = picture[row, 3 * column + channel] * gain + grain
                picture[row, 3 * column + channel] = np.uint8(min(255.0, max(0.0, value)))


def blur(picture, share, spare):
    """Mix every pixel with its four neighbours."""
    height, width = picture.shape[0], picture.shape[1]
    for row in range(height):
        for byte in range(width):
            spare[row, byte] = picture[row, byte]
    for row in range(1, height - 1):
        for byte in range(3, width - 3):
            beside = (
                np.float64(spare[row, byte - 3]) + spare[row, byte + 3] + spare[row - 1, byte] + spare[row + 1, byte]
            )
            picture[row, byte] = np.uint8((1.0 - share) * spare[row, byte] + share * 0.25 * beside)


def shoot(picture, kind, most, spare, corners, out, rng):
    """What a camera makes of a picture of the board, and where the board's corners are in it.

    kind: STILL, SHAKEN or PHOTO; most: the greatest offset of colours. spare: as large as `out`.
    """
    matrix, back = np.empty((3, 3)), np.empty((3, 3))
    ground = np.zeros(3, np.uint8)
    place_corners(kind, out.shape[0], out.shape[1] // 3, corners, rng)
    if kind == PHOTO:
        for channel in range(3):
            ground[channel] = below(rng, 256)
    to_quad(corners, matrix)
    turn_back(matrix, back)
    warp(picture, back, ground, out)
    if kind == PHOTO:
        blur(out, between(0.0, 0.7, rng), spare)
        light_up(out, rng)
    if most > 0:
        add_offsets(out, most, rng)


def rectify(picture, corners, out):
    """The board alone and upright, cut out of a picture at its corners."""
    matrix = np.empty((3, 3))
    to_quad(corners, matrix)
    warp(picture, matrix, np.zeros(3, np.uint8), out)
