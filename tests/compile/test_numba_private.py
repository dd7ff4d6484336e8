"""What leans on numba's inner parts works with this numba, refuses another, and leaves other libraries alone."""

import subprocess
import sys

import pytest

from turnsmith.compile import numba_private


def python(program, *arguments, cwd=None):
    """What a fresh process prints, and how it ends."""
    answer = subprocess.run([sys.executable, "-c", program, *arguments], cwd=cwd, capture_output=True, text=True)
    return answer.stdout.split(), answer.stderr, answer.returncode


def test_every_part_works():
    """The self-test has nothing to say, and finds a part that does not behave."""
    assert numba_private.self_test() == []


def test_the_self_test_can_fail(monkeypatch):
    """A part that does something else is named."""
    monkeypatch.setattr(numba_private, "clock", lambda: 0)
    assert numba_private.self_test() == ["the clocks differ"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("numba.__version__ = '0.99.1'", "turnsmith needs numba 0.68, this is 0.99.1; pip install 'numba==0.68.*'"),
        ("import numba.core.caching as c; del c._Cache", "lacks a part (cannot import name '_Cache'"),
    ],
)
def test_another_numba_is_refused_in_one_line(change, said):
    """The command line says in one line which numba is needed; in Python it is an ImportError."""
    program = (
        f"import numba, sys\n{change}\nsys.argv = ['turnsmith', 'players', 'pig']\nfrom turnsmith.cli import main\n"
    )
    out, err, code = python(program + "main()")
    assert (out, code) == ([], 2)
    assert said in err
    assert err.count("\n") == 1
    assert python(
        f"import numba\n{change}\ntry:\n    import turnsmith.compile.kernel\nexcept ImportError: print('so')"
    )[0] == ["so"]


FOREIGN = """
from numba import njit, TypingError
from numba.extending import overload

def plain():
    return -1

@overload(plain)
def plain_compiled():
    return lambda: 101

@njit
def answer():
    return plain()

def unknown():
    return 7

def asks_unknown():
    return unknown()

def try_unknown():
    try:
        return njit(asks_unknown)()
    except TypingError:
        return "refused"
"""

USE = """
import sys
if sys.argv[1] != "without":
    import turnsmith as ts
    from turnsmith import kernel
if sys.argv[1] == "before":
    import foreign
    print(foreign.answer(), foreign.try_unknown())
import foreign, numpy as np

def directly(out):
    out[0] = foreign.plain()

def within(out):
    out[0] = foreign.answer()

def as_it_stands(out):
    out[0] = foreign.unknown()

def nested(out):
    out[0] = foreign_nested()

foreign_nested = foreign.njit(foreign.asks_unknown)
if sys.argv[1] in ("after", "before"):
    for function, expected in ((directly, 101), (within, 101), (as_it_stands, 7)):
        out = np.zeros(1, np.int64)
        kernel.compiled(function)(out)
        assert out[0] == expected, function
    try:
        kernel.compiled(nested)(out)
        raise SystemExit("a function that another library compiles for itself reached a plain one")
    except ts.BadInput as error:
        assert "unknown" in str(error), error
print(foreign.answer(), foreign.try_unknown())
"""


def test_other_libraries_keep_their_numba(tmp_path):
    """An overload of a plain function answers as without turnsmith, whether it is compiled before our kernels, within
    them or after; and what numba refuses others it still refuses, even when a kernel of ours compiled it."""
    (tmp_path / "foreign.py").write_text(FOREIGN)
    expected = ["101", "refused"]
    assert python(USE, "without", cwd=tmp_path) == (expected, "", 0)
    assert python(USE, "imported", cwd=tmp_path) == (expected, "", 0)
    assert python(USE, "after", cwd=tmp_path) == (expected, "", 0)
    assert python(USE, "before", cwd=tmp_path) == (2 * expected, "", 0)
