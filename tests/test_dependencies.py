"""What is imported is declared, and what is declared is imported; the Pythons that are not tested are refused."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def imported():
    """The packages that the sources import, wherever in a file they do, but for what an adapter opens to if it is
    there."""
    for file in set((ROOT / "src").rglob("*.py")):
        tree = ast.parse(file.read_text())
        tried = [each for each in ast.walk(tree) if isinstance(each, ast.Try) and "ImportError" in ast.unparse(each)]
        spared = {id(node) for each in tried for node in each.body if file.parent.name == "adapters"}
        for node in ast.walk(tree):
            if id(node) in spared:
                continue
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield node.module.partition(".")[0]


def test_every_import_is_declared_and_every_dependency_imported():
    """The dependencies of a plain install are the packages that are imported, neither fewer nor more."""
    declared = {re.match(r"[\w-]+", text)[0].lower().replace("-", "_") for text in PROJECT["dependencies"]}
    assert {name for name in imported() if name not in sys.stdlib_module_names} - {"turnsmith"} == declared


def test_pickles_are_read_in_one_place():
    """Numba's compiled code in the user's sealed cache; no file of arrays, games or nets may hold one."""
    found = []
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            said = ast.unparse(node) if isinstance(node, ast.Call) else ""
            if (
                re.match(r"(pickle|cloudpickle|dill|marshal)\.loads?\(|torch\.load\(", said)
                or "allow_pickle=True" in said
            ):
                found.append(file.name)
    assert found == ["numba_private.py"]


def test_a_python_that_is_not_tested_is_refused_in_a_sentence():
    """Importing turnsmith says which Pythons it is tested on, and so does the package's own word to pip."""
    program = "import sys; sys.version_info = (3, 14, 0); import turnsmith"
    tried = {key: value for key, value in os.environ.items() if key != "TURNSMITH_UNTESTED"}  # see `make next`
    ran = subprocess.run([sys.executable, "-c", program], env=tried, capture_output=True, text=True)
    assert ran.returncode == 1
    assert len(ran.stderr.splitlines()) == 1
    assert "turnsmith is tested on Python 3.11, 3.12 and 3.13" in ran.stderr
    assert "this is Python 3.14" in ran.stderr
    assert PROJECT["requires-python"] == ">=3.11,<3.14"
