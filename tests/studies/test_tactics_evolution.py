"""Evolution of matrices: the document's experiments, the league and the study, in small; and the matrices shipped."""

import dataclasses
import json

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import KeptBoards
from turnsmith.common.errors import BadInput
from turnsmith.contract.trainings import TrainingContext, trainings
from turnsmith.evolve.fitness import FitnessArena, every_pair, every_seat
from turnsmith.evolve.rollouts import try_choices
from turnsmith.games.tactics.automata import Camper, Rusher, Static
from turnsmith.games.tactics.matrix import HEIGHT, PLAIN, SHIPPED, WIDTH, Matrix, read_matrix
from turnsmith.studies.tactics import evolution, improve, league
from turnsmith.studies.tactics import stalling as study
from turnsmith.studies.tactics import trainings as declares

SMALL = {"options": "size=8", "maps": 4, "static_games": 20, "proof": 8}
FIRST = declares.ExperimentSettings(generations=4, population=5, games=2, team=2, static_team=1, win_rate=1.0, **SMALL)
LEAGUE = declares.TacticsLeagueSettings(
    iterations=2, generations=2, population=4, maps=3, finalists=2, final_maps=3, static_games=4, team=1,
    options="size=8", proof=4,
)  # fmt: skip


def small(**changes):
    return dataclasses.replace(FIRST, **changes)


def left_in(folder):
    """The files below a folder and what is in them; where it stands has no say."""
    files = {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: data.replace(str(folder).encode(), b"folder") for name, data in files.items()}


# ---------------------------------------------------------------- the document's experiments


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """A small experiment that is over: its folder, what came of it, what was told and how far it said it was."""
    folder, told, progress = tmp_path_factory.mktemp("experiment"), [], []
    work = TrainingContext(
        folder, 2, lambda *done: progress.append(done), told.append, "turnsmith train tactics experiment-1"
    )
    return folder, evolution.train(FIRST, work, "An experiment"), told, progress


def test_an_experiment_leaves_what_the_document_asks_for(experiment):
    """A matrix of every generation's best with its win rate, a curve with its moving average, a picture, a card."""
    folder, done, told, progress = experiment
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    assert [each["point"] for each in curve] == [0, 1, 2, 3]
    assert curve[3]["win_rate, moving average"] == pytest.approx(
        np.mean([each["win_rate"] for each in curve]), abs=1e-5
    )
    bests = [read_matrix(folder / "bests" / f"{number}.txt") for number in range(4)]
    assert [each.winrate for each in bests] == pytest.approx([each["win_rate"] for each in curve], abs=1e-6)
    assert np.array_equal(read_matrix(folder / "matrix.txt").entries, bests[3].entries)
    assert bests[0].entries.shape == (14, 7)
    assert len(told) == 4
    assert progress[-1] == (4, 4)
    assert (done.document["generations"], done.document["last"]["generation"]) == (4, 3)
    assert done.document["last"]["on_new_maps"]["games"] == 8
    assert {"curve.svg", "card.md", "settings.json"} <= {path.name for path in folder.iterdir()}
    assert "last: on new maps" in (folder / "card.md").read_text()


def test_an_experiment_goes_on_and_ends_the_same(experiment, tmp_path):
    """Fewer generations first, then all of them, on one worker: every step and matrix is that of the whole run."""
    whole, _, _, _ = experiment
    work = TrainingContext(tmp_path, command="turnsmith train tactics experiment-1")
    evolution.train(small(generations=2), work, "An experiment")
    evolution.train(FIRST, work, "An experiment")
    wanted, found = left_in(whole), left_in(tmp_path)
    changed = {name for name in wanted if found.get(name) != wanted[name]}
    assert {name.name for name in changed} <= {"settings.json"}  # which keeps the number it was begun with
    with pytest.raises(BadInput, match="was begun with population=5"):
        evolution.train(small(population=6), work, "An experiment")


def test_a_generation_that_another_version_made_is_refused(experiment, tmp_path):
    """A step that does not fit the candidates is not gone on from."""
    work = TrainingContext(tmp_path)
    evolution.train(small(generations=1), work, "An experiment")
    file = tmp_path / "generations" / "0.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"of": "another"}))
    with pytest.raises(BadInput, match="made by another version; begin anew in another folder"):
        evolution.train(small(generations=1), work, "An experiment")


def test_a_win_rate_ends_it(tmp_path):
    """The first generation whose best has it is the last."""
    done = evolution.train(small(win_rate=0.0), TrainingContext(tmp_path), "An experiment")
    assert done.document["generations"] == 1


def test_all_pairs_meet_and_points_are_as_set():
    """Everybody plays everybody so often, who begins alternates, and all points that there are are given."""
    seating = every_pair(4, 3)
    pairs, counts = np.unique(np.sort(seating, axis=1), axis=0, return_counts=True)
    assert (len(pairs), set(counts.tolist())) == (6, {3})
    assert seating[:3].tolist() == [[0, 1], [1, 0], [0, 1]]
    candidates = np.random.default_rng(1).normal(size=(4, PLAIN * WIDTH))
    for win, draw, loss in ((2.0, 1.0, 0.0), (3.0, 1.0, -1.0)):
        settings = small(games=4, win=win, draw=draw, loss=loss)
        fitness, drawn = evolution.Experiment(settings, TrainingContext()).points(candidates, 0)
        decided = round(6 * 4 * (1 - drawn))
        assert fitness.sum() == pytest.approx(decided * (win + loss) + (24 - decided) * 2 * draw)


def test_settings_become_the_documents_operators():
    """Squares, annealing over all generations, uniform entries within reach, normalising."""
    for kind, population, power, annealing in (
        (declares.ExperimentSettings, 25, 2.0, 0),
        (declares.SecondSettings, 35, 1.0, 199),
    ):
        genetic = evolution.Experiment(kind(options="size=8"), TrainingContext()).genetic()
        chosen = genetic.settings
        assert (chosen.population, chosen.power, chosen.annealing, chosen.normalise) == (
            population,
            power,
            annealing,
            0,
        )
        assert np.abs(genetic.ask()).max() == pytest.approx(10.0, abs=0.05)
        assert (chosen.survivors, chosen.mutation, chosen.size, chosen.swap) == (0.4, 0.05, 2.0, 0.02)
    second = evolution.Experiment(
        declares.SecondSettings(generations=11, options="size=8"), TrainingContext()
    ).genetic()
    for _ in range(10):
        second.tell(np.ones(35))
    assert second.mutation() == pytest.approx(0.01)


def test_soldiers_of_either_rating_are_set_apart():
    """Teams of one size among themselves, of another against `static`."""
    made = evolution.Experiment(small(team=3, static_team=1), TrainingContext())
    teams = [int(ground.game.board()[0].team) for ground in (made.among, made.rating, made.unseen)]
    assert teams == [3, 1, 1]


def test_maps_are_made_once():
    """A ground that keeps its boards plays the same games as one that does not."""
    game = evolution.game_of(3, 1, "size=8")
    players, seating, kept = [Static(), Camper(), Rusher()], every_pair(3, 6), KeptBoards()
    plain, _ = FitnessArena(game).play(players, seating, 5)
    for seed in (5, 6, 5):
        again, _ = FitnessArena(game, kept=kept).play(players, seating, seed)
    assert np.array_equal(plain, again)
    assert len(kept.made) == 3


def test_a_record_counts_draws_apart():
    """Left out of one rate, halves in the other."""
    points = np.array([1.0, 1.0, 0.5, 0.5, 1.0, 0.0])
    found = evolution.MatchPoints(points).document
    assert [found[name] for name in ("games", "wins", "draws", "losses")] == [6, 3, 2, 1]
    assert found["without_draws"]["rate"] == 0.75
    assert found["draws_as_half"]["rate"] == pytest.approx(4 / 6, abs=1e-6)
    assert evolution.MatchPoints(np.full(4, 0.5)).document["without_draws"]["rate"] == 0.0


# ---------------------------------------------------------------- why it stalls


def test_a_study_tells_ratings_choice_and_circles_apart(experiment):
    """Rates of bests again and on new maps, the table of bests, the last generation once more."""
    folder, _, _, _ = experiment
    settings = declares.StudySettings(str(folder), bests=3, games=8, pair_games=4)
    done = study.train(settings, TrainingContext(workers=2))
    found = done.document
    assert [row["generation"] for row in found["bests"]] == [1, 2, 3]
    crossed = np.array(found["crossed"], float)
    assert np.allclose((crossed + crossed.T)[~np.isnan(crossed)], 1.0)
    assert study.train(settings, TrainingContext()).document == found
    assert "new maps" in done.text
    with pytest.raises(BadInput, match="is no folder of an experiment"):
        study.train(declares.StudySettings(str(folder / "bests")), TrainingContext())


def test_circles_are_counted():
    """Of three who beat each other in a ring one circle, of three in a row none, and near draws do not count."""
    ring = np.array([[np.nan, 0.8, 0.2], [0.2, np.nan, 0.8], [0.8, 0.2, np.nan]])
    row = np.array([[np.nan, 0.8, 0.8], [0.2, np.nan, 0.8], [0.2, 0.2, np.nan]])
    assert study.circles(ring, 0.1) == (1, 1)
    assert study.circles(row, 0.1) == (0, 1)
    assert study.circles(ring, 0.4) == (0, 0)


# ---------------------------------------------------------------- the league


def test_the_lead_is_what_is_left_of_hit_points():
    """Zero-sum, and the winner's is what it has left: the loser has nothing."""
    ground = FitnessArena(evolution.game_of(2, 2, "size=8"), judge=league.lead)
    returns, leads = ground.play([Static(), Rusher()], every_pair(2, 40), 1)
    assert np.allclose(leads.sum(axis=1), 0.0)
    won = returns[:, 0] > 0
    assert won.any()
    assert ((leads[won, 0] > 0.0) & (leads[won, 0] <= 1.0)).all()
    assert len(np.unique(leads)) > 4


def test_games_are_shared_out_as_asked():
    """By share, the hall of fame evenly, every start from both sides; shares of more than everything are refused."""
    among = league.Opponents(dataclasses.replace(LEAGUE, static_share=0.5, scripted_share=0.3))
    opponents = [*among.anchors, Static(), Static()]
    assert among.games_of(opponents, 20).tolist() == [10, 2, 2, 2, 2, 2]
    tables = among.tables(opponents, 20)
    assert len(tables) == 40
    assert (tables[0::2] == tables[1::2, ::-1]).all()
    alone = league.Opponents(dataclasses.replace(LEAGUE, static=False, scripted_share=0.0))
    assert alone.anchors == []
    assert alone.games_of([Static()] * 3, 7).tolist() == [3, 2, 2]
    with pytest.raises(BadInput, match=r"--static-share 0\.9 and --scripted-share 0\.3 are more than 1 together"):
        league.Opponents(dataclasses.replace(LEAGUE, static_share=0.9, scripted_share=0.3))


@pytest.mark.parametrize("changes", [{}, {"method": "genetic", "static": False, "scripted_share": 0.0, "margin": 0.0}])
def test_a_league_finds_a_matrix(tmp_path, changes):
    """By either method, with and without anchors: its best is one of those that joined, and is proven at the end."""
    done = declares.league(dataclasses.replace(LEAGUE, **changes), TrainingContext(tmp_path, 2))
    assert done.document["on_new_maps"]["games"] == 4
    assert read_matrix(tmp_path / "matrix.txt").entries.shape == (PLAIN, WIDTH)
    assert np.abs(read_matrix(tmp_path / "matrix.txt").entries).max() == pytest.approx(10.0)
    assert len((tmp_path / "curve.jsonl").read_text().splitlines()) == 2


# ---------------------------------------------------------------- trying out

IMPROVE = declares.ImproveSettings(
    from_="hand", iterations=2, parts=1, decisions=1, final_maps=2, static_games=4, team=1, options="size=8", proof=4
)


def test_a_matrix_is_improved_or_kept(tmp_path, monkeypatch):
    """Each iteration's is a mixture or the one there was, as the final says; rows it lacked are there in the end."""
    monkeypatch.setattr(improve, "MAPS", 3)
    done = improve.train(IMPROVE, TrainingContext(tmp_path, 2))
    assert done.document["iterations"] == 2
    assert read_matrix(tmp_path / "matrix.txt").entries.shape == (HEIGHT, WIDTH)
    worth = json.loads((tmp_path / "iteration-0" / "final.json").read_text())
    assert len(worth) == 1 + len(improve.OLD_SHARES)
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert curve[0]["gain"] == pytest.approx(max(worth) - worth[0], abs=1e-5)
    assert min(point["gain"] for point in curve) >= 0.0


def test_mixtures_go_from_the_new_to_the_old(tmp_path):
    """The first is the matrix as it was; the more of it is in the mixture, the more alike they choose."""
    improver = improve.Improver(IMPROVE, TrainingContext())
    random = np.random.default_rng(1)
    inputs = random.random((300, HEIGHT))
    mixed = improver.mixtures(improver.start, [{"inputs": inputs, "worth": random.normal(size=(300, WIDTH))}])
    chosen = (inputs @ mixed).argmax(axis=2)
    alike = (chosen == chosen[0]).mean(axis=1)
    assert np.array_equal(mixed[0], improver.start)
    assert alike[0] == 1.0
    assert (np.diff(alike[1:]) >= 0.0).all()
    assert alike[-1] > alike[1]


def test_decisions_are_seen_as_the_player_sees_them():
    """Compiled for many positions at once, inputs and actions are those of each for itself."""
    game = evolution.game_of(0, 2, "size=8")
    ground = FitnessArena(game)
    tried = try_choices(ground, [Static(), Rusher()], every_seat(1, 2, 4), 3, 2, lambda found: improve.seen(found)[1])
    inputs, actions = improve.seen(tried.decisions)
    assert np.array_equal(np.isnan(tried.worth), actions < 0)
    assert ((inputs >= 0.0) & (inputs <= 1.0)).all()
    assert (inputs[:, 0] == 1.0).all()
    made = [action in row for action, row in zip(tried.decisions.action, actions, strict=True)]
    assert all(made)  # the automaton chooses among the same actions


def test_a_matrix_with_more_rows_is_not_cut():
    """The refusal names the option and the rows."""
    with pytest.raises(BadInput, match="--inputs 6 is less than the 14 rows of the matrix"):
        improve.Improver(dataclasses.replace(IMPROVE, inputs=6), TrainingContext())
    with pytest.raises(BadInput, match="there is no matrix file nowhere"):
        improve.Improver(dataclasses.replace(IMPROVE, from_="nowhere"), TrainingContext())


# ---------------------------------------------------------------- from outside


def test_trainings_are_declared():
    """By these names, each with a folder of its own but the study, which keeps nothing."""
    found = trainings("tactics")
    assert {name: each.folder for name, each in found.items() if name.startswith("experiment")} == {
        "experiment-1": "tactics-experiment-1",
        "experiment-2": "tactics-experiment-2",
    }
    assert found["league"].folder
    assert declares.INPUTS == HEIGHT
    assert declares.FIRST_INPUTS == PLAIN
    assert not found["study"].folder


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"options": "size=9"}, "size=9 must be even"),
        ({"options": "sise=8"}, "has no setting 'sise'"),
        ({"options": "size=8", "maps": -1}, "maps=-1 must be 0 to"),
        ({"options": "size=8", "team": 9}, "team=9 must be 1 to 8"),
        ({"options": "config=./nowhere.toml"}, "nowhere.toml"),
    ],
)
def test_wrong_options_are_refused(changes, complaint, tmp_path):
    """In one line that names what is wrong, and nothing is begun."""
    with pytest.raises(ValueError, match=complaint):
        evolution.train(small(**changes), TrainingContext(tmp_path / "folder"), "An experiment")
    assert not (tmp_path / "folder").exists()


# ---------------------------------------------------------------- what is shipped


def rate(name, games=400):
    """How often a shipped matrix wins against `static` on maps of its own, draws for halves."""
    ground = FitnessArena(ts.load("tactics:pool=32"), workers=2)
    return float(ground.scores([Matrix(name_=name)], [Static()], every_seat(1, 2, games), 31).mean())


@pytest.mark.parametrize(
    ("name", "least"),
    [("league", 0.7), ("selfplay-18", 0.64), ("selfplay", 0.6), ("experiment-1", 0.6), ("experiment-2", 0.6)],
)
def test_shipped_matrices_beat_static(name, least):
    """With room for chance below what their cards say."""
    assert rate(name) > least


def test_every_shipped_matrix_but_the_handwritten_has_a_card():
    """A card for people, its numbers for programs, and the rate in its file is that of the card."""
    for name, file in SHIPPED.items():
        if name == "hand":
            continue
        about = json.loads(file.with_suffix(".json").read_text())
        assert about["command"].startswith("turnsmith train tactics ")
        assert read_matrix(file).winrate == about["against_static"]["without_draws"]["rate"]
        assert about["command"] in file.with_suffix(".md").read_text()
