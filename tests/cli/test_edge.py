"""The edge of the command line: whatever happens below, people get one line, and files are whole or not there."""

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.cli import main
from turnsmith.common import files

COMMAND = [sys.executable, "-m", "turnsmith"]


def ended(capsys, *words):
    """Exit code and lines on stderr of a command run here."""
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return end.value.code, capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("cuont"), "this is a bug in turnsmith: KeyError: 'cuont' (games.py, line"),
        (RecursionError("too deep"), "this is a bug in turnsmith: RecursionError"),
        (OSError(28, "No space left on device", "/x/y"), "/x/y: No space left on device; make room"),
        (PermissionError(13, "Permission denied", "/x/y"), "/x/y: Permission denied; choose a place"),
        (MemoryError(), "there is not enough memory"),
        (ts.BadInput("two\nlines"), "turnsmith: two lines"),
    ],
)
def test_any_exception_becomes_one_line(capsys, monkeypatch, error, said):
    """Whatever a command raises is one line and exit code 2, and --debug shows the rest."""

    def fail():
        raise error

    monkeypatch.setattr(importlib.import_module("turnsmith.contract.registry"), "games", fail)
    code, lines = ended(capsys, "games")
    assert (code, len(lines)) == (2, 1)
    assert said in lines[0]
    code, lines = ended(capsys, "games", "--debug")
    assert code == 2
    assert lines[0].startswith("Traceback")
    assert said in lines[-1]


@pytest.mark.parametrize("name", ["turnsmith.cli", "typer", "turnsmith.contract.registry"])
def test_ctrl_c_is_one_word_from_the_beginning(name):
    """Ctrl-C while libraries are imported, or later, ends with one line and exit code 130."""
    program = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from turnsmith.__main__ import main
sys.argv = ["turnsmith", "games"]
main()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (130, "stopped\n")


@pytest.mark.parametrize("words", [["games"], ["arena", "--help"]])
def test_a_reader_that_goes_away_is_no_failure_to_report(words):
    """``turnsmith games | head -1`` says nothing on stderr; what rich prints ends with the same code."""
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        command.stdout.close()
        assert command.stderr.read() == b""
    assert command.returncode == 141


def test_a_full_disk_is_one_line():
    """Output that cannot be written is refused with the cause."""
    with open("/dev/full", "w") as full:
        ran = subprocess.run([*COMMAND, "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 2
    assert ran.stderr == "turnsmith: No space left on device; make room, or write elsewhere\n"


@pytest.mark.parametrize("value", ["0", "abc"])
def test_an_environment_that_numba_refuses_is_one_line(value):
    """Nonsense in its variables is named, with the cure, and is no bug of ours."""
    environment = {**os.environ, "NUMBA_NUM_THREADS": value}
    for words in (["players", "pig"], ["check", "nim.py"]):
        ran = subprocess.run([*COMMAND, *words], capture_output=True, text=True, env=environment)
        assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
        assert f"numba cannot start with NUMBA_NUM_THREADS={value} (" in ran.stderr
        assert ran.stderr.endswith("); unset or correct it\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(closed):
    """Without stdin, stdout or stderr a command still runs."""
    ran = subprocess.run(f"{sys.executable} -m turnsmith games {closed}", shell=True, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        ["arena", "connect_four", "--players", "random,random", "--games", "2", "--store", "none"],
        ["doctor"],
        ["games"],
        ["explain", "mastermind:colors=3,pegs=2", "--player", "knuth", "--all"],
    ],
)
def test_another_alphabet_is_no_failure(words):
    """Files are UTF-8 whatever the locale says, and where the terminal cannot show a sign, a mark stands for it."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = subprocess.run([*COMMAND, *words], capture_output=True, text=True, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_no_file_is_read_or_written_by_the_locale():
    """Every text that the package opens has an encoding; ruff sees only those of which it knows that they are paths."""
    home, left = Path(ts.__file__).parent, []
    for file in home.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.Call):
                continue
            named = {keyword.arg for keyword in node.keywords}
            called = ast.unparse(node.func)
            is_text = (called.endswith(".read_text") and not node.args) or (
                called.endswith(".write_text") and len(node.args) == 1
            )
            is_process = called.startswith("subprocess.") and "text" in named
            if (is_text or is_process) and "encoding" not in named:
                left.append(f"{file.relative_to(home)}:{node.lineno}")
    assert left == []


def test_bytes_typed_at_the_terminal_are_refused_as_moves():
    """What is not UTF-8 on stdin is no move, and the game goes on."""
    ran = subprocess.run(
        [*COMMAND, "play", "connect_four", "--vs", "random"], input=b"\xff\xfe\n[/x]\nsave\nquit\n", capture_output=True
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Goodbye" in ran.stdout


def test_files_are_whole_or_not_there(tmp_path):
    """A failure while writing leaves the file before as it was, and nothing else."""
    target = tmp_path / "m.json"
    target.write_text("before")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        files.write_whole(target, fail)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_process_left_is_removed(tmp_path):
    """A process that is killed while it writes leaves a part behind, which goes when the file is written again."""
    target = tmp_path / "m.json"
    code = (
        "import os, pathlib, signal; from turnsmith import files\n"
        f"files.write_whole(pathlib.Path({str(target)!r}), lambda file: os.kill(os.getpid(), signal.SIGKILL))"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    files.write_text(target, "whole")
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_of_pictures_is_whole_or_not_there(tmp_path):
    """Pictures appear when all are written; those of a folder that is there replace their namesakes only then."""
    folder, kept = tmp_path / "frames", tmp_path / "kept"
    kept.mkdir()
    (kept / "a").write_text("before")
    for place in (folder, kept):
        with pytest.raises(TypeError):
            files.write_folder(place, {"a": "1", "b": None})
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "kept"]
    assert (kept / "a").read_text() == "before"
    for place in (folder, kept):
        files.write_folder(place, {"a": "1", "b": b"2"})
        assert [(place / name).read_text() for name in "ab"] == ["1", "2"]
        assert len(list(place.iterdir())) == 2


def test_a_disk_that_fills_up_leaves_no_file(tmp_path):
    """Under a limit on the size of files a replay is refused in one line and nothing is left."""
    ts.play("connect_four", ["random", "random"])  # so that no compiled code need be kept, which it says it cannot
    program = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from turnsmith.cli import main
main(sys.argv[1:])
"""
    words = ["watch", "connect_four", "--players", "random,random", "--replay", "m.json", "--svg", "frames"]
    ran = subprocess.run([sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr == "turnsmith: File too large; write elsewhere\n"
    assert list(tmp_path.iterdir()) == []


def replays(tmp_path):
    """Texts that are nearly a saved match, and what is wrong with them."""
    match = ts.play("connect_four", ["random", "random"], seed=3)
    match.save(tmp_path / "m.json")
    whole = json.loads((tmp_path / "m.json").read_text())

    def but(**changed):
        return json.dumps({**whole, **changed})

    return {
        "deep": "[" * 100_000 + "]" * 100_000,
        "deep source": but(source=0).replace('"source": 0', '"source": ' + "[" * 900 + "]" * 900),
        "binary": b"\x00\xff\x80PK\x03\x04",
        "empty": "",
        "a number": "7",
        "one player": but(players=["random"]),
        "many players": but(players=["random"] * 9),
        "numbers as players": but(players=[1, 2]),
        "a huge action": but(actions=[10**30]),
        "a true action": but(actions=[True]),
        "a negative action": but(actions=[-1]),
        "text as actions": but(actions="abc"),
        "an illegal action": but(actions=[3, 106]),
        "a move after the end": but(actions=[*match.actions, 3]),
        "one return": but(returns=[1.0]),
        "nan": but(returns=[float("nan"), 0]),
        "no game": but(game=""),
        "a list as game": but(game=[]),
        "huge seed": but(seed=10**4000),
        "markup": but(ending="[/bold]"),
        "markup in names": but(players=["[/x]", "[bold"]),
        "half a letter": but(ending="\udc80"),
        "an unknown part": but(more=1),
        "a source of another game": but(source={"players": 99}),
        "no source": but(source=None),
    }


def test_replays_that_are_none_are_refused_in_one_line(tmp_path, capsys):
    """A saved match that was mutated is shown, or refused in one line; it never raises."""
    fine = {"markup", "markup in names", "half a letter"}
    for what, text in replays(tmp_path).items():
        file = tmp_path / "mutated.json"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        code, lines = ended(capsys, "replay", str(file))
        assert (code, len(lines)) == ((0, 0) if what in fine else (2, 1)), (what, lines)
        assert "bug" not in " ".join(lines), (what, lines)
