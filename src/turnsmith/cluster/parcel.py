"""Plain data in one piece of bytes: a JSON document and arrays of numbers, compressed. Nothing in it can run."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import zstandard

from turnsmith.common.arrays import Array

MOST_BYTES = 2**31
"""No parcel is larger."""


def packed(document: Any, **arrays: Array) -> bytes:
    """The same for the same content."""
    listed = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    head = json.dumps([document, listed]).encode()
    body = [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    return zstandard.compress(b"".join([len(head).to_bytes(8, "little"), head, *body]), 1)


def unpacked(raw: bytes) -> tuple[Any, dict[str, Array]]:
    """What was packed; a ValueError of anything else.

    >>> unpacked(packed({"seed": 3}, numbers=np.arange(3)))
    ({'seed': 3}, {'numbers': array([0, 1, 2])})
    """
    try:
        if zstandard.get_frame_parameters(raw).content_size > MOST_BYTES:
            raise ValueError("too large")
        whole = zstandard.decompress(raw)
        end = 8 + int.from_bytes(whole[:8], "little")
        document, listed = json.loads(whole[8:end])
        arrays: dict[str, Array] = {}
        for name, kind, shape in listed:
            dtype = np.dtype(kind)
            if dtype.hasobject:
                raise ValueError("objects")
            begin, end = end, end + dtype.itemsize * math.prod(shape)
            arrays[name] = np.frombuffer(bytearray(whole[begin:end]), dtype).reshape(shape)  # bytes of one's own
    except (zstandard.ZstdError, TypeError, KeyError) as error:
        raise ValueError(f"not a parcel: {error}") from None
    return document, arrays
