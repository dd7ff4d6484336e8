"""Games of other packages: found by entry points, listed without being imported again, refused when broken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = Path(__file__).parents[2] / "src"
ENTRIES = """
[turnsmith.games]
heaps = heaps
towers = towers
pig = heaps
failing = failing
missing = nowhere.at.all
called = heaps:legal
half = half
"""
BROKEN = {
    "called": "'heaps:legal' must be the name of a module, without a colon",
    "failing": "failing cannot be imported: RuntimeError: out of order",
    "half": "half is not a game yet: it lacks Board, State,",
    "missing": "there is no module nowhere",
    "pig": "turnsmith has a game of that name",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages: `strangers` declares a game in a file, one in a folder, and broken ones."""
    folder = tmp_path_factory.mktemp("site")
    about = folder / "strangers-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    nim = (EXAMPLES / "nim.py").read_text().replace("Nim:", "Heaps:")
    (folder / "heaps.py").write_text(f"{nim}\nopen({str(folder / 'imports')!r}, 'a').write('x')\n")
    (folder / "failing.py").write_text("raise RuntimeError('out of order')\n")
    (folder / "half.py").write_text('"""Half: not written yet."""\n')
    towers = folder / "towers"
    towers.mkdir()
    (towers / "__init__.py").write_text('"""Towers: take storeys until none is left."""\n')
    shutil.copy(EXAMPLES / "nim.py", towers / "rules.py")
    (towers / "picture.py").write_text("from towers.rules import picture, words\n")
    (towers / "players.py").write_text("LEVELS = {'easy': 'random'}\n")
    return folder


def run(site, *words):
    """Exit code, output and complaints of a command where the packages are installed."""
    path = os.pathsep.join(map(str, (site, SOURCE)))
    place = {**os.environ, "PYTHONPATH": path, "TURNSMITH_CACHE": str(site / "cache")}
    done = subprocess.run([sys.executable, "-m", "turnsmith", *words], env=place, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.splitlines()


def test_games_of_packages_are_listed_and_broken_ones_named(site):
    """Both forms stand below our own games; each broken one has a line on stderr; listing again imports nothing."""
    for _ in range(2):
        code, out, complaints = run(site, "games")
        assert code == 0
        assert [line.split(maxsplit=1) for line in out.partition("\n\n")[0].splitlines()[-2:]] == [
            [
                "heaps",
                "Heaps: take matches from one pile; whoever takes the last match wins (or loses, if you say so).",
            ],
            ["towers", "Towers: take storeys until none is left."],
        ]
        assert len(complaints) == len(BROKEN)
        for name, why in BROKEN.items():
            assert any(line.startswith(f"turnsmith: '{name}' of strangers is left out: {why}") for line in complaints)
        assert (site / "imports").read_text() == "x"


def test_a_game_of_a_package_is_played_like_ours(site):
    """Options, levels and arenas work by its name; of ours, nobody looks at packages."""
    code, out, complaints = run(
        site, "arena", "towers:piles=1-2", "--players", "easy,random", "--games", "4", "--store", "none"
    )
    assert (code, complaints) == (0, [])
    assert "random #2" in out
    assert run(site, "players", "pig")[2] == []
    assert run(site, "play", "tower")[2][-1].startswith("turnsmith: there is no game 'tower' (did you mean 'towers'?)")


def test_rules_of_a_package_are_tried_before_they_are_compiled(site):
    """Broken rules are refused in one line on their first use, as a file's are."""
    rules = site / "towers" / "rules.py"
    before = rules.read_text()
    rules.write_text(
        before.replace("def legal(board, state, out):", "def legal(board, state, out):\n    out[10**6] = 1")
    )
    try:
        code, _, complaints = run(site, "watch", "towers", "--players", "random,random")
    finally:
        rules.write_text(before)
    assert code == 2
    assert len(complaints) == 1
    assert complaints[0].startswith("turnsmith: towers: ")
    assert "'turnsmith check towers' says more" in complaints[0]
