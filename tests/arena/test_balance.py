"""Balance reports: numbers counted by hand, the page says what the JSON says, any game, and one line for bad input."""

import contextlib
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.balance import balance, values_of
from turnsmith.arena.groups import OTHERS, grouped
from turnsmith.arena.statistics import spread_between
from turnsmith.arena.store import Store
from turnsmith.cli import run
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import CHANCE
from turnsmith.languages import speaking

NIM = str(Path(__file__).parent.parent.parent / "examples" / "nim.py")
BAD_COMPANY = str(Path(__file__).parent.parent / "games_for_tests" / "bad_company.py")
PIG = "pig:players=3,target=15"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('balance') / 'games.db'}"


@pytest.fixture(scope="module")
def pig(store):
    """Thirty games, the first twelve of which are resumed."""
    balance(PIG, ["random"], 12, store=store)
    return balance(PIG, ["random"], 30, store=store).to_dict()


def in_page(page):
    """The document that a page holds."""
    return json.loads(re.search(r'id="document">(.*?)</script>', page, re.S)[1])


def test_numbers_are_those_counted_by_hand(pig, store):
    """First mover, seats, lengths, endings and actions are what replaying every match move by move gives."""
    moves, decisions, wins, firsts, said, ends = [], [], Counter(), [], Counter(), Counter()
    with contextlib.closing(Store(store)) as known:
        (name,) = (row["run"] for row in known.runs())
        for number in range(30):
            match = known.match(name, number)
            here = zip(match.positions(), match.actions, strict=False)  # one position, move by move
            deciding = [(p.mover, p.words(a)) for p, a in here if p.mover != CHANCE]
            moves.append(len(match.actions))
            decisions.append(len(deciding))
            firsts.append(match.returns[deciding[0][0]] == max(match.returns))
            wins[int(np.argmax(match.returns))] += 1
            ends[re.sub(r"\d+ points", "# points", match.ending)] += 1
            said.update(words for _, words in deciding)
    assert pig["first"]["rate"] == pytest.approx(np.mean(firsts), abs=1e-6)
    assert [row["rate"] for row in pig["seats"]] == pytest.approx([wins[seat] / 30 for seat in range(3)], abs=1e-6)
    for kind, counted in (("moves", moves), ("decisions", decisions)):
        found = pig["length"][kind]
        assert (found["least"], found["most"]) == (min(counted), max(counted))
        assert found["mean"]["value"] == pytest.approx(np.mean(counted), abs=1e-3)
        assert found["median"]["value"] == sorted(counted)[14]
        assert found["most_of_95"]["value"] == sorted(counted)[28]
        assert found["median"]["low"] <= found["median"]["value"] <= found["median"]["high"]
        assert sum(bar["games"] for bar in found["histogram"]) == 30
    assert {row["ending"]: row["games"] for row in pig["endings"]["rows"]} == ends
    assert max(decisions) <= 32, "all decisions are read"
    assert pig["actions"]["decisions"] == pig["actions"]["read"] == sum(decisions) == sum(said.values())
    shares = {row["action"]: row["rate"] for row in pig["actions"]["rows"]}
    assert shares == pytest.approx({words: count / sum(decisions) for words, count in said.items()}, abs=1e-6)


def test_resumed_or_not_the_report_is_the_same_and_the_page_holds_it(pig):
    """Without a store, with two workers, the document is equal; the page holds it and needs nothing from elsewhere."""
    found = balance(PIG, ["random"], 30, workers=2)
    assert found.to_dict() == pig
    page = found.page()
    assert in_page(page) == pig
    assert f"{100 * pig['first']['rate']:.1f} %" in page
    assert not re.search(r"https?://|<script src|@import", page)


def test_a_number_is_varied_and_seats_with_it(store):
    """Every value has as many games; with more seats an equal share is smaller."""
    found = balance(PIG, ["random"], 12, vary="players=2..4", store=store)
    rows = found.to_dict()["vary"]["rows"]
    assert [(row["value"], row["seats"], row["games"]) for row in rows] == [("2", 2, 12), ("3", 3, 12), ("4", 4, 12)]
    assert [row["first"]["fair"] for row in rows] == [0.5, 0.333333, 0.25]
    assert rows[1]["first"] == found.to_dict()["first"]
    assert "What players changes" in found.page()


def test_a_number_of_a_configuration_is_varied(tmp_path):
    """A key with a point; each game has a name that loads it, and a second report finds its games in the store."""
    url = f"sqlite:///{tmp_path / 'games.db'}"
    found = balance("tactics:size=8,team=2,pool=4", ["static"], 8, vary="weapon.damage=2|3-5|10", store=url).to_dict()
    rows = found["vary"]["rows"]
    assert [row["value"] for row in rows] == ["2", "3-5", "10"]
    assert rows[2]["game"] == "tactics:size=8,team=2,pool=4,weapon.damage=10"
    assert rows[1]["length"] == {kind: {k: v for k, v in each.items() if k != "histogram"}
                                 for kind, each in found["length"].items()}  # fmt: skip
    assert rows[0]["length"]["moves"]["mean"]["value"] > rows[2]["length"]["moves"]["mean"]["value"]
    with contextlib.closing(Store(url)) as known:
        played = {row["game"]: row["games"] for row in known.runs()}
        assert played == {found["game"]: 8, **{row["game"]: 8 for row in rows}}
        (run,) = (row["run"] for row in known.runs() if row["game"] == rows[2]["game"])
        assert known.match(run, 0).source["config"]["weapons"]["rifle"]["damage"] == [10, 10]
    again = balance(rows[2]["game"], ["static"], 8, store=url, vary="weapon.damage=2").to_dict()
    assert again["first"] == rows[2]["first"]
    assert again["vary"]["rows"][0]["game"] == rows[0]["game"]


def test_boards_differ_by_as_much_as_they_do():
    """The spread between groups is that with which they were made; none is found where there is none."""
    random = np.random.default_rng(5)
    groups = np.repeat(np.arange(4000), 2)
    same = random.random(8000) < 0.5
    found = spread_between(same.astype(float), groups, np.zeros(8000))
    assert found.low == 0
    assert found.high < 0.13
    other = random.random(8000) < np.clip(random.normal(0.5, 0.2, 4000), 0, 1)[groups]
    found = spread_between(other.astype(float), groups, np.zeros(8000))
    assert found.low < 0.2 < found.high
    assert found.high - found.low < 0.06
    assert spread_between(np.ones(3), np.arange(3), np.zeros(3)) is None


def test_strangers_scores_and_lonely_seats():
    """A file of one's own with two players, a game by score with roles, and a game of one seat by cost have reports."""
    nim = balance(NIM, ["random", "random:"], 20)
    assert [row["name"] for row in nim.to_dict()["players"]] == ["random", "random #2"]
    assert "Who beats whom" in nim.page()
    pacman = balance("pacman:map=tiny", ["random"], 8)
    assert pacman.to_dict()["first"]["rate"] is None
    assert "pacmans" in pacman.page()
    code = balance("mastermind:colors=4,pegs=2", ["random"], 20)
    found = code.to_dict()
    assert len(found["seats"]) == 1
    assert found["first"]["mean_return"] < 0 < found["sign"] * found["first"]["mean_return"]
    assert "mean cost" in code.page()


def test_forfeits_are_endings_and_have_no_length(tmp_path):
    """Whoever raises ends a game, of which neither length nor moves count; a report of nothing else can be written."""
    store = f"sqlite:///{tmp_path / 'games.db'}"
    found = balance(BAD_COMPANY, ["random", "raiser", "random"], 12, store=store)
    document = found.to_dict()
    forfeits = len(document["forfeits"])
    assert 0 < forfeits < 12
    assert document["length"]["moves"]["games"] == 12 - forfeits
    rows = {row["ending"]: row["games"] for row in document["endings"]["rows"]}
    assert rows["forfeit: raised ValueError: I give up"] == forfeits
    assert balance(BAD_COMPANY, ["random", "raiser", "random"], 12, store=store).to_dict() == document
    assert in_page(balance(BAD_COMPANY, ["cheater"], 4).page())["length"]["moves"] == {"games": 0}


def test_what_is_called_alike_is_put_together():
    """The finest grouping that is short enough is taken, and what is left over becomes one group."""
    assert grouped({"roll": 3, "hold": 1}, 12) == {"roll": "roll", "hold": "hold"}
    cells = {f"{letter}{row}": 1 for letter in "abcdefghijklmnop" for row in range(1, 9)}
    assert set(grouped({**cells, "reload": 1, "red2": 1, "red3": 1}, 12).values()) == {"cell", "reload", "red#"}
    words = {letter * 3: index for index, letter in enumerate("abcdefghij")}
    assert set(grouped(words, 3).values()) == {"jjj", "iii", OTHERS}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["pig"], "name one --player"),
        (["pig", "--player", "random", "--players", "random"], "name one --player"),
        (["pig", "--player", "nobody"], "nobody"),
        (["pig", "--player", "random", "--to", "no/such/folder/x.html"], "there is no folder"),
        (["pig", "--player", "random", "--vary", "target"], "KEY=A..B"),
        (["pig", "--player", "random", "--vary", "targt=2..4"], "did you mean 'target'"),
        (["pig", "--player", "random", "--vary", "turn.rounds=1..4"], "pig has no setting 'turn.rounds'"),
        (["tactics", "--player", "static", "--vary", "weapon.damge=1..4"], "did you mean 'weapon.damage'"),
        (["tactics", "--player", "static", "--vary", "weapon.damage=0..4"], "damage=[0, 0] must be the least"),
        (["pig", "--player", "random", "--vary", "target=1..4"], "target=1 must be 2 to 1,000"),
        (["pig", "--player", "random", "--vary", "target=2..400"], "at most 50"),
        (["pig", "--player", "random", "--vary", "target=9..3"], "must go up"),
        (["pig:players=4", "--player", "solve", "--to", "x.html"], "solve cannot play"),
    ],
)
def test_bad_input_is_refused_and_nothing_written(words, says, tmp_path, monkeypatch):
    """One line names the cause, before any game is played; no file appears."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=re.escape(says)):
        run(["balance", *words, "--games", "4"])
    assert not list(tmp_path.iterdir())


def test_games_stored_without_moves_are_refused(tmp_path):
    """Their moves are needed, and another store is the cure."""
    url = f"sqlite:///{tmp_path / 'games.db'}"
    ts.arena(PIG, ["random"], games=6, store=url, keep="none")
    with pytest.raises(BadInput, match="without their moves"):
        balance(PIG, ["random"], 6, store=url)


def test_the_command_writes_the_page_and_prints_the_document(tmp_path, monkeypatch, capsys):
    """--to and --json say the same; without --json a person reads the first numbers."""
    monkeypatch.chdir(tmp_path)
    words = ["balance", PIG, "--player", "random", "--games", "12", "--store", "none", "--to", "page.html"]
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == in_page((tmp_path / "page.html").read_text())
    assert run(words) == 0
    assert "the first to decide wins" in capsys.readouterr().out


def test_draws_are_neither_wins_nor_lost_from_sight():
    """The page tells wins from points, in which ties are shared; of long games the decisions count that were not read;
    people count seats from 1, in their own language."""
    found = balance("tic_tac_toe", ["random"], 60)
    document, table = found.to_dict(), found.table
    winner = table.returns[np.arange(60), found.review.first] == 1
    first, draws = document["first"], document["draws"]["rate"]
    assert first["won"]["rate"] == pytest.approx(winner.mean(), abs=1e-6)
    assert first["rate"] == pytest.approx(winner.mean() + draws / 2, abs=1e-6)
    assert 0 < draws < 1
    told = found.page()
    assert f"{100 * first['won']['rate']:.1f} %</b>of games are won by the first to decide" in told
    assert f"{100 * first['won']['rate'] / (1 - draws):.1f} % of those with a winner" in told
    assert f"{100 * first['rate']:.1f} %</b>of the points" in told
    assert "seat 2<" in told
    assert "seat 0" not in told
    long = balance("pig:target=100", ["random"], 4).to_dict()
    played = 4 * long["length"]["decisions"]["mean"]["value"]
    assert long["actions"]["read"] < long["actions"]["decisions"] == pytest.approx(played, abs=1)
    with speaking("cs"):
        told = found.page().partition('id="document"')[0]
    assert '<html lang="cs">' in told
    for english in ("of games are won", "the first to decide", "Why games ended", "board is full", "seat 1", " to "):
        assert english not in told


def test_values_of_a_span():
    """Ends are included; steps may be fractions."""
    assert values_of("2..4") == ["2", "3", "4"]
    assert values_of("0..0.3..0.1") == ["0", "0.1", "0.2", "0.3"]
