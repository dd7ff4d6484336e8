"""iwonformat, the original program's tensors: three little-endian uint32, the shape, then int16 numbers.

A run X of the original has the maps in X itself and a tensor of trees × branches × layers in each of
X.treeLAInds.iwonformat (actions), X.treeScores.iwonformat and X.treeMinmaxes.iwonformat (best reachable scores). What
ours know besides stands in further files of the same format, X.treePositions.iwonformat and so on, with a row for every
branch of every tree: shape trees · branches × rounds × units.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_whole
from turnsmith.maps.files import FORMATS
from turnsmith.maps.files.damage import refuse
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import PADDING, SIDES, Trees

HEAD = 12
MOST_BYTES = 2**33
"""Of one tensor."""
NAMES = {"actions": "treeLAInds", "scores": "treeScores", "best": "treeMinmaxes"}
SIDE_NAMES = {name: "tree" + "".join(word.title() for word in name.split("_")) for name in SIDES}


# ---------------------------------------------------------------- one tensor


def write_tensor(path: Path, tensor: Array) -> None:
    """int16 of three dimensions, whole or not at all."""
    if tensor.ndim != 3 or tensor.dtype != np.int16 or 0 in tensor.shape or max(tensor.shape) >= 2**32:
        raise BadInput(f"{path}: a tensor is int16 of three dimensions, not {tensor.dtype} {tensor.shape}")

    def fill(target: BinaryIO) -> None:
        target.write(np.array(tensor.shape, "<u4").tobytes())
        for start in range(0, len(tensor), 1024):  # no second copy of it all
            target.write(np.ascontiguousarray(tensor[start : start + 1024], "<i2").tobytes())

    write_whole(path, fill)


def read_tensor(path: Path) -> Array:
    """The int16 numbers of a file, refused where they are not as many as its shape says."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}; a run has {', '.join(NAMES.values())}, each .iwonformat")
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD)
        if len(head) < HEAD:
            refuse(str(path), f"byte {len(head)}", f"the file ends within its shape, which has {HEAD} bytes")
        shape = tuple(int(length) for length in np.frombuffer(head, "<u4"))
        if 0 in shape:
            refuse(str(path), f"byte {4 * shape.index(0)}", f"the shape {_times(shape)} has no numbers")
        wanted = HEAD + 2 * math.prod(shape)
        if wanted > MOST_BYTES:
            refuse(str(path), "byte 0", f"the shape {_times(shape)} has more than {MOST_BYTES // 2:,} numbers")
        if size != wanted:
            which = "short" if size < wanted else "long"
            why = f"the file is too {which}: the shape {_times(shape)} takes {wanted:,} bytes, there are {size:,}"
            refuse(str(path), f"byte {min(size, wanted)}", why)
        return np.fromfile(file, "<i2").astype(np.int16, copy=False).reshape(shape)


def _times(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{length:,}" for length in shape)


# ---------------------------------------------------------------- a run


def tensor_file(run: Path, name: str) -> Path:
    return run.with_name(f"{run.name}.{name}.iwonformat")


def run_of(path: Path) -> Path | None:
    """The run that a path names, by its maps or by one of its tensors; None if there is none."""
    for name in (*NAMES.values(), *SIDE_NAMES.values()):
        if path.name.endswith(f".{name}.iwonformat"):
            path = path.with_name(path.name.removesuffix(f".{name}.iwonformat"))
    return path if any(tensor_file(path, name).exists() for name in NAMES.values()) else None


def write_run(run: Path, maps: list[GameMap], trees: Trees, header: str = "") -> list[Path]:
    """Write the maps, one a tree, and the tensors. The maps come last: a run that has them is complete."""
    if len(maps) != len(trees):
        raise BadInput(f"{run}: there are {len(maps)} maps and {len(trees)} trees; every tree has its map")
    content = _maps_format().text_of(maps, header).encode()
    run.unlink(missing_ok=True)
    for old in SIDE_NAMES.values():
        tensor_file(run, old).unlink(missing_ok=True)
    for name, called in NAMES.items():
        write_tensor(tensor_file(run, called), getattr(trees, name))
    for name, numbers in trees.sides.items():
        write_tensor(tensor_file(run, SIDE_NAMES[name]), numbers.reshape(-1, *numbers.shape[2:]))
    write_whole(run, lambda target: target.write(content))
    return [run, *(tensor_file(run, item) for item in (*NAMES.values(), *(SIDE_NAMES[side] for side in trees.sides)))]


def read_run(run: Path, layers_a_round: int = 2) -> tuple[list[GameMap], Trees]:
    """The maps of a run and its trees; refused unless all of its files fit together."""
    maps = _maps_format().read(_whole(run), str(run))
    trees = read_trees(run, layers_a_round)
    if len(maps) != len(trees):
        raise BadInput(f"{run}: there are {len(maps)} maps, but {len(trees)} trees; the files are of different runs")
    return maps, trees


def read_trees(run: Path, layers_a_round: int = 2) -> Trees:
    """The trees of a run, without its maps."""
    tensors = {name: read_tensor(tensor_file(run, called)) for name, called in NAMES.items()}
    shape = tensors["actions"].shape
    for name, tensor in tensors.items():
        if tensor.shape != shape:
            why = f"the shape {_times(tensor.shape)} is not that of {NAMES['actions']}, {_times(shape)}"
            refuse(str(tensor_file(run, NAMES[name])), "byte 0", why)
    _check_padding(run, tensors)
    sides = _read_sides(run, shape)
    return Trees(**tensors, sides=sides, layers_a_round=layers_a_round)


def _read_sides(run: Path, shape: tuple[Any, ...]) -> dict[str, Array]:
    sides = {}
    for name, called in SIDE_NAMES.items():
        file = tensor_file(run, called)
        if file.exists():
            tensor = read_tensor(file)
            if len(tensor) != shape[0] * shape[1]:
                refuse(str(file), "byte 0", f"there are {len(tensor):,} rows for {shape[0] * shape[1]:,} branches")
            sides[name] = tensor.reshape(*shape[:2], *tensor.shape[1:])
    return sides


def _check_padding(run: Path, found: dict[str, Array]) -> None:
    """A branch is there in all layers of all tensors, or in none, and those that are not there come last."""
    missing = found["scores"][:, :, -1] == PADDING
    for name, tensor in found.items():
        why = f"a branch is {PADDING} everywhere, or nowhere"
        _refuse_first((tensor == PADDING) != missing[:, :, None], tensor_file(run, NAMES[name]), why)
    behind = missing.copy()
    behind[:, 1:] = missing[:, :-1] & ~missing[:, 1:]  # the first branch must be there, and none after one that is not
    why = "a tree has at least one branch, and those that are not there come last"
    wrong = np.repeat(behind[:, :, None], found["scores"].shape[2], axis=2)
    _refuse_first(wrong, tensor_file(run, NAMES["scores"]), why)
    _refuse_first(found["actions"] < 0, tensor_file(run, NAMES["actions"]), "an action is below 0")


def _refuse_first(wrong: Array, file: Path, reason: str) -> None:
    """Refuse the first number of a tensor that is wrong, by its byte."""
    if wrong.any():
        place = int(np.argmax(wrong))
        tree, branch, layer = (int(index) for index in np.unravel_index(place, wrong.shape))
        refuse(str(file), f"byte {HEAD + 2 * place}", f"tree {tree}, branch {branch}, layer {layer}: {reason}")


def _maps_format() -> Any:
    """The module that reads and writes the maps of a run."""
    return FORMATS["iwonmapformat"].code


def _whole(run: Path) -> bytes:
    if not run.is_file():
        raise BadInput(f"there is no file {run}, the maps of the run; without it the run is not complete")
    if run.stat().st_size > MOST_BYTES:
        raise BadInput(f"{run} has {run.stat().st_size:,} bytes; maps of a run have at most {MOST_BYTES:,}")
    return run.read_bytes()
