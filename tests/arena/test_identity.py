"""What a stored run is known by: whatever decides is part of its name, and no stale game is taken for a fresh one."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.games.dicewars.value import SHIPPED
from turnsmith.games.pacman import maps
from turnsmith.nets.dense import read_onnx, write_onnx
from turnsmith.play.player import Decision, Player


@pytest.fixture
def played(tmp_path):
    """A function that plays an arena with one store and says the returns and how many runs the store has by now."""

    def play(game, players, games=4):
        url = f"sqlite:///{tmp_path}/s.db"
        table = ts.arena(game, players, games=games, store=url)
        store = Store(url)
        count = len(store.runs())
        store.close()
        return table.returns.tolist(), count

    return play


def test_a_net_replaced_in_place_resumes_no_old_games(played, tmp_path):
    """The same command after retraining plays anew with the new net; with the old net back, the old games count."""
    net, layers = tmp_path / "net.onnx", read_onnx(SHIPPED)
    turned = [*layers[:-1], (-layers[-1][0], layers[-1][1])]
    players = [f"fast:file={net}", "rand"]
    write_onnx(layers, net, "one", None)
    first, runs = played("dicewars:players=2", players)
    assert runs == 1
    write_onnx(turned, net, "other", None)
    assert ts.player(players[0], ts.load("dicewars")).digest() != ts.player("fast", ts.load("dicewars")).digest()
    other, runs = played("dicewars:players=2", players)
    assert runs == 2
    assert other == ts.arena("dicewars:players=2", players, games=4).returns.tolist() != first
    write_onnx(layers, net, "one", None)
    assert played("dicewars:players=2", players) == (first, 2)


def test_an_edited_map_resumes_no_old_games(played, tmp_path):
    """A map is known by what stands in its file."""
    text = maps.SHIPPED[maps.shipped()[0]].read_text()
    file = tmp_path / "mine.txt"
    file.write_text(text)
    game = f"pacman:map={file}"
    assert played(game, ["random", "random"], 2)[1] == 1
    before = ts.load(game).digest
    row = text.rindex("...")
    file.write_text(text[:row] + ". ." + text[row + 3 :])
    assert ts.load(game).digest != before
    assert played(game, ["random", "random"], 2)[1] == 2
    file.write_text(text)
    assert ts.load(game).digest == before
    assert played(game, ["random", "random"], 2)[1] == 2


def test_shipped_maps_count_by_their_content(monkeypatch, tmp_path):
    """A game that chooses among the maps it comes with is another one when any of them is edited."""
    before = ts.load("pacman:map=ten").digest
    name = maps.shipped()[-1]
    (tmp_path / "edited.txt").write_text(maps.SHIPPED[name].read_text() + "\n")
    monkeypatch.setitem(maps.SHIPPED, name, tmp_path / "edited.txt")
    assert ts.load("pacman:map=ten").digest != before


@pytest.mark.parametrize("part", ["source", "tables", "draw_boards", "sources_of"])
def test_what_makes_boards_is_part_of_a_game(part):
    """Whoever changes how boards come about has another game."""
    game = ts.load("dicewars")
    original = getattr(game, part)

    def changed(*arguments):
        return original(*arguments)

    assert dataclasses.replace(game).digest == game.digest
    assert dataclasses.replace(game, **{part: changed}).digest != game.digest


def test_boards_are_part_of_a_run(played, tmp_path):
    """Where the same code draws another board, from data that no digest knows of, the run is another one."""
    file = str(tmp_path / "target")
    game = ts.load("pig:target=20")

    def source(options, seed):
        with open(file) as target:
            return {**game.source(options, seed), "target": int(target.read())}

    mine = dataclasses.replace(game, source=source)
    for target, runs in (("20", 1), ("30", 2), ("20", 2)):
        Path(file).write_text(target)
        assert played(mine, ["random", "random"])[1] == runs
    assert len({mine.digest, dataclasses.replace(mine).digest}) == 1


@dataclass(frozen=True, repr=False)
class Helped(Player):
    """A Python player that leaves the choice to a helper."""

    name = "helped"

    def act(self, position):
        action = self.choose(position)
        return Decision(action, position.words(action))

    def choose(self, position):
        return int(position.actions[0])


def test_a_changed_helper_of_a_python_player_resumes_no_old_games(played, monkeypatch):
    """A Python player is its whole class, not only its `act`."""
    first = played("connect_four", [Helped(), "random"])
    assert played("connect_four", [Helped(), "random"]) == first
    with monkeypatch.context() as changed:
        changed.setattr(Helped, "choose", lambda self, position: int(position.actions[-1]))
        assert played("connect_four", [Helped(), "random"])[1] == 2
    assert played("connect_four", [Helped(), "random"]) == (first[0], 2)


def test_a_file_that_a_setting_names_counts_by_its_content(tmp_path):
    """Whatever a setting means, if it names a file, the file's content is part of the player."""

    @dataclass(frozen=True, repr=False)
    class Reader(Player):
        book: str = ""

    book = Path(tmp_path / "book")
    book.write_text("one")
    one = Reader(str(book)).digest()
    book.write_text("two")
    assert Reader(str(book)).digest() != one
    book.write_text("one")
    assert Reader(str(book)).digest() == one


@dataclass(frozen=True, repr=False)
class Asking(Player):
    """A Python player that asks another one, and so reaches most of the package."""

    name = "asking"

    def act(self, position):
        return ts.player("mcts:simulations=2,time=0.5").act(position)


def test_playing_changes_no_identity(played):
    """What the package remembers while it runs is no part of what decides: the second of two equal arenas resumes."""
    before = Asking().digest(), ts.load("connect_four").digest
    assert played("connect_four", [Asking(), "random"], 2) == played("connect_four", [Asking(), "random"], 2)
    assert (Asking().digest(), ts.load("connect_four").digest) == before
