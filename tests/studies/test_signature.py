"""The signature of behaviour is the one that is kept, and everything that comes with turnsmith has a say in it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.cli import main
from turnsmith.contract.registry import built_in
from turnsmith.play.player import CompiledPlayer
from turnsmith.search import SEARCHES
from turnsmith.studies.signature import LEFT_OUT, ROSTERS, TOTAL, fold, read, write

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("tier", ["1", "2"])
def test_no_decision_changed(tier):
    """Where one did and was meant to, run turnsmith bench signature --write-golden, and say so in the commit. Code that
    is compiled for any game decides as code that is compiled for one."""
    command = [sys.executable, "-m", "turnsmith", "bench", "signature", "--tier", tier, "--json"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    numbers = {row["name"].partition(" ")[2]: row["value"] for row in json.loads(ran.stdout)}
    assert numbers == read(ROOT / "tests" / "golden" / "signature.txt")
    assert list(numbers) == [*built_in(), TOTAL]
    assert {f"{game} {numbers[game]}" for game in built_in()} <= set(ran.stderr.splitlines())


def test_every_game_and_player_has_a_say():
    """A new game, a new search or a new player of a game cannot be forgotten in the rosters."""
    kinds, games = set(), {}
    for text, roster in ROSTERS.items():
        game = ts.load(text)
        own = games.setdefault(game.name, set())
        for one in roster.split():
            player = ts.player(one, game)
            assert player.refuses(game, game.board(1)[0]) is None, f"{one} on {text}"
            assert not getattr(player, "time", 0.0), f"{one} has a limit of time, and the signature would vary"
            own.add(player.name)
            kinds.add(type(player))
    assert set(games) == set(built_in())
    assert {kind for kind in SEARCHES.values() if issubclass(kind, CompiledPlayer)} <= kinds
    missing = {f"{game} {name}" for game, own in games.items() for name in set(ts.load(game).players()) - own}
    assert missing == set(LEFT_OUT)


def test_folding_and_keeping(tmp_path):
    """Another number, another order or another length gives another signature; the file keeps what is written."""
    assert fold([1, 23]) == fold([1, 23])
    assert len({fold(numbers) for numbers in ([1, 23], [12, 3], [23, 1], [1, 23, 0], [-1, 23], [])}) == 6
    write(tmp_path / "signature.txt", {"pig": 5, TOTAL: 7})
    assert read(tmp_path / "signature.txt") == {"pig": 5, TOTAL: 7}
    assert read(tmp_path / "none.txt") == {}


@pytest.mark.parametrize(
    ("words", "cause"),
    [(["signature"], "is no signature"), (["playouts", "--write-golden"], "--write-golden is for")],
)
def test_refusals(words, cause, tmp_path, monkeypatch, capsys):
    """A damaged file is refused before any work is done, and only the signature has a file to write."""
    (tmp_path / "tests" / "golden").mkdir(parents=True)
    (tmp_path / "tests" / "golden" / "signature.txt").write_text("pig five\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["bench", *words])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert len(told.splitlines()) == 1
    assert cause in told
