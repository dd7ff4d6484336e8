"""Maps to a taste: what is liked is learned and made, the same each time, for any game with genes."""

import json
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import Form
from turnsmith.maps.making import layout
from turnsmith.maps.making.describing import Describer
from turnsmith.maps.making.maker import Maker
from turnsmith.maps.making.playing import Playing, is_unbalanced
from turnsmith.maps.making.proposals import unlike
from turnsmith.maps.measures import measure_maps, seat_advantage
from turnsmith.maps.taste.predictors import PREDICTORS

GARDEN = str(Path(__file__).parent / "garden.py")
FEW = {"evaluations": 1024, "niches": 60, "memory": 200}


def dense(proposal):
    return 1 if proposal.measures["cover_density"] > 0.55 else -1


def rated(game, seed=1, rounds=3, like=dense, slices=(), kept=False, **settings):
    """A maker that was told of four maps, so many times."""
    maker = ts.taste(game, seed=seed, **{**FEW, **settings})
    for _ in range(rounds):
        for slice_ in slices:
            maker.evolve(slice_)
        for proposal in maker.ask(4):
            maker.tell(proposal, like(proposal))
        if kept:
            maker = Maker.from_dict(json.loads(json.dumps(maker.to_dict())))
    return maker


def made(maker, count=4):
    return [(each.genes, each.liking, each.map.source) for each in maker.make(count)]


@pytest.fixture(scope="module")
def homeguard():
    return rated("homeguard")


def test_what_is_liked_is_learned(homeguard):
    """Of random maps a third is dense enough; of those made after twelve ratings all are, and they differ."""
    random = [dense(each) for each in ts.taste("homeguard", seed=2, **FEW).ask(30)]
    assert np.mean(random) < 0.2
    found = homeguard.make(6)
    assert [dense(each) for each in found] == [1] * 6
    genes = np.array([each.genes for each in found])
    apart = (genes[:, None] != genes[None]).sum(axis=2)
    assert apart[np.triu_indices(6, 1)].min() >= 8
    number, near, rating = found[0].why[0]
    assert rating == homeguard.taste.ratings[number].rating == 1
    assert 0 < near <= 1


@pytest.mark.parametrize("text", ["homeguard", GARDEN])
def test_the_same_seed_and_ratings_make_the_same_maps(text):
    """Bit for bit: again, evolved in slices of other sizes, and kept as JSON after every round."""
    if text == GARDEN:
        game = ts.load(text)
        maker = rated(game)
        again = Maker.from_dict(json.loads(json.dumps(maker.to_dict())), game)
        assert made(again) == made(maker) == made(rated(game))
        return
    first = made(rated(text))
    assert first == made(rated(text, slices=(300, 500, 100)))
    assert first == made(rated(text, kept=True))
    assert first != made(rated(text, seed=2))


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_predictor_makes_maps(name):
    """Those too that only tell which of some maps are better."""
    maker = rated("homeguard", predictor=name, rounds=2, evaluations=512)
    densities = [each.measures["cover_density"] for each in maker.make(3)]
    assert len(densities) == 3
    assert np.isfinite(densities).all()
    assert maker.archive(["cover_density", "symmetry"]).fitness.max() > 0.5


def test_fitness_is_the_share_of_all_seen_that_are_liked_less(homeguard):
    """The best elite is above most maps that were seen, and a map liked as much as another has the same."""
    best = homeguard.elites.genomes[[homeguard.elites.liking.argmax()]]
    seen = homeguard.elites.seen[: homeguard.elites.remembered]
    scores = homeguard.judge.scores(np.concatenate([best, seen]))
    assert homeguard.fitness(best)[0] == pytest.approx((scores[1:] < scores[0]).mean())
    assert homeguard.fitness(best)[0] > 0.95


def test_ratings_are_changed_undone_and_judged_anew():
    """A second word on a map replaces the first; undone, the maker is as one that never heard it."""
    maker = rated("homeguard", rounds=1)
    before = maker.judge.scores(maker.elites.genomes[maker.elites.filled])
    maker.tell(0, -2 if dense(maker.shown[0]) > 0 else 2)
    assert len(maker.taste) == 4
    assert (maker.judge.scores(maker.elites.genomes[maker.elites.filled])[: len(before)] != before).any()
    maker.undo()
    with pytest.raises(BadInput, match="no map 99 was shown"):
        maker.tell(99, 1)
    with pytest.raises(BadInput, match="from -2 to 2"):
        maker.tell(0, 3)


def test_locks_symmetry_and_portals():
    """Every map shown holds what is locked and is symmetric; portals are drawn apart from genes."""
    maker = rated("homeguard", rounds=1, symmetry="turn", locked=((0, 2), (7, 0)))
    shown = maker.ask(6)
    assert all(each.genes[0] == 2 and each.genes[7] == 0 for each in shown)
    assert all(each.measures["symmetry_turn"] == 1.0 for each in shown)
    assert len({str(each.map.source["portals"]) for each in shown}) > 1
    maker.change(symmetry="columns", locked=())
    assert all(each.measures["symmetry_columns"] == 1.0 for each in maker.ask(4))
    with pytest.raises(BadInput, match="locked gene 400"):
        maker.change(locked=((400, 0),))
    assert maker.settings.symmetry == "columns"


def test_behaviour_by_measures():
    """Niches by two to six measures; others are refused."""
    maker = rated("homeguard", rounds=1, behaviour="cover_density,symmetry,centre_density")
    assert maker.elites.centroids.shape[1] == 3
    assert len(maker.make(3)) == 3
    with pytest.raises(BadInput, match="2 to 6 measures"):
        ts.taste("homeguard", behaviour="symmetry")
    with pytest.raises(BadInput, match=r"no measure 'symetry' of genes .did you mean 'symmetry'"):
        ts.taste("homeguard", behaviour="symetry,cover_density")
    with pytest.raises(BadInput, match=r"no setting 'nices' .did you mean 'niches'"):
        ts.taste("homeguard", nices=3)
    with pytest.raises(BadInput, match="maps of pig have no genes"):
        ts.taste("pig")


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("pacman:map=tiny", "share_wall"),
        ("dicewars:players=3,areas=9", "cover_density"),
        ("tactics:size=8", "mean_level"),
        (GARDEN, "share_flowers"),
    ],
)
def test_any_game_with_genes(text, measure):
    """Maps are repaired, taken by their game, and have the genes that they say."""
    game = ts.load(text)
    middle = np.median([each.measures[measure] for each in ts.taste(game, seed=3, **FEW).ask(20)])
    maker = rated(game, rounds=3, like=lambda each: 1 if each.measures[measure] > middle else -1)
    found = maker.make(4)
    for each in found:
        game.rebuild(each.map.source)
        assert tuple(game.genes(each.map.source)) == each.genes
        assert each.measures["length"] > 0
    assert np.mean([each.measures[measure] > middle for each in found]) >= 0.75


def test_measures_are_those_of_maps():
    """From genes alone, thousands at a time, the same numbers as of each map's grid."""
    game = ts.load("homeguard")
    describer = Describer(game, game.describe(0))
    assert isinstance(describer.form, Form)
    genomes = describer.own[:20]
    grids = [(describer.form.grid_of(describer.source_of(each)), describer.form) for each in genomes]
    known = measure_maps(grids)
    for name in ("cover_density", "symmetry"):
        assert describer.measures(genomes, [name])[:, 0] == pytest.approx(known[name], abs=1e-6)
    alone = [describer.vectors(each[None]) for each in genomes]
    for name, block in describer.vectors(genomes).items():
        assert (np.concatenate([each[name] for each in alone]) == block).all(), name


def test_a_grid_that_says_nothing_of_genes_is_tried():
    """Which gene fills which cell is found out, and what its values are called."""
    game = ts.load(GARDEN)
    describer = Describer(game, game.describe(0))
    assert (describer.cells == np.arange(12).reshape(3, 4)).all()
    assert describer.kinds == ["bare", "grass", "flowers"]
    assert describer.empty == 0
    assert describer.needs_repair


def test_mirrors_of_hexes_are_where_they_are_drawn():
    """The image of a hex lies as far right of the middle as it lies left, odd rows being shifted by half a hex."""
    cells = np.arange(28 * 32).reshape(28, 32)
    for symmetry in ("columns", "turn"):
        partner = layout.partners(cells, cells.size, symmetry, True)
        assert (partner[partner] == np.arange(cells.size)).all()
        moved = np.flatnonzero(partner != np.arange(cells.size))
        across = 2 * (moved % 32) + moved // 32 % 2
        image = 2 * (partner[moved] % 32) + partner[moved] // 32 % 2
        assert len(set((across + image).tolist())) == 1
        assert len(moved) > 800
    assert len(set(layout.classes(np.arange(9).reshape(3, 3), np.full(9, 2), "quarter", False))) == 3


def test_finished_maps_are_played_on():
    """Balance is that of seat_advantage, measured once a map; unbalanced ones are left out where that is asked."""
    game = ts.load("homeguard")
    describer = Describer(game, game.describe(0))
    playing = Playing(describer, games=16)
    found = playing.measures(describer.base)
    assert playing.measures(describer.base) is found
    expected = seat_advantage(game, describer.base, ["greedy"], 16)
    assert (found["seat_advantage"], found["seat_advantage_low"], found["seat_advantage_high"]) == expected
    assert {"length", "drama", "first_contact", "portal_use"} <= set(found)
    assert is_unbalanced({"seat_advantage": 0.3, "seat_advantage_low": 0.1, "seat_advantage_high": 0.5})
    assert not is_unbalanced({"seat_advantage": 0.3, "seat_advantage_low": 0.1, "seat_advantage_high": 0.5}, 0.2)
    fair = rated("homeguard", rounds=1, balance=0.0, games=16).make(5)
    assert not any(each.is_unbalanced for each in fair)


def test_unlike_maps_come_first():
    """The best, then the next that is not almost the same."""
    genomes = np.array([[0] * 10, [0] * 9 + [1], [1] * 10, [2] * 10])
    assert unlike(genomes, np.arange(4), 3) == [0, 2, 3, 1]
    assert unlike(genomes[:1], np.arange(1), 3) == [0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.update(format="x"), "format"),
        (lambda d: d.update(version=2), "version 1"),
        (lambda d: d.update(more=1), "no 'more'"),
        (lambda d: d["settings"].update(niches="x"), "niches"),
        (lambda d: d["counts"].update(bred=-1), "counts.bred"),
        (lambda d: d["elites"].update(genomes="AAAA"), "genomes"),
        (lambda d: d["elites"].update(niches=[10**9]), "niches"),
        (lambda d: d["elites"].update(liking=[]), "liking"),
        (lambda d: d["shown"][0].update(number=7), "number"),
        (lambda d: d["base"].update(rows=["x"]), "base: rows"),
        (lambda d: d.update(game="pig"), "not of homeguard"),
    ],
)
def test_a_damaged_state_is_refused(homeguard, change, reason):
    """By its place, before anything compiled reads it."""
    document = json.loads(json.dumps(homeguard.to_dict()))
    change(document)
    with pytest.raises(BadInput, match=reason):
        Maker.from_dict(document, homeguard.game)


@pytest.mark.parametrize(("game", "symmetry"), [
    ("pacman:map=ten", "columns"), ("dicewars", "turn"), ("tactics:size=8", "columns"), ("tactics:size=8", "quarter"),
])  # fmt: skip
def test_repaired_maps_keep_their_symmetry(game, symmetry):
    """Repair may undo it, so both are done until neither changes anything; one that no map has is refused."""
    maker = ts.taste(game, seed=1, symmetry=symmetry, evaluations=1024)
    assert [each.measures[f"symmetry_{symmetry}"] for each in maker.make(2)] == [1.0, 1.0]


def test_what_cannot_be_is_refused_in_python(tmp_path):
    """Symmetries that do not fit, no maps, maps that were not shown; a taste may be named by its file."""
    with pytest.raises(ts.BadInput, match=r"no symmetry 'quarter'; there is columns, turn"):
        ts.taste("dicewars", symmetry="quarter")
    maker = ts.taste("homeguard:size=7", evaluations=512)
    for wrong in (0, -1, "x", None):
        with pytest.raises(ts.BadInput, match="1 map or more"):
            maker.ask(wrong)
        with pytest.raises(ts.BadInput, match="1 map or more"):
            maker.make(wrong)
    with pytest.raises(ts.BadInput, match="no map None was shown"):
        maker.tell(None, 1)
    maker.tell(maker.ask(1)[0], 2)
    maker.taste.save(str(tmp_path / "taste.json"))
    assert len(ts.taste("homeguard:size=7", taste=str(tmp_path / "taste.json")).taste.ratings) == 1
    with pytest.raises(ts.BadInput, match="there is no folder"):
        maker.taste.save(tmp_path / "none" / "taste.json")
