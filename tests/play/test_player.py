"""Players: named by texts, called by address, refused with a sentence."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.play.player import HEADER, POLICY, VALUE, WORK, Prepared


def count_and_complain(game, board, view, acts, data, memory, params, report, rng):
    """The first move, a value from its tables and settings; complains about settings below nothing."""
    if params[0] < 0.0:
        raise ValueError("settings below nothing")
    memory[0] += 1
    report[VALUE] = data[0] + params[0] + memory[0]
    report[WORK] = 1.0
    for index in range(acts.shape[0]):
        report[POLICY + index] = 1.0 / acts.shape[0]
    return acts[0]


@dataclass(frozen=True, repr=False)
class Counter(ts.CompiledPlayer):
    name = "counter"
    decide = count_and_complain
    setting: float = 0.5

    def prepare(self, game, boards):
        return Prepared.of(data=np.array([40], np.uint8), memory=8, params=[self.setting])

    def refuses(self, game, board):
        return "it has chance moves" if board.outcomes else None


@dataclass(frozen=True, repr=False)
class Last(ts.Player):
    name = "last"

    def act(self, position):
        return ts.Decision(int(position.actions[-1]), position.legal[-1], note="always the last")


def test_a_compiled_player_reads_its_tables_settings_and_memory():
    """What was prepared reaches `decide`, and what it reports comes back in words."""
    position = ts.load("connect_four").start()
    decision = Counter(setting=0.25).act(position)
    assert (decision.action, decision.words, decision.value) == (0, "a", 41.25)
    assert decision.policy == {word: round(1 / 7, 4) for word in "abcdefg"}
    assert decision.note == "1 positions, depth 0"
    assert position.history == []


def test_an_exception_in_a_compiled_player_reaches_python():
    """An error raised inside machine code called by address arrives with its type and message."""
    with pytest.raises(ValueError, match="settings below nothing"):
        Counter(setting=-1.0).act(ts.load("connect_four").start())


def test_settings_compile_nothing():
    """One machine code serves all settings of a player."""
    game = ts.load("connect_four")
    assert Counter(0.1).where(game) == Counter(0.2).where(game)


def test_a_player_refuses_what_it_cannot_play():
    """The refusal is a sentence with player, game and reason."""
    with pytest.raises(ts.BadInput, match="counter cannot play pig: it has chance moves"):
        Counter().act(ts.load("pig").start())


@pytest.mark.parametrize(
    ("game", "text", "complaint"),
    [
        ("tactics", "matrix:file={}", "line 2: the number of columns must be 7, not 2"),
        ("connect_four", "negamax:value={}", "is no net of ours"),
        ("connect_four", "softmax:player=negamax,player.value={}", "is no net of ours"),
        ("pacman", "sarsa:file={}", "is no table of 512 x 5 values"),
    ],
)
def test_a_bad_file_is_refused_before_a_match_begins(game, text, complaint, tmp_path):
    """Who is checked has read the files that its settings name."""
    file, game = tmp_path / "matrix.txt", ts.load(game)
    file.write_text("3\n2\n1.0\n")
    with pytest.raises(ts.BadInput, match=complaint):
        ts.player(text.format(file), game).check(game, game.board())


def test_nobody_decides_when_the_game_is_over():
    """Asking for a move where there is none says why."""
    position = ts.position("connect_four", history=[0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(ts.BadInput, match="nobody is to move here: the game is over"):
        ts.player("random").act(position)
    waiting = ts.Position(ts.load("pig"), draws_chance=False).push("roll")
    with pytest.raises(ts.BadInput, match="nobody is to move here: chance is"):
        ts.player("random").act(waiting)


def test_a_python_player_overrides_act():
    """A player in Python decides for itself; one that does not say how is an error."""
    assert Last().act(ts.load("connect_four").start()).words == "g"
    with pytest.raises(TypeError, match="Player must say how it chooses"):
        ts.Player().act(ts.load("connect_four").start())


@pytest.mark.parametrize("name", ts.players())
def test_players_are_named_by_their_texts(name):
    """Every search is found by its name, its repr is that text again, and it describes itself."""
    found = ts.player(name)
    assert ts.player(repr(found)) == found
    assert found.summary
    assert ts.player(found) is found


def test_unknown_players_and_settings_are_refused():
    """A misspelt player or setting is refused with what there is."""
    with pytest.raises(ts.BadInput, match=r"there is no player 'rndom' \(did you mean 'random'\?\)"):
        ts.player("rndom")
    with pytest.raises(ts.BadInput, match="for pig there are "):
        ts.player("nobody", ts.load("pig"))
    with pytest.raises(ts.BadInput, match="random has no setting 'speed'"):
        ts.player("random:speed=3")


def test_same_seed_same_decision():
    """A decision depends on the position and its seed, and on nothing else."""
    chosen = {
        seed: [ts.player("random").act(ts.position("connect_four", seed, [3] * ply)).action for ply in range(6)]
        for seed in (1, 1, 2, 3)
    }
    again = [ts.player("random").act(ts.position("connect_four", 1, [3] * ply)).action for ply in range(6)]
    assert chosen[1] == again
    assert len(set(map(tuple, chosen.values()))) > 1


def test_tables_of_any_type_become_bytes():
    """Tables are handed over as bytes in whole words, with room for the zeroed head of the memory."""
    ready = Prepared.of(np.array([[1, 2], [3, 4]], np.int32), memory=100)
    assert ready.data.tobytes() == np.array([1, 2, 3, 4], np.int32).tobytes()
    assert ready.memory >= HEADER + 100
    assert Prepared.of(np.array([1, 2, 3], np.uint8)).data.tobytes() == bytes([1, 2, 3, 0, 0, 0, 0, 0])


def test_a_level_names_its_player():
    """A level of the game, or a usual one, stands for its player wherever players are named; a search's name wins."""
    assert ts.player("expert", ts.load("dicewars")) == ts.player("strong", ts.load("dicewars"))
    assert repr(ts.player("easy", ts.load("pig"))) == "expectimax:depth=1"
    assert ts.play("connect_four", ["easy", "random"], seed=1).players[0] == repr(
        ts.player("easy", ts.load("connect_four"))
    )
    with pytest.raises(ts.BadInput, match="and the levels easy, medium, hard, expert"):
        ts.player("impossible", ts.load("pig"))


WRONG_PLAYERS = {
    "PLAYERS = [1]": "PLAYERS must be a dict",
    "PLAYERS = {'me': 'random'}": r"PLAYERS\['me'\] must be a class derived from Player",
    "from turnsmith import Player\nclass Me(Player):\n    name = 'me'\nPLAYERS = {'me': Me}": "a frozen dataclass",
    "from turnsmith.search.random import Random\nPLAYERS = {'me': Random}": "must be called 'me' by itself too",
    "LEVELS = {'easy': 3}": r"LEVELS\['easy'\] must be the text of a player",
    "LEVELS = {'easy': 'nobody'}": r"LEVELS\['easy'\] names no player: there is no player 'nobody'",
    "LEVELS = {'easy': 'easy'}": r"LEVELS\['easy'\] names no player",
    "LEVELS = {'easy': 'random:speed=3'}": "random has no setting 'speed'",
}


@pytest.mark.parametrize("lines", WRONG_PLAYERS)
def test_wrong_players_and_levels_are_refused_at_load(tmp_path, lines):
    """One line names the entry and what it must be."""
    nim = Path(__file__).parents[2] / "examples" / "nim.py"
    file = tmp_path / "nim.py"
    file.write_text(f"{nim.read_text()}\n\n{lines}\n")
    with pytest.raises(ts.BadInput, match=WRONG_PLAYERS[lines]) as caught:
        ts.load(str(file))
    assert "\n" not in str(caught.value)
