"""The player `personality`: the one of an archive of matrices that behaves most as it was asked to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.games.tactics.matrix import HEIGHT, WIDTH, Size, decide_by_matrix
from turnsmith.nets.archive import Archive, load_archive
from turnsmith.nets.files import until_changed
from turnsmith.play.player import CompiledPlayer, Prepared, filled

SHIPPED = Path(__file__).parent / "personalities.json"
AXES = ("aggression", "cover")


@until_changed
def read_archive(path: Path) -> Archive:
    """An archive of matrices by aggression and cover; any other is refused."""
    found = load_archive(path)
    names, length = tuple(axis.name for axis in found.axes), found.genes.shape[1]
    if names != AXES or length % WIDTH or not WIDTH <= length <= WIDTH * HEIGHT:
        wanted = f"{' and '.join(AXES)}, with matrices of {WIDTH} columns and up to {HEIGHT} rows"
        raise BadInput(f"{path} is an archive by {' and '.join(names)} with {length} genes; it must be one by {wanted}")
    return found


@dataclass(frozen=True, repr=False)
class Personality(CompiledPlayer):
    name = "personality"
    summary = "as aggressive, and as fond of cover, as you like: the nearest of many evolved matrices"
    decide = decide_by_matrix
    board_independent = True
    aggression: float = setting(0.5, 0.0, 1.0)
    """The share of its turns that a soldier ends nearer to an enemy than it began."""
    cover: float = setting(0.5, 0.0, 1.0)
    """The share of its turns that a soldier ends behind cover from the nearest enemy, or taking cover."""
    file: Annotated[str, FileName()] = setting("")
    """The path of an archive of your own, as `turnsmith train tactics personalities` writes it."""

    def prepare(self, game, boards):
        archive = read_archive(Path(self.file) if self.file else SHIPPED)
        entries = archive.genes[archive.nearest((self.aggression, self.cover))].reshape(-1, WIDTH)
        return Prepared.of(data=np.ascontiguousarray(entries), params=filled(Size, self, rows=len(entries)))
