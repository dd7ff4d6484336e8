"""Compiled code that came with the package: read only if it is whole and fits; the user's cache goes first."""

import hashlib
import json
import os
import pickle
import shutil

import numpy as np
import pytest
from llvmlite import binding
from numba import types
from numba.core import config

from turnsmith.compile import cache, numba_private, shipped
from turnsmith.compile.numba_private import Kernel, NotReady, at_once, compiled_in_this_process
from turnsmith.warm import parts

NUMBERS = np.array([21])
KINDS = (types.int64[::1],)
EVIL = []


def doubled(numbers):
    """The kernel that is shipped."""
    return 2 * numbers[0]


class Evil:
    """A pickle that leaves a trace when it is read."""

    def __reduce__(self):
        return (EVIL.append, (1,))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder such as a wheel brings, with one kernel and the note of one part."""
    folder = tmp_path_factory.mktemp("made") / "compiled"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TURNSMITH_CACHE", str(folder.parent / "cache"))
        kernel = Kernel(doubled)
        assert kernel(NUMBERS) == 42
        content = cache.read(kernel._cache._name(KINDS, kernel.targetctx.codegen()))
    name = kernel._cache.shipped_name(KINDS)
    (folder / name).write_bytes(content)
    files = {name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}}
    manifest = {**shipped.facts(), "files": files, "notes": {"a key": [name]}}
    (folder / shipped.MANIFEST).write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A copy of it in the place of the package's, an empty cache, and nothing said yet."""
    copy = tmp_path / "compiled"
    shutil.copytree(made, copy)
    monkeypatch.setattr(shipped, "FOLDER", copy)
    monkeypatch.setattr(shipped, "suits_processor", lambda: True)
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path / "cache"))
    EVIL.clear()
    return copy


def the_file(folder):
    return next(folder.glob("*.nbc"))


def compiles():
    """How many kernels had to be compiled for the right answer; asking first whether they must be is no lie."""
    kernel, before = Kernel(doubled), len(compiled_in_this_process)
    is_kept = kernel.is_kept(KINDS)
    assert kernel(NUMBERS) == 42
    count = len(compiled_in_this_process) - before
    assert is_kept == (count == 0)
    return count


def test_what_came_with_the_package_is_not_compiled(folder, tmp_path, capfd):
    """It is loaded, nothing is written to the cache, a part whose files are there is ready, and nothing is said."""
    assert compiles() == 0
    assert not list((tmp_path / "cache").glob("*.nbc"))
    with at_once():
        assert Kernel(doubled)(NUMBERS) == 42
    assert parts.noted("a key") == {"seconds": 0.0}
    assert parts.noted("another key") is None
    assert capfd.readouterr().err == ""


def test_the_cache_of_the_user_goes_first(folder, monkeypatch):
    """Code that the user compiled for the very processor is taken, and the folder is not even read."""
    with monkeypatch.context() as without:
        without.setattr(shipped, "FOLDER", folder / "nothing")
        assert compiles() == 1
    monkeypatch.setattr(shipped, "read", lambda name: pytest.fail("read"))
    kernel = Kernel(doubled)
    assert kernel.is_kept(KINDS)
    assert kernel(NUMBERS) == 42


def flip(folder):
    raw = bytearray(the_file(folder).read_bytes())
    raw[len(raw) // 2] ^= 4
    the_file(folder).write_bytes(raw)


def link(folder):
    the_file(folder).rename(folder.parent / "elsewhere")
    (folder / json.loads((folder / shipped.MANIFEST).read_text())["files"].popitem()[0]).symlink_to("../elsewhere")


def pipe(folder):
    name = the_file(folder)
    name.unlink()
    os.mkfifo(name)


def link_folder(folder):
    folder.rename(folder.parent / "real")
    folder.symlink_to("real")


DAMAGE = {
    "a flipped bit": flip,
    "the end is missing": lambda folder: os.truncate(the_file(folder), 100),
    "something behind the end": lambda folder: the_file(folder).write_bytes(the_file(folder).read_bytes() + b"x"),
    "another pickle": lambda folder: the_file(folder).write_bytes(pickle.dumps(Evil())),
    "no file": lambda folder: the_file(folder).unlink(),
    "a link": link,
    "a pipe": pipe,
    "a link to the folder": link_folder,
    "everybody may write": lambda folder: the_file(folder).chmod(0o666),
    "everybody may write the manifest": lambda folder: (folder / shipped.MANIFEST).chmod(0o666),
    "no manifest": lambda folder: (folder / shipped.MANIFEST).unlink(),
    "half a manifest": lambda folder: os.truncate(folder / shipped.MANIFEST, 300),
    "another manifest": lambda folder: (folder / shipped.MANIFEST).write_text("[1]"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_compiled_instead(folder, damage, capfd):
    """The answer is right, one line says why, nobody who must not wait is made to, and no other pickle is read."""
    DAMAGE[damage](folder)
    with at_once(), pytest.raises(NotReady):
        Kernel(doubled)(NUMBERS)
    assert parts.noted("a key") is None
    assert compiles() == 1
    assert compiles() == 0  # from the user's cache
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "which came with turnsmith, cannot be used" in said
    assert not EVIL


def edited(folder, **others):
    manifest = json.loads((folder / shipped.MANIFEST).read_text()) | others
    (folder / shipped.MANIFEST).write_text(json.dumps(manifest))


OTHERS = {
    "format": 0,
    "python": "cpython-310-x86_64-linux-gnu 00",
    "numba": "0.68.99",
    "llvmlite": "0.1",
    "triple": "riscv64-unknown-linux-gnu",
    "level": "x86-64-v4",
    "settings": {},
    "files": {},
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_was_made_by_others_is_compiled_in_silence(folder, name, capfd):
    """Another Python, numba, processor or setting is no fault of anybody's."""
    edited(folder, **{name: OTHERS[name]})
    assert compiles() == 1
    assert capfd.readouterr().err == ""


def test_other_code_and_other_settings_have_other_names(folder, monkeypatch):
    """An edited function, checked bounds, a kept lock or another signature find nothing."""
    before = Kernel(doubled)._cache.shipped_name(KINDS)
    names = [Kernel(doubled)._cache.shipped_name((types.int32[::1],))]
    with monkeypatch.context() as patch:
        patch.setattr(config, "BOUNDSCHECK", 1)
        names.append(Kernel(doubled)._cache.shipped_name(KINDS))
    with monkeypatch.context() as patch:
        patch.setattr(numba_private, "_keep_gil", {doubled})
        names.append(Kernel(doubled)._cache.shipped_name(KINDS))
    with monkeypatch.context() as patch:
        patch.setattr(config, "OPT", 1)
        assert compiles() == 1

    def doubled_again(numbers):
        return numbers[0] + numbers[0]

    names.append(Kernel(doubled_again)._cache.shipped_name(KINDS))
    assert before not in names
    assert before == Kernel(doubled)._cache.shipped_name(KINDS)


LEVEL_2 = ",".join(f"+{feature}" for feature in shipped.FEATURES)


@pytest.mark.parametrize(
    ("lacks", "name", "features", "suits"),
    [
        ("", None, None, True),
        ("", "a host", None, True),
        ("sse4.2", None, None, False),
        ("popcnt", shipped.LEVEL, "", False),
        ("", shipped.LEVEL, "", True),
        ("", shipped.LEVEL, "+avx,-popcnt", False),
        ("", "x86-64", "", False),
        ("", "generic", "", False),
        ("", "nehalem", None, False),  # it may be enough, but nobody has checked that
        ("", "x86-64", LEVEL_2, True),
        ("", "x86-64", LEVEL_2.replace("+popcnt", "-popcnt"), False),
        ("", None, "", False),
    ],
)
def test_the_processor_decides(monkeypatch, lacks, name, features, suits):
    """Code of a level needs a host that has it, and no wish of the user's for less."""
    host = {feature: feature != lacks for feature in shipped.FEATURES}
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: host)
    monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "a host")
    monkeypatch.setattr(config, "CPU_NAME", name)
    monkeypatch.setattr(config, "CPU_FEATURES", features)
    assert shipped.suits_processor() == suits
