"""Two tiers of compiled code: the same decisions, chosen in one place, exchanged in the middle of a match."""

import dataclasses

import numpy as np
import pytest
import torch

import turnsmith as ts
from turnsmith.arena import runners
from turnsmith.compile.erasure import CAPACITY, FLAGS, RULES
from turnsmith.compile.rng import stream
from turnsmith.contract.game import COMPILED
from turnsmith.contract.loading import load_untried
from turnsmith.learn import residual_training
from turnsmith.nets.dense import Net, fresh
from turnsmith.play import step, tiers
from turnsmith.play.erased import can_erase, erased
from turnsmith.play.observe import observer
from turnsmith.play.player import POLICY, player
from turnsmith.play.tiers import FIRST, SECOND, code_for, has_first_tier, within_tier

NIM = "examples/nim.py"


def played(game, who, tier_at, plies=9):
    """Actions and whole reports of a player in all seats, with one memory, by the tier that each ply asks for."""
    position = game.start(3)
    ready, happened = who.prepare(game, position.boards), []
    memory = np.zeros(ready.memory, np.uint8)
    for ply in range(plies):
        if position.mover < 0:
            break
        acts, report = position.actions, np.zeros(POLICY + len(position.actions))
        with within_tier(tier_at(ply)):
            code = code_for(game, who)
        assert code.tier == tier_at(ply)
        rest = (ready, memory, report, stream(5, ply, 1))
        action = code.decide(who, position.boards, position.view(position.mover), acts, *rest)
        happened.append((action, report.tobytes()))
        position.push(action)
    return happened


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("connect_four", "mcts:simulations=60"),
        ("leduc", "mcts:simulations=60"),
        ("pacman:map=tiny,moves=unit", "mcts:simulations=20"),
        ("openspiel:tic_tac_toe", "mcts:simulations=20"),
        ("othello:size=6", "softmax:player=negamax,player.depth=2,player.table=8,temperature=0.1"),
        ("pig:target=20", "expectimax:depth=3,table=8"),
        ("tests/games_for_tests/small_chess.py", "negamax:depth=4,table=8,reductions=true,aspiration=true"),
        ("backgammon", "expectimax:depth=1,table=8,turns=true"),
    ],
)
def test_tiers_change_in_the_middle_of_a_match(text, who):
    """Every three plies, on one memory: actions, values, work and policies are those of one tier alone."""
    game = ts.load(text)
    first = played(game, player(who, game), lambda ply: FIRST)
    assert len(first) > 3
    assert played(game, player(who, game), lambda ply: FIRST if ply // 3 % 2 else SECOND) == first


def test_nets_judge_the_same_in_both_tiers(tmp_path):
    """A learned value that reads numbers off the record, and a net that sees planes."""
    game = ts.load("tic_tac_toe")
    seen = observer(game, game.board())
    Net(
        fresh((*seen.shape, 4, 1), 1), "Sigmoid", {"kind": "value", "game": "tic_tac_toe", "sees": seen.described()}
    ).write(tmp_path / "value.onnx", "a test")
    who = player(f"negamax:depth=2,table=8,value={tmp_path / 'value.onnx'}", game)
    assert played(game, who, lambda ply: FIRST, 4) == played(game, who, lambda ply: SECOND, 4)

    game = ts.load("connect_four:width=4,height=4,connect=3")
    boards = game.board()
    seen = observer(game, boards, "planes")
    torch.manual_seed(1)
    net = residual_training.Residual(seen.shape[0], seen.shape[1:], 4, 1, int(boards[0].actions), 1)
    about = {"kind": "alphazero", "game": game.text_name, "sees": seen.described()}
    residual_training.export(net, tmp_path / "planes.onnx", seen.shape, "a test", about)
    who = player(f"alphazero:net={tmp_path / 'planes.onnx'},simulations=8", game)
    assert played(game, who, lambda ply: FIRST, 3) == played(game, who, lambda ply: SECOND, 3)


def test_who_has_a_first_tier():
    """Searches do; players that know a game's fields do not, nor who asks one; nor has a game with great states."""
    four, tactics = ts.load("connect_four"), ts.load("tactics:size=8,team=2")
    assert has_first_tier(four, player("mcts", four), player("zero", four), player("softmax:player=negamax", four))
    assert not has_first_tier(four, player("perfect", four))
    assert not has_first_tier(tactics, player("static", tactics))
    assert can_erase(four)
    great = dataclasses.replace(four, State=np.dtype((np.record, [("all", np.uint8, (CAPACITY + 8,))])))
    assert not can_erase(great)


def test_the_second_tier_is_taken_once_it_is_there(monkeypatch):
    """Until then the first is; who asks for one gets it. The disk is looked at once in a while."""
    game = ts.load("connect_four")
    who, looks = player("mcts", game), []
    monkeypatch.setattr(game._numba_type_, "addresses", {})
    monkeypatch.setattr(game._numba_type_, "looked_for", {})
    kernel = type(tiers.compiled(tiers.step.ask))
    monkeypatch.setattr(kernel, "is_kept", lambda self, signature: looks.append(self) or len(looks) > 2)
    assert code_for(game, who).tier == FIRST
    assert code_for(game, who).tier == FIRST
    assert len(looks) == 1
    game._numba_type_.looked_for.clear()
    assert code_for(game, who).tier == FIRST
    game._numba_type_.looked_for.clear()
    assert code_for(game, who).tier == SECOND
    with within_tier(FIRST):
        assert code_for(game, who).tier == FIRST


def test_every_rule_has_a_place_in_the_table():
    """What compiled code sees of a game is in the table, but for what only learners turn positions by."""
    for_learners = {"symmetries", "reflect", "reflect_action"}
    assert set(RULES) == set(COMPILED) - {"Board", "State"} - for_learners
    game = ts.load("connect_four")
    assert set(FLAGS) == {field.name for field in dataclasses.fields(game) if not field.init}
    table = erased(game).table
    assert (table[: len(FLAGS)] == [getattr(game, flag) for flag in FLAGS]).all()
    assert table[len(FLAGS) :].all(), "what the game leaves out may be called all the same"
    position = game.start(1)
    for rule in (step.rewind, step.show_to):
        views = np.zeros(1, game.State)
        erased(game).run(rule, position.boards, position.view(0), *([views, 1] if rule is step.show_to else []))
    assert views.tobytes() == position.state.tobytes()


def test_an_arena_plays_the_same_matches_in_both_tiers(monkeypatch):
    """Also where it changes on the way, because what is left is worth compiling for."""
    game, texts = ts.load("kuhn:players=3"), ["mcts:simulations=20", "random", "softmax:player.simulations=10"]

    def logged(tier):
        with within_tier(tier):
            plan = runners.ArenaPlan(
                game, [player(text, game) for text in texts], np.array([[0, 1, 2], [2, 0, 1]] * 20, np.int32), seed=4
            )
        halves = [runners.play_compiled(plan, numbers) for numbers in np.split(np.arange(40), 2)]
        return [(half.log.tolist(), half.returns.tolist()) for half in halves], plan.code().tier

    first, second = logged(FIRST), logged(SECOND)
    assert first == (second[0], FIRST)
    assert second[1] == SECOND
    monkeypatch.setattr(runners, "WORTH_COMPILING", 0.0)
    assert logged(0)[0] == second[0]


def test_what_a_rule_raises_passes_through(tmp_path):
    """Also by the table of rules: of a move, and of a search."""
    file = tmp_path / "sour.py"
    text = (ts.load(NIM)._module_file).read_text()
    file.write_text(
        text.replace("def apply(board, state, action):", "def apply(board, state, action):\n    refuse(action)\n")
        + "\n\ndef refuse(action):\n    if action == 0:\n        raise ValueError('no ones')\n"
    )
    game = load_untried(str(file))
    position = game.start(1)
    with pytest.raises(ValueError, match="no ones"):
        position.push(0)
    with within_tier(FIRST), pytest.raises(ValueError, match="no ones"):
        player("mcts:simulations=50", game).act(position)
