"""The cache of compiled code: only what this user wrote, whole, is read back; anything else is compiled again."""

import concurrent.futures
import hmac
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from turnsmith.compile import cache

NAME = "some.kernel-0123.nbc"
CONTENT = bytes(range(256)) * 8


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own, nothing said yet."""
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_said", set())
    return tmp_path / "cache"


def test_what_is_written_is_read(folder, capsys):
    """A file comes back as it was, a missing one is nothing, and neither is worth a word."""
    assert cache.read(NAME) is None
    cache.write(NAME, CONTENT)
    assert cache.read(NAME) == CONTENT
    assert sorted(file.name for file in folder.iterdir()) == ["key", NAME]
    assert capsys.readouterr() == ("", "")


def test_no_flipped_bit_is_read(folder, capsys):
    """Every bit of a file is under its seal: with any of them flipped it is not loaded, which is said once."""
    cache.write(NAME, CONTENT)
    whole = (folder / NAME).read_bytes()
    for bit in range(0, 8 * len(whole), 61):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / NAME).write_bytes(damaged)
        assert cache.read(NAME) is None
    for length in (0, 1, 31, 32, 33, len(whole) - 1):
        (folder / NAME).write_bytes(whole[:length])
        assert cache.read(NAME) is None
    (folder / "other.nbc").write_bytes(whole)
    assert cache.read("other.nbc") is None  # a whole file under another name
    said = capsys.readouterr().err
    assert said == f"turnsmith: {folder / NAME} in the cache cannot be used (it is damaged, or not yours); " + (
        "compiling again\n"
    )
    (folder / NAME).write_bytes(whole)
    assert cache.read(NAME) == CONTENT


def test_links_are_not_followed(folder, tmp_path):
    """A link in the place of a file is not read, and writing replaces the link, not what it leads to."""
    cache.write(NAME, CONTENT)
    (folder / NAME).rename(tmp_path / "elsewhere")
    (folder / NAME).symlink_to(tmp_path / "elsewhere")
    assert cache.read(NAME) is None
    cache.write(NAME, b"new")
    assert cache.read(NAME) == b"new"
    assert (tmp_path / "elsewhere").read_bytes()[cache.SEAL :] == CONTENT


# ---------------------------------------------------------------- folders and keys


def test_a_folder_that_others_may_write_to_is_not_used(folder, capsys):
    """It is refused, a private folder serves this process, and that is said in one line, once."""
    folder.mkdir()
    folder.chmod(0o777)
    mine = cache.cache_folder()
    assert mine != folder
    assert mine.stat().st_mode & 0o077 == 0
    assert cache.cache_folder() == mine
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"others may write to the cache folder {folder}" in said
    assert "TURNSMITH_CACHE" in said
    folder.chmod(0o755)
    assert cache.cache_folder() == folder


def test_a_folder_of_somebody_else_is_not_used(folder, monkeypatch, capsys):
    """A folder that belongs to another user is refused."""
    folder.mkdir()
    monkeypatch.setattr(cache, "_user", lambda: os.getuid() + 1)
    assert cache.cache_folder() != folder
    assert "belongs to somebody else" in capsys.readouterr().err


@pytest.mark.parametrize("named", [True, False])
def test_a_user_without_a_home_has_a_cache(folder, named, monkeypatch, tmp_path):
    """Where nobody knows the user's home, a named folder is used, or else a temporary one."""

    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    if not named:
        monkeypatch.delenv("TURNSMITH_CACHE")
    assert cache.cache_folder() == (folder if named else tmp_path / f"turnsmith-cache-{os.getuid()}")


def test_a_folder_that_cannot_be_had_is_named(monkeypatch, tmp_path, capsys):
    """A cache folder that was asked for and cannot be made is named, and the process goes on without it."""
    (tmp_path / "wall").write_text("")
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path / "wall" / "cache"))
    assert cache.cache_folder().is_dir()
    assert "wall/cache cannot be used (Not a directory)" in capsys.readouterr().err


def test_the_key_is_secret_and_made_once(folder):
    """Many who start at once agree on one key, that only the user may read; one left half-written is made anew."""
    cache.cache_folder()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: cache._key(folder), range(64)))
    assert len(keys) == 1
    assert (folder / "key").stat().st_mode & 0o777 == 0o600
    cache.write(NAME, CONTENT)
    (folder / "key").chmod(0o644)
    assert cache.read(NAME) is None  # others may have read it
    assert (folder / "key").stat().st_mode & 0o777 == 0o600
    (folder / "key").write_bytes(b"half")
    assert len(cache._key(folder)) == cache.SEAL
    assert {cache._key(folder)} != keys


def test_the_cache_stays_within_its_bound(folder):
    """What was not used for longest goes first; reading is using."""
    for number in range(4):
        cache.write(f"{number}.nbc", CONTENT)
        os.utime(folder / f"{number}.nbc", (time.time() - 100 + number,) * 2)
    assert cache.read("0.nbc") == CONTENT
    cache.prune(folder, 2 * (len(CONTENT) + cache.SEAL))
    assert sorted(file.name for file in folder.glob("*.nbc")) == ["0.nbc", "3.nbc"]


def test_a_full_disk_costs_a_line(folder, monkeypatch, capsys):
    """What cannot be kept is said once and left."""

    def full(*_):
        raise OSError(28, "No space left on device")

    cache.cache_folder()
    monkeypatch.setattr(cache.os, "open", full)
    cache.write(NAME, CONTENT)
    cache.write(NAME, CONTENT)
    assert capsys.readouterr().err == f"turnsmith: compiled code cannot be kept in {folder} (No space left on device)\n"
    assert not list(folder.iterdir())


# ---------------------------------------------------------------- whole processes

PROGRAM = """
import numpy as np
from turnsmith import kernel

def doubled(numbers):
    return 2 * numbers[0]

print(kernel.compiled(doubled)(np.array([21])), len(kernel.compiled_in_this_process))
"""


def run(folder):
    """What a fresh process computes, how many kernels it compiled, and what it said."""
    environment = {**os.environ, "TURNSMITH_CACHE": str(folder)}
    answer = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split(), answer.stderr


HOLDER = """
import os, pathlib, time
from turnsmith.compile import cache
os.nice({patience})
write = cache.write

def held_up(*arguments):
    pathlib.Path("holding").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    write(*arguments)

cache.write = held_up
"""
WAITER = "from turnsmith.compile import cache\ncache.MOST_WAIT = {most}\nprint('asks', flush=True)"


class Two:
    """A process that has compiled, but keeps nothing before there is a file `go`; and others that want the same."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []

    def start(self, program):
        environment = {**os.environ, "TURNSMITH_CACHE": str(self.folder / "cache")}
        command = [sys.executable, "-c", program + PROGRAM]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.folder, env=environment)
        self.processes.append(process)
        return process

    def hold(self, patience=0):
        (self.folder / "holding").unlink(missing_ok=True)
        holder = self.start(HOLDER.format(patience=patience))
        while not (self.folder / "holding").exists():
            assert holder.poll() is None
            time.sleep(0.02)
        return holder

    def wait(self, most):
        waiter = self.start(WAITER.format(most=most))
        assert waiter.stdout.readline() == "asks\n"
        return waiter


@pytest.fixture
def two(tmp_path):
    processes = Two(tmp_path)
    yield processes
    for process in processes.processes:
        process.kill()
        process.communicate()


def test_who_wants_what_another_process_compiles_waits_and_loads_it(two):
    """One compiles; the other has compiled nothing. The lock is gone afterwards."""
    holder, waiter = two.hold(), two.wait(most=1e9)
    with pytest.raises(subprocess.TimeoutExpired):
        waiter.communicate(timeout=1.0)
    (two.folder / "go").touch()
    assert [process.communicate(timeout=60)[0].split() for process in (holder, waiter)] == [["42", "1"], ["42", "0"]]
    assert not list((two.folder / "cache").glob("*.lock"))


def test_nobody_waits_for_who_was_killed_is_patient_or_takes_too_long(two):
    """The system frees the lock of a killed process; who lets others go first is not waited for; and others not for
    ever."""
    holder = two.hold()
    holder.kill()
    holder.wait()
    assert list((two.folder / "cache").glob("*.lock"))
    assert two.wait(most=1e9).communicate(timeout=60)[0].split() == ["42", "1"]
    for patience, most in ((5, 1e9), (0, 0.1)):
        for file in (two.folder / "cache").glob("*.nbc"):
            file.unlink()
        holder = two.hold(patience)
        assert two.wait(most).communicate(timeout=60)[0].split() == ["42", "1"]
        assert holder.poll() is None
        holder.kill()


class Evil:
    """A pickle that leaves a trace when it is read."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return (open, (self.trace, "w"))


def test_damaged_and_foreign_files_are_compiled_again_by_whole_processes(tmp_path):
    """Nothing crashes, the answer is right, and another's pickle is never read, whatever key it was sealed with."""
    folder, trace = tmp_path / "cache", tmp_path / "trace"
    assert run(folder) == (["42", "1"], "")
    assert run(folder) == (["42", "0"], "")
    (file,) = folder.glob("*.nbc")
    whole = file.read_bytes()
    for place in (3, len(whole) // 3, len(whole) // 2, len(whole) - 9):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        file.write_bytes(damaged)
        answer, said = run(folder)
        assert answer == ["42", "1"]
        assert said.count("\n") == 1
        assert "damaged" in said
    evil = pickle.dumps(Evil(str(trace)))
    seal = hmac.digest(b"a key of somebody else's", file.name.encode() + b"\0" + evil, "sha256")
    for planted in (evil, seal + evil):
        file.write_bytes(planted)
        assert run(folder)[0] == ["42", "1"]
    assert not trace.exists()
    file.write_bytes(whole)
    assert run(folder) == (["42", "0"], "")


def test_copies_of_a_file_are_compiled_apart(tmp_path):
    """The same rules at another path find code of their own, and nothing is said of a cache that cannot be used."""
    code = "import sys, turnsmith as ts; print(ts.player('random').act(ts.load(sys.argv[1]).start()).words)"
    env = {**os.environ, "TURNSMITH_CACHE": str(tmp_path / "cache")}
    for name in ("one", "two", "one"):
        file = tmp_path / name / "nim.py"
        file.parent.mkdir(exist_ok=True)
        shutil.copy(Path(__file__).parents[2] / "examples" / "nim.py", file)
        ran = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, env=env)
        assert (ran.returncode, ran.stderr) == (0, "")
