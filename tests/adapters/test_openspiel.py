"""OpenSpiel both ways: our games pass its tests and feed its algorithms, and its games are played here."""

import re
import subprocess
import sys
from pathlib import Path

import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, generate_playthrough
from open_spiel.python.policy import UniformRandomPolicy
from open_spiel.python.tests import games_sim_test

import turnsmith as ts
from turnsmith.adapters.openspiel import as_openspiel
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER


def test_examples_of_the_page_run():
    """The Python of docs/how-to/openspiel.md, in order."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "openspiel.md"
    blocks, namespace = re.findall(r"```python\n(.*?)```", page.read_text(), re.S), {}
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, page.name, "exec"), namespace)
    assert len(namespace["match"].actions) >= 5


# ---------------------------------------------------------------- ours in theirs


@pytest.mark.parametrize("text", ["tic_tac_toe", "leduc", "goofspiel:cards=3", "pig:target=6,players=3", "go:size=3"])
def test_our_games_pass_open_spiels_own_tests(text):
    """Its random simulations in C++, with serialisation, and those of its Python tests, with clones and pickles."""
    game = as_openspiel(text)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    games_sim_test.GamesSimTest("test_pig").sim_game(game)


def test_playthroughs_replay():
    """A playthrough in OpenSpiel's form is written and, from its own actions, written again the same."""
    as_openspiel("kuhn")
    first = generate_playthrough.playthrough("turnsmith_kuhn()", None, seed=4)
    again = generate_playthrough.playthrough("turnsmith_kuhn()", None, seed=4)
    assert first == again
    assert "GameType.dynamics = Dynamics.SEQUENTIAL" in first
    assert 'StringLegalActions() = ["check", "bet"]' in first


@pytest.mark.parametrize(("ours", "theirs"), [("kuhn", "kuhn_poker"), ("leduc", "leduc_poker")])
def test_policies_are_exploited_as_on_their_own_game(ours, theirs):
    """Uniform play can be exploited by exactly as much: the information states are the same."""
    one, other = as_openspiel(ours), pyspiel.load_game(theirs)
    found = exploitability.exploitability(one, UniformRandomPolicy(one))
    assert found == pytest.approx(exploitability.exploitability(other, UniformRandomPolicy(other)), abs=1e-12)


def test_their_solver_finds_the_value_of_our_kuhn_poker():
    """Counterfactual regret minimisation of theirs comes to -1/18, step by step as on their own game."""
    ours, theirs = cfr.CFRPlusSolver(as_openspiel("kuhn")), cfr.CFRPlusSolver(pyspiel.load_game("kuhn_poker"))
    for _ in range(100):
        ours.evaluate_and_update_policy()
        theirs.evaluate_and_update_policy()
    game, policy = ours._game, ours.average_policy()
    left = exploitability.exploitability(game, policy)
    assert left == pytest.approx(exploitability.exploitability(theirs._game, theirs.average_policy()), abs=1e-9)
    assert left < 0.002
    value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert value[0] == pytest.approx(-1 / 18, abs=0.001)


def test_simultaneous_rounds_are_simultaneous_nodes():
    """Both seats of Goofspiel move at once, from hands that do not know the other's card."""
    state = as_openspiel("goofspiel:cards=3").new_initial_state()
    state.apply_action(2)
    assert state.is_simultaneous_node()
    assert state.legal_actions(0) == state.legal_actions(1) == [0, 1, 2]
    before = [state.information_state_string(seat) for seat in range(2)]
    state.apply_actions([2, 0])
    assert state.is_chance_node()
    assert str(state).count("3 points") == 1
    assert all(
        now.startswith(then) for now, then in zip(map(state.information_state_string, range(2)), before, strict=True)
    )


def test_options_are_parameters_and_bad_ones_are_refused():
    """A registered game is loaded by its text with other options; what we refuse is refused there."""
    as_openspiel("kuhn")
    assert pyspiel.load_game("turnsmith_kuhn(players=3)").num_players() == 3
    with pytest.raises(ts.BadInput, match="players=30 must be 2 to 10"):
        pyspiel.load_game("turnsmith_kuhn(players=30)")


def test_illegal_actions_are_refused_and_change_nothing():
    """Compiled rules rely on legal actions, and OpenSpiel does not look at what it is given."""
    state = as_openspiel("tic_tac_toe").new_initial_state()
    state.apply_action(4)
    before = str(state)
    for action in (4, 9, 10**9):
        with pytest.raises(ts.BadInput, match=f"action {action} of seat 1 is not legal in tic_tac_toe"):
            state.apply_action(action)
    assert (str(state), state.legal_actions()) == (before, [0, 1, 2, 3, 5, 6, 7, 8])
    both = as_openspiel("goofspiel:cards=3").new_initial_state()
    while both.is_chance_node():
        both.apply_action(both.legal_actions()[0])
    before = str(both)
    with pytest.raises(ts.BadInput, match="action 9 of seat 1 is not legal"):
        both.apply_actions([0, 9])
    assert str(both) == before
    with pytest.raises(ts.BadInput, match="seed=-1 must be 0 or more"):
        as_openspiel("tic_tac_toe", seed=-1)


# ---------------------------------------------------------------- theirs in ours


@pytest.mark.parametrize("name", ["tic_tac_toe", "leduc_poker", "goofspiel(num_cards=3)", "phantom_ttt"])
def test_their_games_keep_our_laws(name):
    """Perfect information, hidden cards, simultaneous moves and hidden moves: every law of a game holds."""
    report = ts.check(ts.load(f"openspiel:{name}"), positions=25, mutations=50)
    assert report.ok, str(report)
    assert report.positions >= 20


@pytest.mark.parametrize(("name", "players"), [("tic_tac_toe", 2), ("backgammon", 2), ("pig(players=3)", 3)])
def test_matches_are_theirs(name, players):
    """The moves of a match, chance's too, lead OpenSpiel's own state to the same returns, and are replayed here."""
    match = ts.play(f"openspiel:{name}", ["random"] * players, seed=3)
    state = pyspiel.load_game(name).new_initial_state()
    for action in match.actions:
        state.apply_action(action)
    assert state.is_terminal()
    assert match.returns == state.returns()
    *_, last = match.positions()
    assert last.mover == OVER


def test_searches_and_arenas_play_them():
    """Max^n and negamax find the fork of tic-tac-toe, and tree search beats chance."""
    game = ts.load("openspiel:tic_tac_toe")
    late = game.start().push("x(0,0)").push("o(1,1)").push("x(2,2)").push("o(0,2)")
    for text in ("negamax:depth=9", "maxn:depth=9"):
        assert ts.player(text).act(late).value == 1.0
        assert ts.player(text).act(late).words == "x(2,0)"
    rows = ts.arena(game, ["mcts:simulations=60", "random"], games=30, seed=2).to_dict()["players"]
    assert next(row for row in rows if row["name"].startswith("mcts"))["rate"] > 0.75


def resample_one(game, boards, views, rng):
    game.resample(boards[0], views[0], 0, rng)


def test_players_imagine_only_what_they_cannot_see():
    """Of a view of Leduc poker come all the cards the other may hold, and never the own one."""
    game = ts.load("openspiel:leduc_poker")
    position = ts.position(game, history=[0, 5])
    view, seen = position.view(0), set()
    for seed in range(60):
        world = view.copy()
        compiled(resample_one)(game, position.boards, world, stream(seed))
        seen.add(tuple(world[0].history[: int(world[0].made)].tolist()))
    assert seen == {(0, other) for other in range(1, 6)}
    assert position.view(0).tobytes() == ts.position(game, history=[0, 3]).view(0).tobytes()
    assert position.view(1).tobytes() != ts.position(game, history=[0, 3]).view(1).tobytes()


def test_what_cannot_be_played_is_refused_in_a_line():
    """Unknown games with what was meant, bad parameters, chance that is not listed, and a missing OpenSpiel."""
    for text, why in {
        "openspiel:bakgammon": "OpenSpiel has no game 'bakgammon' .did you mean 'backgammon'",
        "openspiel:go(board_size=big)": "OpenSpiel refuses go",
        "openspiel:negotiation": "chance that is not listed",
        "openspiel:mfg_garnet": "mean fields",
    }.items():
        with pytest.raises(ts.BadInput, match=why):
            ts.load(text)
    code = "import sys; sys.modules['pyspiel'] = None\nimport turnsmith\nturnsmith.load('openspiel:chess')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs OpenSpiel; pip install 'turnsmith[openspiel]'" in ran.stderr


def test_the_page_offers_them_by_name(monkeypatch):
    """A game of OpenSpiel named on the server's command line is listed and drawn, with a button for each move."""
    from turnsmith.web.server import offered

    monkeypatch.setattr(offered, "_files", {})
    offered.offer(["openspiel:tic_tac_toe"])
    assert offered.offered()["openspiel_tic_tac_toe"].endswith("at the speed of Python.")
    picture = offered.known_game("openspiel_tic_tac_toe").start().push("x(1,1)").picture(1)
    assert picture.count("data-word") == 8
    assert ".x." in picture
    offered.offered.cache_clear()
