"""Digests: whatever a function or a class reaches is part of its name, in the same way in every process."""

import importlib.util
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
from numba import int64
from numba.experimental import jitclass

from turnsmith import languages
from turnsmith.compile import compile_errors, kernel
from turnsmith.compile.digest import digest, package_digest
from turnsmith.contract.loading import load
from turnsmith.play.player import player

# ---------------------------------------------------------------- in one process

FACTOR, TABLE = 3, np.array([1, 2, 3])


def helper(x):
    """Reached by `rule`."""
    return x * FACTOR + TABLE[0]


def rule(x):
    """Reaches a helper, and through it a constant and a table."""
    return helper(x) + 1


def test_digest_knows_no_language(monkeypatch):
    """Who is served in what language changes nothing of what a game is."""
    before = digest(load("pig").tables)
    monkeypatch.setattr(languages, "_served", lambda: "cs")
    assert digest(load("pig").tables) == before


def test_digest_follows_constants_tables_and_helpers(monkeypatch):
    """Whatever a function reaches changes its digest, and changing it back restores it."""
    before = digest(rule)
    module = sys.modules[__name__]
    for name, value in (("FACTOR", 4), ("TABLE", np.array([1, 2, 4])), ("helper", lambda x: x)):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            assert digest(rule) != before
        assert digest(rule) == before


def defined(source):
    """The function f of some source."""
    space = {"__name__": __name__}
    exec(source, space)
    return space["f"]


def test_digest_ignores_comments_and_docstrings():
    """Words for people change nothing that is computed; a message is part of what a function does."""
    one = digest(defined("def f(x):\n    'one'\n    raise ValueError('no')"))
    assert one == digest(defined("# a remark\ndef f(x):\n    'two'\n\n    raise ValueError('no')"))
    assert one != digest(defined("def f(x):\n    'one'\n    raise ValueError('never')"))


def test_an_edited_intrinsic_changes_the_digest():
    """A function that compiled code replaces is known by its replacement too."""

    def one(record):
        return record + 1

    def other(record):
        return record + 2

    def interpreted(record):
        return record

    interpreted.twin = one
    first = digest(interpreted)
    interpreted.twin = other
    assert digest(interpreted) != first
    interpreted.twin = one
    assert digest(interpreted) == first
    assert kernel.copy.twin._defn.__name__ == "copy_record"


def test_no_chain_is_too_long_and_no_circle_endless():
    """Objects that hold each other ten thousand deep, or in a circle, have digests, and their ends count."""

    def chain(end):
        link = [end]
        for _ in range(10_000):
            link = [link]
        return link

    assert digest(chain(1)) == digest(chain(1)) != digest(chain(2))
    circle, other = [1], [2]
    circle.append(circle)
    other.append(other)
    assert digest(circle) != digest(other)


def test_what_a_function_imports_counts_the_same_loaded_or_not(tmp_path, monkeypatch):
    """A package that somebody else installed and that a function imports when it runs."""
    (tmp_path / "site-packages").mkdir()
    file = tmp_path / "site-packages" / "imported_late.py"
    file.write_text("number = 1")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))

    def late():
        import imported_late

        return imported_late.number

    before = digest(late)
    assert late() == 1
    assert digest(late) == before
    package_digest.cache_clear()
    file.write_text("number = 2")
    assert digest(late) != before


def test_where_a_module_lies_is_no_part_of_it(tmp_path, monkeypatch):
    """The same code has the same digest in any folder, also if it asks modules where they are."""
    monkeypatch.setattr(compile_errors, "_OWN", "/here")
    digests = {player("alphazero").digest()}
    monkeypatch.setattr(compile_errors, "_OWN", "/elsewhere")
    assert digests == {player("alphazero").digest()}
    digests.clear()
    for folder in ("one", "two"):
        file = tmp_path / folder / "placed.py"
        file.parent.mkdir()
        file.write_text("number = 1")
        spec = importlib.util.spec_from_file_location("placed", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        ask = defined("def f():\n    return placed.__file__, placed.number")
        ask.__globals__["placed"] = module
        digests.add(digest(ask))
    assert len(digests) == 1


def test_a_compiled_class_is_its_methods():
    """A jitclass keeps its code where numba wants it, and is known by it all the same."""

    def made(method):
        class Made:
            __init__ = start
            answer = method

        return jitclass([("x", int64)])(Made)

    def start(self):
        self.x = 1

    def one(self):
        return self.x

    def two(self):
        return self.x + 1

    assert digest(made(one)) == digest(made(one)) != digest(made(two))


# ---------------------------------------------------------------- from edit to edit, in fresh processes

FILES = {
    "lib/__init__.py": "",
    "lib/rules.py": """
        import lib.deeper
        CONST = 1
        def f(x):
            return x + lib.deeper.BASE
        """,
    "lib/deeper.py": "BASE = 1",
    "h1.py": "import h2",
    "h2.py": """
        def f(x):
            return x + 1
        """,
    "shades.py": """
        import enum
        class Shade(enum.IntEnum):
            RED = 1
        """,
    "vectors.py": """
        from numba import vectorize
        from far import STEP
        @vectorize
        def add(x):
            return x + STEP
        """,
    "far.py": "STEP = 1",
    "points.py": """
        import collections
        Point = collections.namedtuple("Point", "x y")
        POINT = Point(1, 5)
        """,
    "site-packages/third/__init__.py": "",
    "site-packages/third/rules.py": """
        from third.inner import base
        def f(x):
            return x + base()
        """,
    "site-packages/third/inner.py": """
        def base():
            return 1
        """,
    "people.py": """
        import dataclasses, json, pathlib
        import aside, words
        from words import WORDS
        @dataclasses.dataclass
        class Config:
            pace: int = 1
        CONFIG = Config(1)
        FILE = pathlib.Path(__file__).parent / "data.json"
        class Base:
            def helped(self):
                return self.helper()
            def helper(self):
                return 1
        class ByMethod(Base):
            def act(self):
                return self.helped()
        class ByConstant:
            def act(self):
                return CONFIG.pace
        class ByTable:
            def act(self):
                return WORDS["one"]
        class ByGetattr:
            def act(self):
                return getattr(words, "num" + "ber")
        class ByImport:
            def act(self):
                from aside import number
                return number
        class ByFile:
            def act(self):
                return json.loads(FILE.read_text())
        class BySet:
            def act(self):
                return len([n for n in "abcdefgh" if n in {"a", "b", "c", "f"} or n in {"x", ("y", "z")}]) - 3
        """,
    "words.py": """
        WORDS = {"one": 1}
        number = 1
        """,
    "aside.py": "number = 1",
    "data.json": "1",
}
"""Every piece of code says 1 until its file is edited."""

EDITS = [
    ("lib/rules.py", "CONST = 1", "CONST = 2"),
    ("lib/deeper.py", "BASE = 1", "BASE = 2"),
    ("h2.py", "x + 1", "x + 2"),
    ("shades.py", "RED = 1", "RED = 2"),
    ("far.py", "STEP = 1", "STEP = 2"),
    ("points.py", "Point(1, 5)", "Point(2, 5)"),
    ("site-packages/third/inner.py", "return 1", "return 2"),
    ("people.py", "return 1", "return 2"),
    ("people.py", "Config(1)", "Config(2)"),
    ("people.py", "- 3", "- 2"),
    ("words.py", "1", "2"),
    ("aside.py", "1", "2"),
    ("data.json", "1", "2"),
]
"""Afterwards it says 2."""

REPORT = """
import json, sys
sys.path += [".", "site-packages"]
import numpy as np
import lib.rules, h1, third.rules
from points import POINT
from shades import Shade
from third.rules import f
from vectors import add
import people
from turnsmith import kernel
from turnsmith.compile.digest import digest, package_digest

def dotted_function(out):
    out[0] = lib.rules.f(0)

def dotted_constant(out):
    out[0] = lib.rules.CONST

def module_in_module(out):
    out[0] = h1.h2.f(0)

def int_enum(out):
    out[0] = Shade.RED.value

def vectorized(out):
    out[0] = add(0)

def named_tuple(out):
    out[0] = POINT.x

def installed(out):
    out[0] = f(0)

def installed_dotted(out):
    out[0] = third.rules.f(0)

found = {}
for function in (
    dotted_function, dotted_constant, module_in_module, int_enum, vectorized, named_tuple, installed, installed_dotted
):
    out, plain = np.zeros(2, np.int64), np.zeros(2, np.int64)
    kernel.compiled(function)(out)
    function(plain)
    found[function.__name__] = [int(out[0]), int(plain[0]), digest(function)]
for name in ("ByMethod", "ByConstant", "ByTable", "ByGetattr", "ByImport", "ByFile", "BySet"):
    kind = getattr(people, name)
    number = kind().act()
    found[name] = [number, number, digest(kind)]
print(json.dumps([found, len(kernel.compiled_in_this_process)]))
"""


def report(folder, hash_seed):
    """What every piece of code says, compiled and interpreted, with its digest; how many kernels were compiled."""
    own = {"TURNSMITH_CACHE": str(folder / "cache"), "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **own}
    answer = subprocess.run([sys.executable, "-c", REPORT], cwd=folder, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_nothing_is_stale_after_an_edit_however_it_is_reached(tmp_path):
    """Dotted chains, constants, enums, vectorized functions, installed packages, helper methods, tables, files: an edit
    of any, steps away, changes the digest and the compiled answer, and undoing it finds everything again, whatever the
    seed of Python's hashes."""
    for name, source in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(source))
    before, count = report(tmp_path, "1")
    assert {name: says[:2] for name, says in before.items()} == {name: [1, 1] for name in before}
    assert count == 8
    for name, old, new in EDITS:
        text = (tmp_path / name).read_text()
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new))
    edited, count = report(tmp_path, "2")
    assert {name: says[:2] for name, says in edited.items()} == {name: [2, 2] for name in before}
    assert not [name for name in before if before[name][2] == edited[name][2]]
    assert count == 8
    for name, source in FILES.items():
        (tmp_path / name).write_text(textwrap.dedent(source))
    assert report(tmp_path, "3") == [before, 0]
