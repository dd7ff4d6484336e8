"""Maps as numbers, thousands at a time: from genes alone, vectors that a taste is learned on and measures that say what
a map is like. Nothing is simulated here.

Where a game's grid says which gene fills which cell, vectors and measures know of regions, neighbours and mirrors; else
genes stand in a row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import Game
from turnsmith.contract.grids import Form, form_of
from turnsmith.maps.genome_net import one_hot
from turnsmith.maps.making import layout
from turnsmith.maps.making.variation import VariationRules, sow
from turnsmith.maps.tree_runs import growths
from turnsmith.nets import dense as nets

OWN = 256
"""Maps of the game that gene weights and scales are taken from."""
TRIED = 8
"""Seeds after which it is clear whether other maps of the game can be of use."""
SAMPLE = 512
"""Maps drawn near the game's own, which scales are taken from."""
NEIGHBOURS = 4
"""More of the same kind beside a cell are not told apart."""
FEW = 8
"""Genes with more values are numbers; those with fewer are kinds, each as far from any other."""


def add_rows(genomes: Any, starts: Any, table: Any, out: Any) -> None:
    """out[map] = the sum of the rows of `table` that the values of its genes have."""
    for row in range(genomes.shape[0]):
        for column in range(table.shape[1]):
            out[row, column] = 0.0
        for gene in range(genomes.shape[1]):
            place = starts[gene] + genomes[row, gene]
            for column in range(table.shape[1]):
                out[row, column] += table[place, column]


def write_places(genomes: Any, starts: Any, places: Any, amounts: Any, out: Any) -> None:
    """Where every value of a gene says at most two numbers: out[map, places[value]] = amounts[value]; -1: none."""
    for row in range(genomes.shape[0]):
        for gene in range(genomes.shape[1]):
            value = starts[gene] + genomes[row, gene]
            for which in range(2):
                if places[value, which] >= 0:
                    out[row, places[value, which]] = amounts[value, which]


def compare_pairs(genomes: Any, pairs: Any, groups: Any, empty: int, span: int, out: Any) -> None:
    """out[map, group] = how alike the pairs of genes in a group are that are not both empty, 1 where there are none:
    the share that is the same, or where values are levels, `span` from first to last, how near they are.

    pairs: int64[pairs, 2], those of group g from groups[g] to groups[g + 1].
    """
    for row in range(genomes.shape[0]):
        for group in range(groups.shape[0] - 1):
            alike, counted = 0.0, 0
            for pair in range(groups[group], groups[group + 1]):
                one, other = genomes[row, pairs[pair, 0]], genomes[row, pairs[pair, 1]]
                if one != empty or other != empty:
                    counted += 1
                    if span:
                        alike += 1.0 - abs(one - other) / span
                    elif one == other:
                        alike += 1.0
            out[row, group] = alike / counted if counted else 1.0


def count_alike(genomes: Any, placed: Any, near: Any, kinds: int, out: Any) -> None:
    """out[map, kind, n] = the share of placed genes that are of a kind and have n neighbours of the same, the last n
    being for more. near: int64[placed, neighbours], -1 at the end."""
    most = out.shape[2] - 1
    for row in range(genomes.shape[0]):
        for kind in range(kinds):
            for count in range(most + 1):
                out[row, kind, count] = 0.0
        for place in range(placed.shape[0]):
            value, alike = genomes[row, placed[place]], 0
            for which in range(near.shape[1]):
                if near[place, which] >= 0 and genomes[row, near[place, which]] == value:
                    alike += 1
            out[row, value, min(alike, most)] += 1.0 / placed.shape[0]


class Describer:
    """Everything about maps of a game that have the genes of one map of it, the base."""

    def __init__(self, game: Game, base: dict[str, Any]):
        if game.genes is None or game.gene_values is None or game.with_genes is None:
            raise BadInput(
                f"maps of {game.name} have no genes, so none can be made; see genes in docs/reference/contract.md"
            )
        self.game, self.base = game, base
        self._genes, self._values, self._with_genes = game.genes, game.gene_values, game.with_genes
        self.values = np.asarray(self._values(base), np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.values)[:-1]])

    # ------------------------------------------------------------ genes and descriptions

    def has_place_for(self, source: dict[str, Any]) -> bool:
        """Whether a map has the same genes as the base."""
        try:
            values = np.asarray(self._values(source))
        except Exception:  # a description of another kind, met by a game's own function
            return False
        return values.shape == self.values.shape and bool((values == self.values).all())

    def genes_of(self, source: dict[str, Any]) -> Array:
        """int32[genes]"""
        return np.asarray(self._genes(source), np.int32)

    def source_of(self, genome: Array, drawing: int | None = None) -> dict[str, Any]:
        """The description with these genes, repaired; what is drawn apart from them is that of the seed `drawing`."""
        base = self.base if drawing is None else self.redrawn(self.base, drawing)
        source = json.loads(json.dumps(self._with_genes(base, genome.astype(np.int64))))
        assert isinstance(source, dict)
        return source

    def redrawn(self, source: dict[str, Any], drawing: int) -> dict[str, Any]:
        """A map with what is drawn apart from its genes drawn anew."""
        apart = self.form.drawn_apart if self.form is not None else ()
        if not apart:
            return source
        other = self.game.describe(drawing)
        return {**source, **{name: other[name] for name in apart}}

    def repaired(self, genomes: Array) -> Array:
        """int32[maps, genes]: the genes of the maps that are made of some."""
        return np.array([self._genes(self._with_genes(self.base, row.astype(np.int64))) for row in genomes], np.int32)

    @cached_property
    def own(self) -> Array:
        """int32[maps, genes]: different maps that the game draws itself, the base first."""
        genomes = [self.genes_of(self.base)]
        for seed in range(OWN):
            source = self.game.describe(seed)
            if self.has_place_for(source):
                genomes.append(self.genes_of(source))
            different = {genome.tobytes(): genome for genome in genomes}
            if seed + 1 >= TRIED and len(different) <= 2:
                break  # there is one map, or every map has genes of its own
        return np.array(list(different.values()), np.int32)

    @cached_property
    def chances(self) -> Array:
        """float64: the share of every value of every gene, among all genes with as many values in the game's own
        maps, summed up gene by gene."""
        chances = np.zeros(int(self.values.sum()))
        for kind in np.unique(self.values):
            genes = np.flatnonzero(self.values == kind)
            counts = np.bincount(self.own[:, genes].reshape(-1), minlength=kind) + 1.0
            for gene in genes:
                chances[self.starts[gene] : self.starts[gene] + kind] = np.cumsum(counts / counts.sum())
        return chances

    @cached_property
    def needs_repair(self) -> bool:
        """Whether genes put together do not always make a map: tried on random ones, and on those all of one value."""
        random = np.random.default_rng(0).integers(0, self.values, (32, len(self.values)))
        alike = np.minimum(np.arange(min(FEW, int(self.values.max())))[:, None], self.values - 1)
        tried = np.concatenate([alike, random]).astype(np.int32)
        return bool((self.repaired(tried) != tried).any())

    # ------------------------------------------------------------ where genes are

    @cached_property
    def form(self) -> Form | None:
        try:
            return form_of(self.game.home or self.game.name)
        except BadInput:
            return None

    @cached_property
    def cells(self) -> Array:
        """int64[rows, columns]: the gene of each cell, -1 for none; one row where there is no grid."""
        if self.form is None:
            return np.arange(len(self.values))[None]
        if self.form.genes is not None:
            return np.asarray(self.form.genes(self.base), np.int64)
        return layout.cells_by_trying(self.form, self.base, self._genes, self._with_genes)

    @cached_property
    def placed(self) -> Array:
        """int64: the genes that fill cells and can differ, those of the commonest number of values."""
        genes = np.unique(self.cells[self.cells >= 0])
        genes = genes[self.values[genes] > 1]
        if not len(genes):
            return np.flatnonzero(self.values == self.values.max())
        counts = np.bincount(self.values[genes])
        return np.asarray(genes[self.values[genes] == counts.argmax()])

    @cached_property
    def count(self) -> int:
        """How many values such a gene has."""
        return int(self.values[self.placed[0]])

    @property
    def are_levels(self) -> bool:
        """Whether these values are levels, near to their neighbours, rather than kinds."""
        return self.count > FEW

    @cached_property
    def _tiles(self) -> list[Array]:
        """For every value of such a gene, int64[tiles]: how often each tile is drawn where all of them have it."""
        if self.form is None:
            return [np.eye(self.count, dtype=np.int64)[value] for value in range(self.count)]
        start = self.genes_of(self.base).astype(np.int64)
        return layout.tiles(self.form, self.base, start, self._with_genes, self.cells, self.placed, self.count)

    @cached_property
    def empty(self) -> int:
        """The value that means that nothing is there, which the first tile is drawn for; -1 where values are levels."""
        return -1 if self.are_levels else int(np.argmax([counts[0] for counts in self._tiles]))

    @cached_property
    def kinds(self) -> list[str]:
        """What the values are called: as their tile, where they have one."""
        if self.form is None:
            return [str(value) for value in range(len(self._tiles))]
        names = [tile.name.replace(" ", "_") for tile in self.form.layers[self.form.drawn]]
        kinds = [names[int(counts.argmax())] if counts.max() > counts.sum() / 2 else "filled" for counts in self._tiles]
        return kinds if len(set(kinds)) == len(kinds) else [str(value) for value in range(len(kinds))]

    def copied(self, symmetry: str) -> Array:
        """int64[genes]: the gene that each is a copy of under a symmetry, "" for none; refused where maps have no such
        symmetry."""
        if symmetry and symmetry not in self.symmetries:
            there = f"there is {', '.join(self.symmetries)}" if self.symmetries else "leave it out"
            raise BadInput(f"maps of {self.game.name} have no symmetry '{shown(symmetry)}'; {there}")
        return self._classes(symmetry)

    @cached_property
    def symmetries(self) -> list[str]:
        """Those that maps can have."""
        return [way for way in layout.SYMMETRIES if (self._classes(way) != np.arange(len(self.values))).any()]

    def _classes(self, symmetry: str) -> Array:
        hexes = self.form is not None and self.form.hexes
        return layout.classes(self.cells, self.values, symmetry, hexes)

    # ------------------------------------------------------------ measures

    @cached_property
    def _linear(self) -> tuple[list[str], Array]:
        """Measures that are sums over genes, and float32[values of all genes, measures]."""
        middle, size = layout.middle(self.cells, self.placed), len(self.placed)
        if self.are_levels:
            names = ["mean_level", "centre_level"]
            columns = [(value / (self.count - 1), value / (self.count - 1)) for value in range(self.count)]
        else:
            names = ["cover_density", "centre_density", *(f"share_{name}" for name in self.kinds)]
            ones = np.eye(self.count)
            columns = [(value != self.empty, value != self.empty, *ones[value]) for value in range(self.count)]
        table = np.zeros((int(self.values.sum()), len(names)), np.float32)
        for value, numbers in enumerate(columns):
            table[self.starts[self.placed] + value] = np.array(numbers) / size
            table[self.starts[self.placed] + value, 1] = 0.0
            table[self.starts[middle] + value, 1] = numbers[1] / len(middle)
        return names, table

    @cached_property
    def _pairs(self) -> tuple[list[str], Array, Array]:
        """Measures that compare genes: names, pairs and where the pairs of each begin."""
        hexes = self.form is not None and self.form.hexes
        pairs_of = {"alike_neighbours": layout.neighbours(self.cells, self.placed, hexes)}
        for symmetry in layout.SYMMETRIES:
            partner = layout.partners(self.cells, len(self.values), symmetry, hexes)
            pairs = np.stack([self.placed, partner[self.placed]], axis=1)
            if (pairs[:, 0] != pairs[:, 1]).any():
                pairs_of[f"symmetry_{symmetry}"] = pairs
        groups = np.cumsum([0, *(len(pairs) for pairs in pairs_of.values())])
        return list(pairs_of), np.concatenate(list(pairs_of.values())).astype(np.int64), groups

    @property
    def measure_names(self) -> list[str]:
        """What is known of every map without playing."""
        return [*self._linear[0], *self._pairs[0], "symmetry"]

    def measures(self, genomes: Array, names: Sequence[str] = ()) -> Array:
        """float32[maps, measures]: those named, or all."""
        sums, (_, pairs, groups) = np.zeros((len(genomes), self._linear[1].shape[1]), np.float32), self._pairs
        compiled(add_rows)(genomes, self.starts, self._linear[1], sums)
        alike = np.zeros((len(genomes), len(groups) - 1), np.float32)
        compiled(compare_pairs)(genomes, pairs, groups, self.empty, self.count - 1 if self.are_levels else 0, alike)
        best = alike[:, 1:].max(axis=1, keepdims=True) if alike.shape[1] > 1 else np.ones((len(alike), 1), np.float32)
        every = np.concatenate([sums, alike, best], axis=1)
        if not names:
            return every
        known = self.measure_names
        for name in names:
            if name not in known:
                near = suggestion(name, known)
                raise BadInput(f"there is no measure '{shown(name)}' of genes{near}; there are {', '.join(known)}")
        return np.ascontiguousarray(every[:, [known.index(name) for name in names]])

    # ------------------------------------------------------------ vectors

    @cached_property
    def _nets(self) -> dict[str, nets.Net]:
        """What comes with the game and reads such genes, by the name of the vectors that it tells."""
        own = next(iter(growths(self.game.home or self.game.name).values()), None)
        paths = {"play": own.play_net, "trees": own.genome_net} if own else {}
        known = {name: nets.read_net(path) for name, path in paths.items() if path is not None}
        about = {"genes": len(self.values), "values": int(self.values.max())}
        return {name: net for name, net in known.items() if net.about == about}

    @cached_property
    def _counted(self) -> Array:
        """float64[values, …]: what a value of a placed gene is counted as: one of the kinds but empty, or its level."""
        if self.are_levels:
            return np.arange(self.count)[:, None] / (self.count - 1)
        return np.delete(np.eye(self.count), self.empty, axis=1)

    @cached_property
    def _regions(self) -> Array:
        """float32[values of all genes, features]: the share of every kind, or the mean level, in every ninth."""
        return layout.regions(self.cells, self.placed, int(self.values.sum()), self.starts, self._counted)

    @cached_property
    def _rings(self) -> Array:
        """The same at every distance from the middle."""
        return layout.rings(self.cells, self.placed, int(self.values.sum()), self.starts, self._counted)

    @cached_property
    def _numbers(self) -> dict[str, tuple[Array, Array, int]]:
        """Genes as numbers, see ``layout.genome_numbers``: those that fill cells, and the others."""
        inside = np.unique(self.cells[self.cells >= 0])
        parts = {"genome": inside, "others": np.setdiff1d(np.arange(len(self.values)), inside)}
        numbers = {
            name: layout.genome_numbers(self.cells, self.values, self.starts, FEW, genes)
            for name, genes in parts.items()
        }
        return {name: entry for name, entry in numbers.items() if entry[2]}

    @cached_property
    def _others(self) -> Array:
        """float32[values of all genes, features]: shares of values among the genes that fill no cells."""
        inside = np.unique(self.cells[self.cells >= 0])
        return layout.group_shares(self.values, self.starts, FEW, np.setdiff1d(np.arange(len(self.values)), inside))

    @cached_property
    def _near(self) -> Array:
        hexes = self.form is not None and self.form.hexes
        return layout.beside(layout.neighbours(self.cells, self.placed, hexes), self.placed)

    @cached_property
    def sample(self) -> Array:
        """int32[SAMPLE, genes]: maps drawn at random near the game's own, which scales are taken from."""
        genomes = np.zeros((SAMPLE, len(self.values)), np.int32)
        free, alone = np.full(len(self.values), -1, np.int32), np.arange(len(self.values))
        rules = VariationRules(self.values, self.chances, self.starts, free, alone, 0.0, 0.0)
        compiled(sow)(rules, self.own, np.uint64(0), 0, genomes, np.zeros(SAMPLE))
        return genomes

    @cached_property
    def _scales(self) -> dict[str, tuple[Array, Array]]:
        """Middle and spread of rings and features."""
        counted = {"rings": self.rings(self.sample), "features": self._features(self.sample)}
        spreads = {name: rows.std(axis=0) for name, rows in counted.items()}
        usable = {name: np.where(spread > 1e-6, spread, 1.0) for name, spread in spreads.items()}
        return {name: (rows.mean(axis=0), usable[name]) for name, rows in counted.items()}

    def _summed(self, table: Array, genomes: Array) -> Array:
        sums = np.zeros((len(genomes), table.shape[1]), np.float32)
        compiled(add_rows)(genomes, self.starts, table, sums)
        return sums

    def rings(self, genomes: Array) -> Array:
        """float32[maps, …]: the share of every kind but empty, or the mean level, at every distance from the middle."""
        return self._summed(self._rings, genomes)

    def _features(self, genomes: Array) -> Array:
        parts = [self.measures(genomes), self._summed(self._regions, genomes), self._summed(self._others, genomes)]
        if not self.are_levels:
            alike = np.zeros((len(genomes), self.count, NEIGHBOURS + 1), np.float32)
            compiled(count_alike)(genomes, self.placed, self._near, self.count, alike)
            parts.append(alike.reshape(len(genomes), self.count * (NEIGHBOURS + 1)))
        return np.concatenate(parts, axis=1)

    def vectors(self, genomes: Array) -> dict[str, Array]:
        """float32[maps, …] by name: what a taste is learned on. `play` and `trees`: what nets of the game say of play
        on the map, and of its trees; `rings`: shares by the distance from the middle; `features`: other shares, and
        likenesses; `genome`: the genes of cells; `others`: all other genes."""
        vectors: dict[str, Array] = {}
        if self._nets:
            inputs = one_hot(genomes, int(self.values.max()))
            vectors |= {name: net(inputs) for name, net in self._nets.items()}
        for name, counted in (("rings", self.rings(genomes)), ("features", self._features(genomes))):
            middle, spread = self._scales[name]
            vectors[name] = (counted - middle) / spread
        for name, (places, amounts, count) in self._numbers.items():
            vectors[name] = np.zeros((len(genomes), count), np.float32)
            compiled(write_places)(genomes, self.starts, places, amounts, vectors[name])
        return vectors
