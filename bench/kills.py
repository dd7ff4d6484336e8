"""Kill long work over and over: ``python bench/kills.py [--kills 20] [--only arena]``.

Each command is run once undisturbed, then begun anew, killed (SIGKILL) at random moments, given again each time, and at
last let through. What it prints and the files it leaves must be those of the undisturbed run, byte for byte; what says
how long something took, or how far it has come, is left out.
"""

import argparse
import contextlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import turnsmith
from turnsmith.games.connect_four import openings

NET = Path(turnsmith.__file__).with_name("games") / "dicewars" / "value.onnx"

LONG = {
    "value": "train value connect_four:width=4,height=4 --folder work --rounds 12 --games 1024 --to net.onnx --json",
    "arena": "arena connect_four --players mcts:simulations=1500,negamax:depth=4,random --games 3000 --seed 4 --json",
    "pacman sarsa": "train pacman sarsa --folder work --episodes 300 --mazes 3",
    "pacman league": "train pacman league --folder work --iterations 1 --trials 6 --exploiter-trials 3 --games 2",
    "pacman value": "train pacman value --folder work --games 160 --sweeps 1",
    "pacman table": "train pacman table --folder work --pacmans fuzzy,random --ghosts original-ghosts --games 60",
    "dicewars generate": "train dicewars generate --folder work --positions 400000 --player ste --json",
    "dicewars fit": "train dicewars fit --folder work --epochs 60 --json",
    "dicewars value": "train dicewars value --folder work --rounds 2 --games 400 --json",
    "dicewars tune": f"train dicewars tune --from {NET} --folder work --generations 4 --games 200 --proof 40 --json",
    "tactics experiment": "train tactics experiment-1 --folder work --generations 40 --games 2 --proof 100 --json",
    "tactics league": "train tactics league --folder work --iterations 3 --generations 4 --population 10 --json",
    "tactics improve": "train tactics improve --folder work --iterations 2 --parts 4 --final-maps 40 --json",
    "mastermind learned": "train mastermind learned --folder work --pegs 3 --games 500 --steps 400 --rounds 2 --json",
    "mastermind ppo": "train mastermind ppo --folder work --pegs 2 --steps 40960 --leg 4096 --json",
    "mastermind ppo by sb3": "train mastermind ppo --folder work --pegs 2 --by sb3 --steps 10240 --leg 1024 --json",
    "mastermind ppo by pictures": "train mastermind ppo --folder work --colors 3 --pegs 2 --see pictures --games 8 "
    "--steps 1280 --leg 128 --batch 64 --json",
    "mastermind eye": "train mastermind eye --folder work --epochs 4 --pictures 64 --batch 16 --json",
    "connect_four openings": "train connect_four openings --file openings.bin --plies 12 --table 22",
}
TIMES = re.compile(rb'"(seconds|games_per_second|acting|playing|learning)": [^,}\n]*|\d+ stones: .*\n')
"""How long something took, and how far it has come."""


def split_positions(folder):
    """What `fit` learns from."""
    for words in ("generate --positions 4000 --player ste", "split"):
        finish(begin(f"train dicewars {words} --folder work --json", folder))


def gappy_openings(folder):
    """The shipped table without every twentieth position of 8 stones and more: the first ones take minutes each."""
    entries = [int(entry) for entry in openings.read(openings.FILE)]

    def stones(entry):
        """A column of n stones holds 2**n - 1 in all, and the mover's stones are added to that."""
        columns = [entry >> int(openings.KEY) >> openings.TALL * column for column in range(openings.WIDTH)]
        return sum(((column & 127) + 1).bit_length() - 1 for column in columns)

    kept = [entry for number, entry in enumerate(entries) if number % 20 or stones(entry) < 8]
    openings.write(Path(folder) / "openings.bin", kept)


BEFORE = {"dicewars fit": split_positions, "connect_four openings": gappy_openings}
"""What has to be there before a command begins."""


def begin(words, folder):
    command = [sys.executable, "-m", "turnsmith", *words.split()]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(running):
    out, err = running.communicate()
    if running.returncode or err:
        sys.exit(f"exit code {running.returncode}: {err.decode()}")
    return TIMES.sub(b"", out)


def files(folder):
    """All files by name, without times; a store is compared by what it holds, elsewhere."""
    found = {str(path.relative_to(folder)): path for path in Path(folder).rglob("*") if path.is_file()}
    return {name: TIMES.sub(b"", path.read_bytes()) for name, path in found.items() if "turnsmith.db" not in name}


def stored(folder):
    """How many matches the store holds, and how many different ones."""
    from turnsmith.arena.store import Store

    if not (Path(folder) / "turnsmith.db").exists():
        return 0, 0
    with sqlite3.connect(Path(folder) / "turnsmith.db") as db:
        rows = db.execute("select coalesce(sum(games), 0) from batches").fetchone()[0]
    store = Store(f"sqlite:///{folder}/turnsmith.db")
    different = sum(len(store.results(run["run"]).numbers) for run in store.runs())
    store.close()
    return rows, different


def kill_often(words, before, kills, dice):
    """How often it was killed, and what differs from the undisturbed run."""
    with tempfile.TemporaryDirectory() as calm, tempfile.TemporaryDirectory() as rough:
        before(calm)
        finish(begin(words, calm))  # compiles what has to be compiled
        begun = time.monotonic()
        again = finish(begin(words, calm))  # nothing is left to do: how long it takes to start
        start = time.monotonic() - begun
        clear(calm)
        before(calm)
        before(rough)
        begun = time.monotonic()
        true = finish(begin(words, calm))
        whole = time.monotonic() - begun
        killed, lost, repeated, wrong = 0, 0, 0, set()
        while True:
            running = begin(words, rough)
            if killed < kills:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(dice.uniform(0.0, start + 1.2 * (whole - start) / kills))
                if running.returncode is None:
                    running.kill()
                    running.communicate()
                    killed += 1
                    continue
            found = finish(running)
            rows, different = stored(rough)
            wrong |= {name for name in files(calm) | files(rough) if files(calm).get(name) != files(rough).get(name)}
            wrong |= {"its answer"} if found not in (true, again) else set()
            lost, repeated = lost + stored(calm)[1] - different, repeated + rows - different
            if killed == kills:
                return killed, whole, lost, repeated, sorted(wrong)
            clear(rough)  # it came to its end between two kills: once more
            before(rough)


def clear(folder):
    for path in sorted(Path(folder).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(LONG))
    asked = parser.parse_args()
    failed = False
    for name, words in LONG.items():
        if asked.only in (None, name):
            killed, seconds, lost, repeated, wrong = kill_often(
                words, BEFORE.get(name, lambda folder: None), asked.kills, random.Random(asked.seed)
            )
            told = f"{lost} matches lost, {repeated} repeated, differs: {', '.join(wrong) or 'nothing'}"
            print(f"{name:<22} {killed:>3} kills in {seconds:>6.1f} s of work: {told}", flush=True)
            failed |= bool(lost or repeated or wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
