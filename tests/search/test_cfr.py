"""CFR: what OpenSpiel says of the same strategies, the value of Kuhn poker in fractions, and the player it makes."""

import json
from fractions import Fraction

import numpy as np
import pyspiel
import pytest
from asking import CHOICES, GOOFSPIEL, Asked
from open_spiel.python import policy as spiel_policy

import turnsmith as ts
from turnsmith.arena.tournament import arena
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.play.seat import Seat
from turnsmith.search import information_sets
from turnsmith.search.cfr import METHODS, Solving, cfr, solve_by_regrets
from turnsmith.search.exploitability import exploitability, judged, policy_of
from turnsmith.search.information_sets import list_sets, walk
from turnsmith.search.strategies import resume, save

KUHN = "kuhn"
THEIRS = {KUHN: "kuhn_poker", "leduc": "leduc_poker"}


def listed(text):
    game = ts.load(text)
    return list_sets(game, game.board().tobytes())


def names_of_theirs(listing, name):
    """OpenSpiel's name of each of our information sets, by a walk through both trees at once."""
    tree, names = listing.tree, {}
    stack = [(0, pyspiel.load_game(name).new_initial_state())]
    while stack:
        node, state = stack.pop()
        if tree.sets[node] >= 0:
            assert state.current_player() == listing.form.owners[tree.sets[node]]
            told = state.information_state_string()
            assert names.setdefault(int(tree.sets[node]), told) == told
        edges = range(tree.starts[node], tree.starts[node + 1])
        assert [int(tree.actions[edge]) for edge in edges] == list(state.legal_actions())
        for edge in edges:
            stack.append((int(tree.targets[edge]), state.child(int(tree.actions[edge]))))
        if state.is_terminal():
            assert list(tree.returns[-2 - tree.sets[node]]) == state.returns()
    assert len(set(names.values())) == listing.sets
    return names


@pytest.mark.parametrize("text", THEIRS)
def test_exploitability_is_that_of_open_spiel(text):
    """Trees, information sets and returns are theirs, and so is the exploitability of any strategy."""
    listing, game = listed(text), pyspiel.load_game(THEIRS[text])
    names, table = names_of_theirs(listing, THEIRS[text]), spiel_policy.TabularPolicy(game)
    random, form = np.random.default_rng(1), listing.form
    uniform = policy_of(listing, ts.player("random"))
    drawn = np.where(np.arange(len(uniform)) < 2, 1.0, random.exponential(size=len(uniform)))
    for number in range(listing.sets):
        own = slice(form.firsts[number], form.firsts[number + 1])
        drawn[own] /= drawn[own].sum()
    for strategy in (uniform, drawn, cfr(text, 200).strategy):
        for number in range(listing.sets):
            row = table.policy_for_key(names[number])
            row[listing.actions[form.firsts[number] : form.firsts[number + 1]]] = strategy[
                form.firsts[number] : form.firsts[number + 1]
            ]
        theirs = pyspiel.exploitability(game, spiel_policy.python_policy_to_pyspiel_policy(table))
        assert judged(form, strategy).exploitability == pytest.approx(theirs, abs=1e-12)
    assert judged(form, uniform).exploitability == pytest.approx({12: 0.458333333, 936: 2.373611111}[listing.sets])


def test_kuhn_is_worth_exactly_minus_one_eighteenth():
    """The strategies of the linear program, in fractions, cannot be won from at all, and pay seat 0 -1/18."""
    solution = cfr(KUHN, method="lp")

    def exact(numbers):
        return np.array([Fraction(float(number)).limit_denominator(36) for number in numbers], object)

    form = solution.listing.form
    assert np.abs(exact(form.gains).astype(float) - form.gains).max() < 1e-15
    found = judged(form._replace(gains=exact(form.gains)), exact(solution.strategy), interpreted)
    assert found.values == (Fraction(-1, 18), Fraction(1, 18))
    assert found.nash_conv == 0


def test_iterations_come_nearer_and_leduc_below_a_thousandth():
    """CFR+ and its kin fall from look to look over decades of iterations; Leduc is below 0.001 after 1,000 of CFR+."""
    for text, most in ((KUHN, 2e-4), ("leduc", 1e-3)):
        for method in ("cfr+", "dcfr"):
            found = [cfr(text, iterations, method=method).exploitability for iterations in (10, 100, 1000)]
            assert found == sorted(found, reverse=True)
            assert found[-1] < most
    assert cfr("leduc", 1000).value == pytest.approx(-0.0856064, abs=1e-4)
    assert cfr("leduc", method="lp").value == pytest.approx(-0.085606424, abs=1e-8)
    solution = cfr("leduc", 10_000, until=0.01)
    assert solution.exploitability <= 0.01
    assert solution.iterations < 200


def test_sampling_converges_and_follows_its_seed():
    """External sampling comes near the equilibrium; the same seed samples the same, another does not."""
    solutions = [cfr(KUHN, iterations, method="mccfr") for iterations in (100, 10_000, 300_000)]
    found = [solution.exploitability for solution in solutions]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.004
    assert solutions[-1].value == pytest.approx(-1 / 18, abs=0.002)
    game = ts.load(KUHN)
    runs = [Solving(list_sets(game, game.board().tobytes()), "mccfr", seed) for seed in (1, 1, 2)]
    for run in runs:
        run.run(500)
    same, again, other = (run.solution().strategy for run in runs)
    assert (same == again).all()
    assert (same != other).any()


@pytest.mark.parametrize("method", METHODS)
def test_interpreted_is_compiled_and_resumed_is_whole(method, tmp_path):
    """To the last bit: plain Python and compiled code, one go and several, and through a file."""
    listing = listed(KUHN)
    plain, whole, first = (
        Solving(listing, method, 3, interpreted),
        Solving(listing, method, 3),
        Solving(listing, method, 3),
    )
    for run in (plain, whole):
        run.run(50)
    first.run(17)
    save(tmp_path / "kuhn.npz", first, first.solution())
    second = Solving(listing, method, 3)
    resume(tmp_path / "kuhn.npz", second)
    assert second.iterations == 17
    second.run(50)
    for other in (plain, second):
        for name in ("regrets", "sums"):
            assert (getattr(whole.tables, name) == getattr(other.tables, name)).all()
    assert whole.solution().judgement == plain.solution().judgement


@pytest.mark.parametrize("text", [KUHN, GOOFSPIEL])
def test_the_walk_is_the_same_interpreted(text, monkeypatch):
    """Every array that is listed, in plain Python and compiled."""
    monkeypatch.setattr(
        information_sets, "compiled", lambda kernel: interpreted(kernel) if kernel is walk else compiled(kernel)
    )
    game = ts.load(text)
    plain, quick = list_sets.__wrapped__(game, game.board().tobytes(), 4000), listed(text)
    for one, other in zip((*plain.tree, *plain.form, plain.keys), (*quick.tree, *quick.form, quick.keys), strict=True):
        assert (one == other).all()


def test_what_views_forget_is_remembered():
    """Goofspiel's view does not tell in which order the cards went: sets are told apart by the views before, the player
    follows them through a match, and asked in the middle of one it plays an average that is as hard to win from."""
    listing = listed(GOOFSPIEL)
    assert not listing.recalls
    assert listed("leduc").recalls
    solution = cfr(GOOFSPIEL, 300)
    assert solution.exploitability < 1e-4
    assert exploitability(GOOFSPIEL, "cfr:iterations=300").exploitability == solution.exploitability
    game, player = ts.load(GOOFSPIEL), ts.player("cfr:iterations=300")
    tree, form, met = listing.tree, listing.form, set()
    for seed in range(20):
        position, seats, node = game.start(seed), [Seat(player, game, game.board()) for _ in range(2)], 0
        for action in [*position.history]:
            node = int(tree.targets[tree.starts[node] + list(tree.actions[tree.starts[node] :]).index(action)])
        while position.outcome is None:
            decision, number, before = seats[position.mover].ask(position), tree.sets[node], len(position.history)
            own = slice(form.firsts[number], form.firsts[number + 1])
            shares = dict(zip(listing.actions[own].tolist(), solution.strategy[own].round(4), strict=True))
            assert all(decision.policy.get(position.words(action), 0.0) == share for action, share in shares.items())
            met.add(int(number))
            position.push(decision.action)
            for action in position.history[before:]:
                edges = range(tree.starts[node], tree.starts[node + 1])
                node = int(next(tree.targets[edge] for edge in edges if tree.actions[edge] == action))
            fresh = None if position.outcome else player.act(position)
            assert fresh is None or sum(fresh.policy.values()) == pytest.approx(1.0, abs=1e-3)
    assert len(met) > 20


def test_the_player_earns_what_its_strategy_is_worth(tmp_path):
    """In an arena `cfr` against itself gets the value of Leduc poker, and nobody's best answer gets more from it; its
    decisions carry their probabilities."""
    solving = Solving(listed("leduc"))
    solution = solve_by_regrets(solving, 1000)
    save(tmp_path / "leduc.npz", solving, solution)
    player = f"cfr:strategy={tmp_path / 'leduc.npz'}"
    assert exploitability("leduc", player).exploitability == solution.exploitability
    table = arena("leduc", [player, "cfr:iterations=1000"], games=40_000, seed=5)
    mean = [row["mean_return"] for row in table.to_dict()["players"]]
    assert abs(mean[0]) < 0.08  # four times its standard error
    for other in ("random", "mcts:simulations=10"):
        best = arena("leduc", [player, other], games=4000, seed=5).to_dict()["players"]
        assert max(best, key=lambda row: row["mean_return"])["name"] == player
    decision = ts.player(player).act(ts.load("leduc").start(3))
    assert sum(decision.policy.values()) == pytest.approx(1.0, abs=1e-3)
    assert decision.value is not None
    assert "of the time" in decision.note


def test_any_player_and_any_number_of_seats():
    """A search that has to be asked is judged by counting; where three seats choose at once, the best is found."""
    few = exploitability(KUHN, "mcts:simulations=2", asks=40).exploitability
    many = exploitability(KUHN, "mcts:simulations=300", asks=40).exploitability
    assert 0.0 < many < few
    solution = cfr(f"{CHOICES}:seats=3,choices=4", 200)
    assert not solution.listing.is_opposed
    assert solution.exploitability < 0.02
    assert solution.strategy[-1] > 0.95


def test_interpreted_and_compiled_players_decide_alike():
    """Action, value and policy are equal to the last bit through a match in which views forget."""
    game, random = ts.load(GOOFSPIEL), np.random.default_rng(1)
    asked = {how: [Asked(game, "cfr:iterations=20", 7, how) for _ in range(2)] for how in (compiled, interpreted)}
    position = game.start(2)
    while position.outcome is None:
        one, other = (asked[how][position.mover](position) for how in asked)
        assert one == other
        position.push(int(random.choice(position.actions)))


def test_refusals_name_size_and_cure(tmp_path):
    """Games too large, with one seat or without secrets, and files of anything else are refused in a line."""
    for text, why in {
        "connect_four": r"about 10\^\d+ positions and the limit is 5,000,000; play a smaller game",
        "mastermind:colors=2,pegs=2": "has one seat",
    }.items():
        with pytest.raises(ts.BadInput, match=why):
            listed(text)
    with pytest.raises(ts.BadInput, match="the limit is 9,000"):
        ts.player("cfr:limit=9000").act(ts.load("leduc").start())
    with pytest.raises(ts.BadInput, match="nothing is hidden"):
        ts.player("cfr").act(ts.load("connect_four").start())
    with pytest.raises(ts.BadInput, match="two opposed seats"):
        cfr(f"{CHOICES}:seats=3", method="lp")
    file = tmp_path / "kuhn.npz"
    solving = Solving(listed(KUHN))
    save(file, solving, solving.solution())
    position = ts.load(KUHN).start()
    whole = file.read_bytes()
    arrays = dict(np.load(file))

    def refused(why, **changed):
        with file.open("wb") as target:
            np.savez(target, **{**arrays, **changed})
        with pytest.raises(ts.BadInput, match=why):
            ts.player(f"cfr:strategy={file}").act(position)

    told = json.loads(arrays["about"].tobytes())
    for why, changed in {
        "is of game leduc, not": {"game": "leduc", "rules": "x"},
        "was made for other rules": {"rules": "x"},
        "was made for another board": {"board": "x"},
        "is no strategy": {"kind": "x"},
    }.items():
        refused(why, about=np.frombuffer(json.dumps({**told, **changed}).encode(), np.uint8))
    refused("damaged", firsts=arrays["firsts"][::-1].copy())
    refused("damaged", firsts=arrays["firsts"] * 100)
    refused("damaged", shares=np.full_like(arrays["shares"], np.nan))
    refused("damaged", shares=-arrays["shares"])
    refused("damaged", values=np.full_like(arrays["values"], np.inf))
    solving.run(20)
    save(file, solving, solving.solution())
    arrays, most = dict(np.load(file)), np.finfo(float).max
    for changed in (
        {"sums": arrays["sums"] * np.nan}, {"sums": arrays["sums"] - 1e4}, {"sums": arrays["sums"] + most},
        {"regrets": np.full_like(arrays["regrets"], np.inf)}, {"regrets": arrays["regrets"] + most},
        {"iterations": np.array([2**62])}, {"iterations": np.array([-1])},
    ):  # fmt: skip
        with file.open("wb") as target:
            np.savez(target, **{**arrays, **changed})
        with pytest.raises(ts.BadInput, match="damaged"), np.errstate(invalid="ignore"):
            resume(file, Solving(listed(KUHN)))
    refused("damaged", keys=arrays["keys"][:-1])
    refused("damaged", values=arrays["values"].astype(np.float32))
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ts.BadInput, match="cannot be read"):
        ts.player(f"cfr:strategy={file}").act(position)
    for other, why in (("nowhere.npz", "is not there"), (tmp_path / "kuhn.json", "is for people")):
        (tmp_path / "kuhn.json").write_text("{}")
        with pytest.raises(ts.BadInput, match=f"{why}; make a strategy to play by: turnsmith cfr"):
            ts.player(f"cfr:strategy={other}").act(position)
    with pytest.raises(ts.BadInput, match="method=x is not one of cfr"):
        cfr(KUHN, method="x")
    file.write_bytes(whole)
    for other, why in ((Solving(listed(KUHN), "dcfr"), "of method"), (Solving(listed("leduc")), "of game")):
        with pytest.raises(ts.BadInput, match=why):
            resume(file, other)
