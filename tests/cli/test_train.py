"""``turnsmith train``: what games declare becomes commands, and what is asked of them is checked."""

import inspect
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest

import turnsmith
from turnsmith.cli import main, train
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.registry import games
from turnsmith.contract.trainings import Training, TrainingResult, command_line, trainings

ROOT = Path(__file__).parents[2]
OWN = '''
from dataclasses import dataclass
from turnsmith.contract.trainings import TrainingResult, Training
from turnsmith.common.settings import setting


@dataclass(frozen=True)
class Settings:
    taste: str
    """What it shall taste of."""
    minutes: float = setting(1.0, 0.0, 60.0)
    """How long it is stirred."""
    from_: str = setting("the shelf")
    """Where the pot is."""
    sweet: bool = False
    """Whether there is sugar in it."""


def stir(settings, work):
    """Stir, and leave a pot."""
    work.progress(1, 1)
    work.tell("stirring")
    work.folder.mkdir()
    (work.folder / "pot").write_text(work.command)
    return TrainingResult({**vars(settings), "seats": int(work.game.board()[0].seats)}, f"{settings.taste} soup")


TRAININGS = {"soup": Training("Stir a soup.", Settings, stir, "{game}-kitchen")}
'''


@pytest.fixture
def own_game(tmp_path, monkeypatch):
    """A stranger's game in one file, which declares a training, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    nim = (ROOT / "examples" / "nim.py").read_text()
    (tmp_path / "my_game.py").write_text(f"{nim}\n{OWN}")
    return "./my_game.py"


def run(capsys, *words):
    """The exit code, and what is said on stdout and on stderr."""
    with pytest.raises(SystemExit) as end:
        main(["train", *words])
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


def test_a_file_declares_a_training(own_game, capsys):
    """Its settings are options, people read what it tells, and its folder is called after the game."""
    words = (own_game, "soup", "--taste", "red beet", "--minutes", "2", "--sweet")
    assert run(capsys, *words) == (0, "stirring\nred beet soup\n", "")
    command = "turnsmith train ./my_game.py soup --taste 'red beet' --minutes 2.0 --sweet"
    assert Path("my_game-kitchen/pot").read_text() == command


def test_json_is_the_whole_answer(own_game, capsys):
    """With --json a training says its document and nothing else, and works where it is told to."""
    code, out, err = run(capsys, own_game, "soup", "--taste", "salt", "--from", "here", "--folder", "else", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"taste": "salt", "minutes": 1.0, "from_": "here", "sweet": False, "seats": 2}
    assert Path("else/pot").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("soup",), "Missing option '--taste'"),
        (("soup", "--taste", "x", "--minutes", "61"), "Invalid value for '--minutes'"),
        (("soup", "--taste", "x", "--minutes", "long"), "Invalid value for '--minutes'"),
        (("soup", "--taste", "x", "--folder", "/dev/null/x"), "--folder /dev/null/x: /dev/null is a file"),
        (("soup", "--salt", "x"), "No such option: --salt"),
        (("soap",), "No such command 'soap'. Did you mean 'soup'?"),
    ],
)
def test_what_a_training_refuses(own_game, capsys, words, reason):
    """Whatever is missing, unknown or out of range gets one line, and nothing is made."""
    code, out, err = run(capsys, own_game, *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"turnsmith: {reason}")
    assert len(err.splitlines()) == 1
    assert sorted(path.name for path in Path().iterdir() if not path.name.startswith("__")) == ["my_game.py"]


def test_games_without_trainings_are_refused(capsys):
    """A game that declares nothing, one that is not there and no game at all get one line that names what there is."""
    for name, reason in (("pig", "try turnsmith train value pig"), ("pacmann", "there is no game 'pacmann'")):
        code, out, err = run(capsys, name, "value")
        assert (code, out) == (2, "")
        assert reason in err
        assert "pacman" in err


def test_bad_declarations_are_refused(tmp_path):
    """Settings that are no frozen dataclass, reserved names, and TRAININGS of another kind are named."""

    @dataclass(frozen=True)
    class Greedy:
        folder: str = ""

    with pytest.raises(BadInput, match="must be a frozen dataclass"):
        Training("", dict, lambda settings, work: TrainingResult(None, ""))
    with pytest.raises(BadInput, match="cannot be called 'folder'"):
        Training("", Greedy, lambda settings, work: TrainingResult(None, ""))
    file = tmp_path / "odd_game.py"
    file.write_text("TRAININGS = ['league']\n")
    with pytest.raises(BadInput, match="TRAININGS must be a dict of Training by name"):
        trainings(str(file))


@dataclass(frozen=True)
class MethodSettings:
    rounds: int = setting(3, 1, 9)
    """How often."""
    kind: Literal["plain", "odd"] = setting("plain")
    """Which."""


def test_a_method_takes_any_game(capsys, monkeypatch, tmp_path):
    """`train METHOD GAME` hands a method the game with its options, and calls its folder after it."""

    def learn(settings, work):
        seats = int(work.game.board()[0].seats)
        return TrainingResult(
            {"seats": seats, "folder": str(work.folder), "rounds": settings.rounds, "by": work.command}, "done"
        )

    module = SimpleNamespace(TRAINING=Training("Learn anything.", MethodSettings, learn, "{game}-anything"))
    monkeypatch.setitem(sys.modules, "somewhere.anything", module)
    monkeypatch.setitem(train.METHODS, "anything", "somewhere.anything")
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "anything", "pig:players=3", "--rounds", "5", "--json")
    assert code == 0
    command = "turnsmith train anything pig:players=3 --rounds 5"
    assert json.loads(out) == {"seats": 3, "folder": "pig-anything", "rounds": 5, "by": command}
    assert run(capsys, "anything", "pig") == (0, "done\n", "")
    code, _, err = run(capsys, "anything", "pig", "--kind", "even")
    assert (code, "'--kind'" in err) == (2, True)
    assert run(capsys, "anything")[0] == 2
    assert "anything" in run(capsys, "--help")[1]


def test_other_commands_do_not_import_what_can_be_trained():
    """Help and the list of games start without asking any game what it trains."""
    program = (
        "import sys\n"
        "from turnsmith.cli import run\n"
        "for words in (['--help'], ['games']):\n"
        "    run(words)\n"
        "print([name for name in sys.modules if 'declares' in name], file=sys.stderr)\n"
        "run(['train', 'pacman', 'league', '--help'])\n"
        "print([name for name in sys.modules if name.endswith('pacman.league')], file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr == "[]\n[]\n"


@pytest.mark.parametrize("name", train.trainable())
def test_what_games_declare_is_sound(name):
    """Every training has a sentence, settings that say what they are, and options that typer takes."""
    for key, training in trainings(name).items():
        assert training.summary.endswith(".")
        command = train.command_of(training, key, home=name)
        parameters = inspect.signature(command).parameters
        assert {"workers", "json"} <= set(parameters)
        for each in turnsmith.common.settings.settings(training.Settings):
            assert each.about, f"{name} {key}: {each.name}"
        train.as_command(command)


COMMAND = r"turnsmith train (\w+) (\w[\w-]*)([^\n`#]*)"


def test_pages_name_trainings_there_are():
    """Every `turnsmith train …` of the documents is a training, with options it has."""
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    steps = [step for page in pages for step in re.findall(COMMAND, page.read_text())]
    seen = set()
    for game, name, rest in (step for step in steps if step[0] in games() and step[0] not in train.METHODS):
        known = set(inspect.signature(train.command_of(trainings(game)[name], name, home=game)).parameters)
        options = set(re.findall(r"--(?:no-)?([\w-]+)", rest))
        assert options <= {each.rstrip("_").replace("_", "-") for each in known}, (game, name)
        seen.add((game, name))
    assert {("dicewars", "generate"), ("dicewars", "tune"), ("pacman", "league"), ("connect_four", "openings")} <= seen


def test_the_command_of_a_card():
    """What differs from the defaults is named, and nothing else."""
    assert command_line(["value", "pig"], MethodSettings()) == "turnsmith train value pig"
    assert command_line(["value", "pig"], MethodSettings(rounds=4)) == "turnsmith train value pig --rounds 4"
