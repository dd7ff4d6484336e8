"""The wheel and the source archive: whole, and described as a package index wants it."""

import importlib.util
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = ROOT / "src" / "turnsmith"
PROMISED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["turnsmith"]
LEFT = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*", "build", "dist", "*.db*")
BUILD = "from setuptools import build_meta as build; build.build_wheel({0!r}); build.build_sdist({0!r})"


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A wheel and a source archive, made from a copy so that nothing is left among the sources."""
    copy, made = tmp_path_factory.mktemp("copy") / "turnsmith", tmp_path_factory.mktemp("dist")
    shutil.copytree(ROOT, copy, ignore=LEFT)
    ran = subprocess.run([sys.executable, "-c", BUILD.format(str(made))], cwd=copy, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return next(made.glob("*.whl")), next(made.glob("*.tar.gz"))


def test_the_wheel_holds_every_file_of_the_package(archives):
    """Code, nets, maps, scripts and styles, and nothing else; every promise of package-data is about some file."""
    with zipfile.ZipFile(archives[0]) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
        commands = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "turnsmith = turnsmith.__main__:main" in wheel.read(commands).decode()
    files = {path for path in CODE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert packed == {path.relative_to(CODE.parent).as_posix() for path in files}
    for pattern in PROMISED:
        assert any(path in files for path in CODE.glob(pattern)), pattern


def test_the_source_archive_can_be_tested_and_read(archives):
    """Everything that the README and the Makefile name is in it."""
    with tarfile.open(archives[1]) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for folder in ("tests", "docs", "examples", "bench"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {path.relative_to(ROOT).as_posix() for path in files} <= names
    assert {"Makefile", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"} <= names


@pytest.mark.skipif(importlib.util.find_spec("twine") is None, reason="twine is missing: pip install 'turnsmith[docs]'")
def test_an_index_would_take_them(archives):
    """`twine check` has nothing to say."""
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, archives)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def test_the_citation_is_of_this_version():
    """CITATION.cff and pyproject.toml name the same version and licence."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {project['version']}" in lines
    assert f"license: {project['license']}" in lines


def test_modules_below_a_name_that_is_a_function_can_be_imported():
    """However they are named, before or after the package was called as the function of its name."""
    code = """
import turnsmith as ts
import turnsmith.studies.mastermind.rewarded as rewarded
import turnsmith.arena.store as store, turnsmith.check.laws as laws
import turnsmith.games.pig
from turnsmith.games import kuhn
assert "pig" in ts.games() and ts.games is turnsmith.games and callable(ts.check) and callable(ts.arena)
import turnsmith.games.tactics.odds as odds
assert turnsmith.games.pig.__name__ == "turnsmith.games.pig"
print(rewarded.__name__, store.Store.__name__, laws.__name__, odds.__name__)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr == ""
    named = ["turnsmith.studies.mastermind.rewarded", "Store", "turnsmith.check.laws", "turnsmith.games.tactics.odds"]
    assert ran.stdout.split() == named
