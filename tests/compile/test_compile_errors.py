"""What cannot be compiled is refused in one line, with file, line and reason."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.compile.compile_errors import CannotCompile
from turnsmith.compile.kernel import compiled
from turnsmith.contract.loading import load_untried
from turnsmith.play import step

NIM = Path(__file__).parents[2] / "examples" / "nim.py"
LINE = "state.seat = 1 - state.seat\n"
MISTAKES = {
    "a field written": (LINE, "state.saet = 1\n", "state has no field 'saet' (did you mean 'seat'?); it has matches"),
    "a field read": (LINE, "state.seat = 1 - board.pile\n", "board has no field 'pile' (did you mean 'piles'?)"),
    "too few arguments": ("left(board, state) == 0", "left(board) == 0", "missing a required argument: 'state'"),
    "a name": (LINE, "state.seat = 1 - staet.seat\n", "there is no 'staet' (did you mean 'state'?)"),
    "a function": (LINE, "state.seat = other(state)\n", "there is no 'other'"),
    "a format": (LINE, "state.seat = len(f'{action:>3}')\n", "format spec in f-strings not supported"),
    "an import": (LINE, "import random\n    state.seat = random.randrange(2)\n", "import at the top of the file"),
    "a generator": (LINE, "state.seat = np.random.default_rng(1).integers(2)\n", "numba cannot compile this"),
    "a missing part of numpy": (LINE, "state.seat = np.oone(1)\n", "module 'numpy' has no attribute 'oone'"),
    "types that do not fit": (LINE, "state.seat = 'a' + action\n", "add(Literal[str](a), int64)"),
    "a variable too early": (LINE, "seat += 1\n", "'seat' is used before it is set"),
    "a module as a number": (LINE, "state.seat = action + np\n", "add(int64, numpy)"),
    "a record as a number": (LINE, "state.seat = board\n", "Cannot cast record to int64"),
}


ONLY_COMPILED = (LINE, "state.seat = 1 - state.seat + len(f'{action:>3}') - 3\n")
"""Python does this gladly."""


def broken(folder, old, new):
    """Nim with a mistake, and the number of its line."""
    text = NIM.read_text()
    assert text.count(old) == 1
    file = folder / "broken_nim.py"
    file.write_text(text.replace(old, new))
    return file, text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_file_and_line(mistake, tmp_path):
    """Numba's hundreds of lines become one: where, in which function, what, and the line itself."""
    old, new, reason = MISTAKES[mistake]
    file, line = broken(tmp_path, old, new)
    game = load_untried(str(file))  # Python would find some of them earlier
    boards, states = game.board(), np.zeros(1, game.State)
    where, kernel = ("to_move", step.look) if "left" in old else ("apply", step.advance)
    rest = (*step.buffers(boards), np.zeros(2)) if kernel is step.look else (0,)
    with pytest.raises(CannotCompile) as refused:
        compiled(kernel)(game, boards, states, *rest)
    said = str(refused.value)
    assert reason in said
    assert "\n" not in said
    assert f"{file}, line {line} in {where}: " in said
    assert new.splitlines()[0] in said
    assert len(said) < 500 + len(str(file))


def test_a_rule_that_returns_no_number_is_suspected(tmp_path):
    """Where only the caller can tell that something is wrong, the line says who may be to blame."""
    file, _ = broken(tmp_path, "    return count\n", "    return out\n")
    game = load_untried(str(file))
    boards, states = game.board(), np.zeros(1, game.State)
    with pytest.raises(CannotCompile, match="perhaps a rule returns something that is no number"):
        compiled(step.look)(game, boards, states, *step.buffers(boards), np.zeros(2))


def test_rules_that_fail_to_compile_stop_the_arena(tmp_path):
    """No forfeits are counted and no table is printed: one line on stderr, exit code 2, and no store is filled."""
    file, line = broken(tmp_path, *ONLY_COMPILED)
    arguments = ["arena", str(file), "--players", "random,random", "--games", "4"]
    answer = subprocess.run(
        [sys.executable, "-m", "turnsmith", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith(f"turnsmith: broken_nim.py, line {line} in apply: numba cannot compile this: ")
    assert answer.stderr.count("\n") == 1


def test_rules_that_fail_to_compile_stop_a_match(tmp_path):
    """A match with Python players is refused in the same way, whoever is asked first."""
    file, _ = broken(tmp_path, *ONLY_COMPILED)
    with pytest.raises(CannotCompile, match="format spec in f-strings"):
        ts.play(str(file), ["random", "random"])
