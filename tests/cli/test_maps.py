"""``turnsmith maps``: files are exported, converted, shown and measured, and refusals are one line."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from turnsmith.cli import main
from turnsmith.cli.maps_trees import explained_text
from turnsmith.maps.files.iwonformat import write_run
from turnsmith.maps.tree import Trees, reachable_best

sys.path.insert(0, str(Path(__file__).parent.parent / "maps"))

from drawn import homeguard_map


def ended(capsys, *words):
    """Exit code, stdout and stderr of a command run here."""
    with pytest.raises(SystemExit) as end:
        main(["maps", *map(str, words)])
    told = capsys.readouterr()
    return end.value.code, told.out, told.err


@pytest.fixture
def run(tmp_path):
    """A run of trees on maps of Homeguard."""
    dice = np.random.default_rng(1)
    actions = dice.integers(0, 6, (4, 8, 4)).astype(np.int16)
    scores = np.repeat(5 * dice.integers(-3, 4, (4, 8, 2)), 2, axis=2).astype(np.int16)
    trees = Trees(actions, scores, reachable_best(actions, scores), {"dealt": np.abs(scores[:, :, ::2, None])})
    write_run(tmp_path / "07-06_14-20", [homeguard_map(number) for number in range(4)], trees)
    return tmp_path / "07-06_14-20"


def test_a_map_goes_through_formats(tmp_path, capsys):
    """Exported, converted and shown; what is written is named, and --json says it for programs."""
    first, second = tmp_path / "a.tmx", tmp_path / "b.ldtk"
    assert ended(capsys, "export", "pacman:map=tiny", "--seed", 3, "--to", first)[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tmx", "a.tmx.tiles.png"]
    code, out, _ = ended(capsys, "convert", first, "--to", second, "--json")
    assert (code, json.loads(out)) == (0, {"maps": 1, "files": [str(second)]})
    code, out, _ = ended(capsys, "show", second)
    assert out.splitlines()[:3] == ["pacman:map=tiny: seed 3", "#########", "#G......#"]
    code, out, _ = ended(capsys, "show", second, "--json")
    assert json.loads(out)[0]["options"] == {"map": "tiny"}


def test_several_maps_and_one_of_them(tmp_path, capsys):
    """Those of the next seeds; one can be picked; hexes are drawn as they lie."""
    many = tmp_path / "many.json"
    assert ended(capsys, "export", "dicewars:players=2", "--maps", 3, "--seed", 5, "--to", many)[0] == 0
    seeds = [each["seed"] for each in json.loads(many.read_text())["maps"]]
    assert seeds == [5, 6, 7]
    assert ended(capsys, "convert", many, "--map", 2, "--to", tmp_path / "two.png")[0] == 0
    lines = ended(capsys, "show", tmp_path / "two.png")[1].splitlines()
    assert lines[0] == "dicewars:players=2: seed 6"
    assert (lines[1][0] != " ", lines[2][0]) == (True, " ")


def test_the_format_may_be_said(tmp_path, capsys):
    """As the original program calls its files, which have no ending."""
    assert ended(capsys, "export", "pacman:map=tiny", "--to", tmp_path / "maps", "--as", "json")[0] == 0
    assert json.loads((tmp_path / "maps").read_text())["format"] == "turnsmith maps"


def test_what_cannot_be_done_is_one_line(tmp_path, capsys):
    """Endings, games, numbers and damaged files; nothing is written."""
    text = tmp_path / "a.txt"
    text.write_text("####\n")
    damaged = tmp_path / "a.json"
    damaged.write_text('{"format": "turnsmith maps", "version": 1, "maps": [{]}')
    before = sorted(tmp_path.iterdir())
    for words, said in (
        (("export", "pacman", "--to", tmp_path / "x.gif"), "does not say a format"),
        (("export", "pacman", "--to", tmp_path / "x", "--as", "gif"), "there is no format 'gif'; there are json"),
        (("export", "pig", "--to", tmp_path / "x.tmx"), "pig does not say how its maps look as grids"),
        (("export", "pacman", "--maps", 2, "--to", tmp_path / "x.svg"), "can hold one map, there are 2"),
        (("export", "pacman", "--to", tmp_path / "none" / "x.svg"), "there is no folder"),
        (("convert", text, "--to", tmp_path / "x.json"), "does not say of which game it is; say it (--game)"),
        (("convert", text, "--game", "pacman", "--to", tmp_path / "x.json"), "line 1 must say 'id: …'"),
        (("show", damaged), "line 1, column 54: this is no JSON"),
        (("show", tmp_path / "no.json"), "there is no file"),
        (("measure", text), "does not say of which game it is"),
        (("measure", damaged, "--measures", "dramma"), "a.json"),
    ):
        code, out, err = ended(capsys, *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert said in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_run_of_trees_is_measured(run, capsys):
    """Its trees and its maps, as a table, as JSON and as histograms; or only what is named."""
    code, out, _ = ended(capsys, "measure", run)
    assert code == 0
    assert all(name in out for name in ("drama", "lead_change", "information_print", "cover_density", "4 trees"))
    plot = run.parent / "plot.svg"
    code, out, _ = ended(capsys, "measure", run, "--json", "--plot", plot)
    (document,) = json.loads(out)
    assert (code, document["what"], document["count"]) == (0, "trees", 4)
    assert len(document["measures"]["drama"]["values"]) == 4
    assert len(document["by_depth"]["information_print"]["mean"]) == 4
    assert "damage_uncertainty" not in document["measures"]  # what was taken is not known
    assert plot.read_text().count("<!-- drama -->") == 1
    tensor = f"{run}.treeScores.iwonformat"
    code, out, _ = ended(capsys, "measure", tensor, "--measures", "drama,mean_best", "--important", "--json")
    assert list(json.loads(out)[0]["measures"]) == ["drama"]
    for words, said in (
        ((tensor, "--measures", "symmetry"), "has no maps, so symmetry cannot be measured"),
        ((run, "--measures", "dramma"), "did you mean 'drama'?"),
        ((run, "--measures", "seat_advantage"), "needs somebody to play; say who (--players random)"),
        ((run, "--layers", 3), "4 layers cannot be rounds of 3"),
    ):
        code, out, err = ended(capsys, "measure", *words)
        assert (code, out) == (2, "")
        assert said in err


def test_measures_are_listed(capsys):
    """Each with its sentence."""
    assert "drama: How far the later winner is behind" in ended(capsys, "measures")[1]
    listed = json.loads(ended(capsys, "measures", "--json")[1])
    assert {"name", "of", "needs", "about"} == set(listed[0])


def test_maps_are_measured_and_played_for(tmp_path, capsys):
    """Covers and symmetry of any game with grids, and the balance of its seats where players are named."""
    maps = tmp_path / "maps.json"
    ended(capsys, "export", "pacman:map=ten", "--maps", 2, "--to", maps)
    words = ("measure", maps, "--players", "random", "--games", 8, "--json")
    found = [json.loads(ended(capsys, *words)[1])[0] for _ in range(2)]
    assert found[0] == found[1]
    assert (found[0]["what"], found[0]["count"]) == ("maps", 2)
    assert set(found[0]["measures"]) == {"cover_density", "symmetry", "seat_advantage"}
    balance = found[0]["measures"]["seat_advantage"]
    assert all(
        low <= value <= high for low, value, high in zip(*(balance[k] for k in ("low", "values", "high")), strict=True)
    )
    single = json.loads(ended(capsys, "measure", maps, "--players", "random", "--games", 2, "--json")[1])
    assert single[0]["measures"]["seat_advantage"]["low"] == [None, None]  # one start says nothing of the interval
    code, out, err = ended(capsys, "measure", maps, "--measures", "drama")
    assert (code, out) == (2, "")
    assert "has no trees, so drama cannot be measured of it" in err


def test_a_predictor_that_was_taught_nothing_says_so(tmp_path, capsys):
    """Eliminations learn from disliked maps alone; of likes a sentence comes, no number and no warning;
    and a net that tells less than the mean is said to tell nothing."""
    from turnsmith.maps.making.maker import taste

    maker = taste("homeguard", seed=1, evaluations=200)
    for proposal in maker.ask(2):
        maker.tell(proposal, 1)
    maker.taste.save(tmp_path / "likes.json")
    words = ("make", "homeguard", "--taste", tmp_path / "likes.json", "--count", 2, "--evaluations", 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        code, out, _ = ended(capsys, *words, "--predictor", "elimination-2", "--to", tmp_path / "maps")
    assert code == 0
    assert "elimination-2 learns from disliked maps alone, and nobody has disliked one" in out
    assert "±" not in out
    assert "liking" not in out
    assert explained_text(-5.941).startswith("genes alone tell nothing of the vectors of maps never seen")
    assert "0.420 of the variance" in explained_text(0.42)


def test_maps_are_made_to_a_taste(tmp_path, capsys):
    """Files of every map, all that is known of them, and the taste; the same again, and read as any file of maps."""
    from turnsmith.maps.making.maker import taste
    from turnsmith.maps.taste.taste import Taste

    maker = taste("homeguard", seed=1, evaluations=1000)
    for proposal in maker.ask(8):
        maker.tell(proposal, 1 if proposal.measures["cover_density"] > 0.5 else -1)
    maker.taste.save(tmp_path / "mine.json")
    words = ("make", "homeguard", "--taste", tmp_path / "mine.json", "--count", 3, "--evaluations", 1000)
    code, out, _ = ended(capsys, *words, "--as", "tmx", "--to", tmp_path / "one")
    assert code == 0
    assert "3 maps" in out
    assert "from 8 ratings" in out
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert {"maps.json", "taste.json", "map-1.tmx", "map-3.tmx"} <= names
    assert Taste.load(tmp_path / "one" / "taste.json") == maker.taste
    code, out, _ = ended(capsys, *words, "--to", tmp_path / "two", "--json")
    told = json.loads(out)
    assert code == 0
    assert [each["liking"] > 0 for each in told["maps"]] == [True] * 3
    assert (tmp_path / "one" / "maps.json").read_bytes() == (tmp_path / "two" / "maps.json").read_bytes()
    assert ended(capsys, "measure", tmp_path / "one" / "maps.json", "--measures", "cover_density")[0] == 0
    code, _, said = ended(capsys, "make", "pacman", "--to", tmp_path / "one")  # nobody's ratings are written over
    assert code == 2
    assert "the folder holds map-1.tmx" in said


def test_what_cannot_be_made_is_refused_before_anything_is_written(tmp_path, capsys):
    """A game without genes, a format or predictor that there is not, a taste of another game or of none."""
    (tmp_path / "taste.json").write_text("{}")
    for words, reason in (
        (("pig",), "have no genes"),
        (("homeguard", "--as", "doc"), "no format 'doc'"),
        (("homeguard", "--predictor", "mind"), "no predictor 'mind'"),
        (("homeguard", "--symmetry", "round"), "symmetry=round"),
        (("homeguard", "--taste", tmp_path / "taste.json"), "this is no taste"),
    ):
        code, _, said = ended(capsys, "make", *words, "--to", tmp_path / "maps")
        assert code == 2
        assert reason in said
        assert len(said.strip().splitlines()) == 1
        assert not (tmp_path / "maps").exists()
