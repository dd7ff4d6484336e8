"""Archives and what fills them: the best of each cell, files and their damage, the nearest, the same after a kill."""

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsmith.common.errors import BadInput
from turnsmith.evolve.map_elites import MapElites, MapElitesSettings, explore
from turnsmith.learn.run import Run
from turnsmith.nets.archive import Archive, Axis, load_archive, picture

AXES = (Axis("speed", 0.0, 1.0, 4), Axis("height", -1.0, 1.0, 5))


def made(seed=0, count=30, genes=3):
    random = np.random.default_rng(seed)
    measures = random.uniform((-0.2, -1.2), (1.2, 1.2), (count, 2))
    return Archive(AXES, random.normal(size=(count, genes)), random.random(count), measures)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_the_best_of_each_cell_stays(seed, count):
    """One elite a cell, none of its cell was fitter, and cells keep their order; to do it again changes nothing."""
    every = made(seed, count)
    kept = every.best_of_cells()
    cells = [tuple(place) for place in kept.places.tolist()]
    assert cells == sorted(set(map(tuple, every.places.tolist())))
    for cell, fitness in zip(cells, kept.fitness, strict=True):
        assert fitness == every.fitness[(every.places == cell).all(axis=1)].max()
    assert np.array_equal(kept.best_of_cells().genes, kept.genes)
    assert kept.coverage == len(kept) / 20
    assert kept.quality == pytest.approx(kept.fitness.sum())


def test_cells_are_cut_evenly_and_beyond_the_ends_are_the_outer_ones():
    """The ends belong to the first and the last cell."""
    assert AXES[0].cell(np.array([-5.0, 0.0, 0.249, 0.25, 0.99, 1.0, 7.0])).tolist() == [0, 0, 0, 1, 3, 3, 3]


def test_the_nearest_is_measured_in_shares_of_the_axes():
    """Of two that are equally near, the fitter."""
    archive = Archive(AXES, np.eye(3), np.array([0.1, 0.5, 0.9]), np.array([[0.1, 0.0], [0.5, 0.4], [0.5, -0.4]]))
    assert archive.nearest((0.0, 0.0)) == 0
    assert archive.nearest((0.5, 0.1)) == 1
    assert archive.nearest((0.5, 0.0)) == 2


def test_an_archive_is_read_as_it_was_written(tmp_path):
    """All numbers, bit for bit, and the notes."""
    archive = made().best_of_cells()
    archive = Archive(archive.axes, archive.genes, archive.fitness, archive.measures, ({"games": 3},) * len(archive))
    archive.save(tmp_path / "archive.json")
    again = load_archive(tmp_path / "archive.json")
    assert again.to_dict() == archive.to_dict()
    assert json.loads((tmp_path / "archive.json").read_text()) == archive.to_dict()


def test_its_map_is_svg_with_a_cell_for_every_elite():
    """And a number in each; a name is text, whatever it holds."""
    archive = made().best_of_cells()
    drawn = ElementTree.fromstring(picture(archive, "<b>&"))
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "<b>&"
    assert texts[1 : 1 + len(archive)] == [f"{100 * each:.0f}" for each in archive.fitness]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.clear(), "does not begin with turnsmith: archive"),
        (lambda d: d.update(axes=[]), "its axes must be 1 to 8"),
        (lambda d: d["axes"][0].update(low=2.0), "low below high"),
        (lambda d: d["axes"][0].pop("cells"), "KeyError: 'cells'"),
        (lambda d: d.update(elites=[]), "1 to 100,000 elites"),
        (lambda d: d["elites"][0]["genes"].pop(), "the same number of genes"),
        (lambda d: d["elites"][0]["genes"].__setitem__(0, "x"), "could not convert"),
        (lambda d: d["elites"][0]["genes"].__setitem__(0, [1]), "inhomogeneous"),
        (lambda d: d["elites"][0].update(fitness=float("nan")), "must be finite"),
        (lambda d: d["elites"][0].update(measures={}), "KeyError"),
        (lambda d: d.update(elites=7), "elites"),
    ],
)
def test_damage_is_refused_in_one_line(change, says, tmp_path):
    """By the path, with the reason."""
    document, path = made().to_dict(), tmp_path / "archive.json"
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(BadInput) as refused:
        load_archive(path)
    assert says in str(refused.value)
    assert str(path) in str(refused.value)


def test_files_that_are_none_are_refused(tmp_path):
    """No file, no JSON, JSON without end."""
    with pytest.raises(BadInput, match="there is no archive"):
        load_archive(tmp_path / "none.json")
    for text in ("{", "[" * 100_000, "\x00"):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(BadInput, match="is not JSON"):
            load_archive(tmp_path / "bad.json")


# ---------------------------------------------------------------- the search


def toy(genes, number):
    """Fit near 0, behaving as the first two genes say."""
    return 1.0 / (1.0 + (genes**2).sum(axis=1)), np.clip(genes[:, :2], (0.0, -1.0), (1.0, 1.0))


SEARCH = MapElitesSettings(batch=6, step=0.5)


def test_an_archive_fills_and_improves(tmp_path):
    """Every cell of a plain problem is found, and each elite gets near the best there is of it."""
    run = Run(tmp_path / "run", {"seed": 1})
    found = explore(run, MapElites(SEARCH, np.zeros(4), AXES, 1), toy, 60)
    assert found.coverage == 1.0
    assert found.fitness.max() > 0.9
    coverage, quality, best = ([point[name] for point in run.curve] for name in ("coverage", "quality", "best"))
    assert len(run.curve) == 60
    assert all(series == sorted(series) for series in (coverage, quality, best))


def test_the_same_seed_finds_the_same_and_a_killed_search_goes_on(tmp_path):
    """Generations that are in the folder are told again, not judged again."""

    def search():
        return MapElites(SEARCH, np.zeros(4), AXES, 3)

    whole = explore(Run(tmp_path / "whole", {}), search(), toy, 8)
    explore(Run(tmp_path / "killed", {}), search(), toy, 5)
    judged = []

    def counting(genes, number):
        judged.append(number)
        return toy(genes, number)

    again = explore(Run(tmp_path / "killed", {}), search(), counting, 8)
    assert judged == [5, 6, 7]
    assert again.to_dict() == whole.to_dict()
    other = explore(Run(tmp_path / "other", {}), MapElites(SEARCH, np.zeros(4), AXES, 4), toy, 8)
    assert other.to_dict() != whole.to_dict()
    with pytest.raises(BadInput, match="made by another version"):
        explore(Run(tmp_path / "killed", {}), MapElites(SEARCH, np.zeros(4), AXES, 4), toy, 8)
