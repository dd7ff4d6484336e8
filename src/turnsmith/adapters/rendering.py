"""What an environment shows of a position, as Gymnasium and PettingZoo name it: text, or pixels of the picture."""

from __future__ import annotations

import importlib.util
import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra

if TYPE_CHECKING:
    from turnsmith.common.arrays import Array
    from turnsmith.play.position import PositionView

RGB = "rgb_array"
HAS_PIXELS = all(importlib.util.find_spec(library) for library in ("resvg_py", "PIL"))
RENDER_MODES = ["ansi", "human", *([RGB] if HAS_PIXELS else [])]
"""What can be had here; the last one by libraries that draw SVG."""
SIDE = 480
"""Of a frame, in pixels: all are squares of one size, as a video wants them, the picture in the middle."""


def checked_mode(mode: str | None) -> str | None:
    """The mode, if there is such a one here."""
    if mode == RGB and not HAS_PIXELS:
        raise BadInput("render_mode=rgb_array needs resvg_py and pillow: pip install 'turnsmith[gym]'")
    if mode is not None and mode not in RENDER_MODES:
        raise BadInput(f"render_mode={shown(mode)} is not one of {', '.join(RENDER_MODES)}")
    return mode


def rendered(look: PositionView, viewer: int | None, mode: str) -> str | Array:
    """A position as `viewer` sees it, or all there is: uint8[SIDE, SIDE, 3] for "rgb_array", else text."""
    if mode == RGB:
        return pixels(look.picture(viewer))
    from rich.text import Text

    return Text.from_markup(look.text(viewer)).plain


def pixels(svg: str) -> Array:
    """uint8[SIDE, SIDE, 3]: the picture as large as it fits, on white."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', svg)
    wide, high = (float(box[1]), float(box[2])) if box else (1.0, 1.0)
    size = {"width": SIDE} if wide >= high else {"height": SIDE}
    png = extra("resvg_py", of="gym").svg_to_bytes(svg_string=svg, background="#ffffff", **size)
    picture: Any = extra("PIL.Image", of="gym").open(io.BytesIO(png))
    drawn = np.asarray(picture.convert("RGB"))[:SIDE, :SIDE]
    top, left = (SIDE - drawn.shape[0]) // 2, (SIDE - drawn.shape[1]) // 2
    frame = np.full((SIDE, SIDE, 3), 255, np.uint8)
    frame[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    return frame
