"""What leans on numba's inner parts works with this numba, refuses another, and leaves other libraries alone."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from numba import njit

from turnsmith.compile import erasure, numba_private, self_test

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "numba.md").read_text("utf-8")


def python(program, *arguments, cwd=None, env=None):
    """What a fresh process prints, and how it ends."""
    command = [sys.executable, "-c", program, *arguments]
    answer = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    return answer.stdout.split(), answer.stderr, answer.returncode


def test_every_part_works():
    """The self-test has nothing to say, and finds a part that does not behave."""
    assert self_test.self_test() == []


@pytest.mark.parametrize(
    ("what", "instead", "said"),
    [
        ("clock", lambda: 0, "the clocks differ"),
        ("dispatcher", njit, "steps of loops are not compiled into their callers"),
        ("_keep_gil", set(), "compiled code gives up Python's lock"),
        ("_Compiling.on_start", lambda self, event: None, "nobody hears what is being compiled"),
        ("DiskCache.load_overload", lambda self, sig, target: None, "compiled code does not come back from the cache"),
        ("Kernel.compile", numba_private.CPUDispatcher.compile, "compiling cannot be put off"),
        ("interpreted", lambda function: None, "compiling cannot be put off"),
    ],
)
def test_the_self_test_can_fail(what, instead, said, monkeypatch):
    """A part that does something else is named."""
    monkeypatch.setattr(f"turnsmith.compile.numba_private.{what}", instead)
    assert not self_test.holds(self_test.TESTS[said])


def test_every_part_has_a_test_and_a_row():
    """The table of docs/explanation/numba.md has the sentences of the self-test, and names all that is imported."""
    table = re.findall(r"^\|.*\| ([^|`]+) \|$", PAGE.partition("## What is used")[2].partition("\n## ")[0], re.M)
    assert table[0] == "the self-test says"
    assert table[1:] == list(self_test.TESTS)
    trees = [ast.parse(Path(module.__file__).read_text("utf-8")) for module in (numba_private, erasure)]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    inner = re.compile(r"numba\.(core|np|extending)|llvmlite")
    names = {alias.name for node in imports if inner.match(node.module) for alias in node.names}
    assert not {name for name in names if not re.search(rf"`[^`]*\b{name}\b[^`]*`", PAGE)}


def test_inner_parts_are_used_in_two_files():
    """No other file imports them: where numba changes, these are the files to look at."""
    found = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(re.match(r"numba\.|llvmlite", module) for module in modules):
                found.add(file.name)
    assert found == {"numba_private.py", "erasure.py"}


def test_pip_and_the_check_ask_for_the_same_numba():
    """The pin of pyproject.toml is what is refused otherwise, and the page names the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"numba{numba_private.TESTED}" in project["dependencies"]
    assert f"`numba{numba_private.TESTED}`" in PAGE


NEEDED = f"turnsmith needs numba {numba_private.TESTED}, this is"
TRIED = {key: value for key, value in os.environ.items() if key != "TURNSMITH_UNTESTED"}  # which `make next` sets


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("numba.__version__ = '0.99.1'", f"{NEEDED} 0.99.1; pip install 'numba{numba_private.TESTED}'"),
        ("numba.__version__ = '0.69.0rc1'", f"{NEEDED} 0.69.0rc1; "),
        ("numba.__version__ = '0.9.0'", f"{NEEDED} 0.9.0; "),
        ("numba.__version__ = '0+unknown'", f"{NEEDED} 0+unknown; "),
        (
            "numba.__version__ = '0.68.0'; import numba.core.caching as c; del c._Cache",
            "lacks a part (cannot import name '_Cache'",
        ),
    ],
)
def test_another_numba_is_refused_in_one_line(change, said):
    """The command line says in one line which numba is needed; in Python it is an ImportError."""
    program = (
        f"import numba, sys\n{change}\nsys.argv = ['turnsmith', 'players', 'pig']\nfrom turnsmith.cli import main\n"
    )
    out, err, code = python(program + "main()", env=TRIED)
    assert (out, code) == ([], 2)
    assert said in err
    assert err.count("\n") == 1
    tried = f"import numba\n{change}\ntry:\n    import turnsmith.compile.kernel\nexcept ImportError: print('so')"
    assert python(tried, env=TRIED)[0] == ["so"]


def test_who_tries_another_numba_may():
    """`make next` says that it knows, and nothing is refused."""
    change = "import numba, sys; numba.__version__ = '0.99.1'; sys.version_info = (3, 14)"
    program = f"{change}; import turnsmith.compile.kernel"
    assert python(program, env={**os.environ, "TURNSMITH_UNTESTED": "1"}) == ([], "", 0)


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
