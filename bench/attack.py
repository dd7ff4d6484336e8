"""Attack the edge with mutated input: ``python bench/attack.py [--count 50000] [--seed 1] [--only replays]``.

Commands, saved matches, texts of games and players, stores, strategies and nets are mutated, tens of thousands of them
in a child process that is watched: a signal ends it, a hang is ended. Some commands run in processes of their own, and
some of those are interrupted at a random moment. Each must be answered, or refused in one line; no file may be half
written.
"""

# ruff: noqa: SIM905  (words in a text are read more easily than in quotes)

import argparse
import contextlib
import io
import json
import math
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx

HANG = 30.0
"""Seconds after which a case counts as a hang."""
SHARES = {
    **{"commands": 0.15, "replays": 0.35, "texts": 0.336, "stores": 0.06, "arrays": 0.06, "nets": 0.04},
    **{"processes": 0.003, "interrupts": 0.001},
}
GAMES = """
connect_four connect_four:width=5,height=4 othello pig:players=3,target=30 leduc mastermind dicewars dicewars:players=2
mastermind:maker=seat,colors=4,pegs=3 pacman pacman:moves=unit
""".split()
ODD = [
    *"""
    -1 0 1 2 007 1.5 1e3 1e308 0x10 １２ nan inf -inf 3000000000 true None [] {} ' " %s é 💥 -- - -x = a=b : , ,,
    mcts:simulations=1000000000000000000000000000000 mcts:time=nan mcts:time=1e400 connect_four: connect_four:width=
    random: :random nosuch ./nosuch.py pig:players=99 [/bold] solve:limit=-5 m.json frames there.json there .
    nowhere/m.json /dev/null /dev/full sqlite://:memory: sqlite:///x.db?a=1 sqlite:///. sqlite:///there.json none
    mysql://a:b@c/d https://x
    """.split(),
    *("", " ", "\n", "x\ty", "\u202e", "\udcff", "9" * 20, "-" + "9" * 20, "9" * 5000, "a" * 300, "a" * 5000),
]
COMMANDS = [line.split() for line in """
games
players pig
players mastermind:colors=4
replay there.json
bench nosuch
arena pig:target=20 --players random,random --games 4 --store none
arena connect_four --players random,negamax:depth=1 --games 2 --seed 1 --limit 5
watch connect_four --players random,random --seed 3 --delay 0 --replay m.json
watch pig:target=20 --players random,random --svg frames --json
evaluate mastermind:colors=3,pegs=2 --player knuth --games 20 --json
strategy mastermind:colors=3,pegs=2 --player knuth --to m.json
play connect_four --vs random --seat 0 --seed 2
play mastermind:maker=seat,colors=4,pegs=2 --seat 1 --vs knuth
serve --host 127.0.0.1 --think 1 --no-open --port 99999
train pacman sarsa --folder frames --rate 3
train dicewars fit --folder frames --epochs 0
""".strip().splitlines()]  # fmt: skip
REFUSED = {"serve": ["--port", "99999"], "train": ["--nosuch"], "bench": ["--nosuch"]}
"""What would go on for long, were it right after all, gets these too."""
TYPED = "d/a/1/hint/hint mcts:simulations=5/undo/legal/help/save m.json/save/save ./0+0".split("/")
DEEP = "@deep@"
"""Stands for lists in lists, deeper than any reader goes."""


# ---------------------------------------------------------------- mutations


def mutated_bytes(dice, raw):
    """A few of: a bit flipped, an end cut off, bytes put in, a piece doubled."""
    raw = bytearray(raw)
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        at = dice.randrange(len(raw) or 1)
        match dice.randrange(5):
            case 0 | 1 if raw:
                raw[at] ^= 1 << dice.randrange(8)
            case 2:
                del raw[at:]
            case 3:
                raw[at:at] = dice.randbytes(dice.choice([1, 3, 40]))
            case _:
                raw[at:at] = raw[at // 2 : at]
    return bytes(raw)


def odd_value(dice):
    numbers = [-1, 0, 1, 2, 7, 99, 1000, 2**31, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf")]
    others = [None, True, False, "\ud800", "classic-middle", [], {}, [[]], [0] * 50, [-1, 2**40], {"a": 1}, DEEP]
    return dice.choice([*numbers, *others, dice.choice(ODD)])


def mutated_json(dice, document):
    """A document in which some values are others, missing, doubled, or in another place."""
    document = json.loads(json.dumps(document))
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        places = []
        waiting = [document]
        while waiting:
            node = waiting.pop()
            keys = list(node) if isinstance(node, dict) else range(len(node))
            for key in keys:
                places.append((node, key))
                if isinstance(node[key], (dict, list)):
                    waiting.append(node[key])
        node, key = dice.choice(places)
        match dice.randrange(6):
            case 0:
                del node[key]
            case 1 if isinstance(node[key], int):
                node[key] += dice.choice([-1, 1, 2, 100, -(10**6)])
            case 2 if isinstance(node, list):
                node.insert(key, node[key])
            case 3:
                node[key] = json.loads(json.dumps(document[dice.choice(list(document))]))
            case 4 if isinstance(node, dict):
                node[dice.choice(ODD)[:50]] = odd_value(dice)
            case _:
                node[key] = odd_value(dice)
        if not document:
            break
    return document


def mutated_arrays(dice, raw):
    """The bytes of a file of arrays in which numbers, types, shapes, names or the packing are others, or bytes are."""
    with np.load(io.BytesIO(raw)) as archive:
        arrays = dict(archive)
    for _ in range(dice.choice([0, 1, 1, 2])):
        name = dice.choice(list(arrays))
        array = arrays[name].copy()
        match dice.randrange(6):
            case 0:
                del arrays[name]
            case 1:
                with np.errstate(invalid="ignore"):
                    arrays[name] = array.astype(dice.choice([np.float32, np.int32, np.uint8, np.bool_, "U3", "O"]))
            case 2:
                arrays[name] = dice.choice([array[:-1], array[None], np.append(array, array), array[::-1], array[:0]])
            case 3:
                arrays[dice.choice(["more", "sums", "é"])] = array
            case _ if array.size:
                odd = [np.nan, np.inf, -np.inf, -1.0, 1e300, 0.0] if array.dtype.kind == "f" else [0, 1, 2**62, 255]
                array.flat[dice.randrange(array.size)] = np.array(dice.choice(odd)).astype(array.dtype)
                arrays[name] = array
    out = io.BytesIO()
    packing = dice.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return mutated_bytes(dice, out.getvalue()) if dice.random() < 0.6 else out.getvalue()


def mutated_net(dice, raw):
    """The bytes of a net with odd numbers, shapes or functions in it, or odd bytes."""
    model = onnx.load_model_from_string(raw)
    graph = model.graph
    for _ in range(dice.choice([0, 1, 1, 2])):
        part, node = dice.choice(list(graph.initializer)), dice.choice(list(graph.node))
        array = onnx.numpy_helper.to_array(part).copy()
        match dice.randrange(6):
            case 0:
                part.CopyFrom(onnx.numpy_helper.from_array(array[:-1], part.name))
            case 1:
                node.op_type = dice.choice(["Tanh", "Gemm", "Relu", "Log", "NoSuch", "Softmax"])
            case 2:
                graph.node.remove(node)
            case 3:
                shape = dice.choice([*graph.input, *graph.output]).type.tensor_type.shape
                dice.choice(list(shape.dim)).dim_value = dice.choice([-1, 0, 1, 7, 2**40])
            case _:
                array.flat[dice.randrange(array.size)] = dice.choice([np.nan, np.inf, 3e38, -1e30])
                part.CopyFrom(onnx.numpy_helper.from_array(array, part.name))
    content = model.SerializeToString()
    return mutated_bytes(dice, content) if dice.random() < 0.5 else content


def mutated_text(dice, text, keys):
    """A text of a game or player with odd settings, or odd signs."""
    for _ in range(dice.choice([1, 1, 2, 3])):
        name, _, settings = text.partition(":")
        at, key, value = (
            dice.randrange(len(text) + 1),
            dice.choice(keys),
            dice.choice([dice.choice(ODD), str(dice.randrange(-1, 12))]),
        )
        match dice.randrange(5):
            case 0:
                text = f"{text}{',' if settings else ':'}{key}={value}"
            case 1:
                text = f"{name}:{key}={value}"
            case 2:
                text = text[:at] + value[:300] + text[at:]
            case 3:
                text = text[:at] + text[at + 1 :]
            case _:
                text = text[:at] + chr(dice.choice([dice.randrange(1, 128), dice.randrange(1, 0xFFFF)])) + text[at:]
    return text


def mutated_command(dice):
    words = list(dice.choice(COMMANDS))
    for _ in range(dice.choice([1, 1, 2])):
        at, odd = dice.randrange(len(words) > 1 and dice.random() < 0.9, len(words)), dice.choice(ODD)
        match dice.randrange(5):
            case 0 | 1:
                words[at] = odd
            case 2:
                words.insert(at, odd)
            case 3 if len(words) > 1:
                del words[at]
            case _:
                words += [dice.choice(["--seed", "--json", "--games", "--svg", "--replay", "--store", "--x"]), odd]
    return words + REFUSED.get(words[0], [])


# ---------------------------------------------------------------- cases, in a child process


def command(words, typed=""):
    """Run a command here: its verdict, and what it said."""
    from turnsmith.cli import main

    out, err, code = io.StringIO(), io.StringIO(), None
    before, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        return "tracebacks", f"{type(error).__name__}: {error}"
    finally:
        sys.stdin = before
    return verdict(code, err.getvalue()), err.getvalue() or out.getvalue()


def verdict(code, said):
    if isinstance(code, int) and code < 0:
        return "signals"
    if code == 0 and not said:
        return "answered"
    if code == 2 and len(said.splitlines()) == 1 and "bug in turnsmith" not in said:
        return "refused"
    return "stopped" if (code, said) == (130, "stopped\n") else "tracebacks"


def fields(settings):
    """The names of all settings, and one that is none."""
    return [*getattr(settings, "__dataclass_fields__", ()), "nosuch"]


class Attacker:
    """Builds case number n of a kind from the seed, and runs it in a folder of its own."""

    def __init__(self, seed, home):
        import turnsmith as ts
        from turnsmith.cli import watch

        watch.time = SimpleNamespace(sleep=lambda seconds: None)  # a delay that was asked for is no hang
        self.ts, self.seed, self.home = ts, seed, Path(home)
        self.matches, self.games = [], {}
        for text in GAMES:
            game = self.games[text] = ts.load(text)
            seats = int(game.board()[0].seats)
            match = ts.play(game, ["random"] * seats, seed=3)
            self.matches.append({"turnsmith": "match", **match.__dict__, "actions": match.actions[:60]})
        self.url = f"sqlite:///{self.home}/s.db"
        self.store = self.home / "s.db"
        self.strategy, self.net = self.home / "s.npz", Path(ts.__file__).parent / "games" / "pig" / "zero.onnx"
        command(["cfr", "kuhn", "--iterations", "10", "--to", str(self.strategy)])
        self.true = self.arena()
        self.bytes = self.store.read_bytes()

    def arena(self):
        words = ["arena", "pig:target=20", "--players", "random,random", "--games", "20", "--workers", "1", "--json"]
        kind, said = command([*words, "--store", self.url])
        return json.loads(said)["players"] if kind == "answered" else (kind, said)

    def case(self, kind, number):
        dice = random.Random(f"{self.seed} {kind} {number}")
        work = self.home / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        os.chdir(work)
        (work / "there.json").write_text(json.dumps(self.matches[0]), "utf-8")
        (work / "there").mkdir()
        found = getattr(self, kind)(dice)
        left = [path.name for path in work.rglob("*") if path.name.endswith(".part") or not whole(path)]
        return ("half-written", f"{left} of {found}") if left else found

    def commands(self, dice):
        words = mutated_command(dice)
        typed = "".join(dice.choice([*TYPED, *ODD]).replace("\udcff", "?") + "\n" for _ in range(dice.randrange(12)))
        kind, said = command(words, typed)
        return kind, f"{words} {said[-300:]}"

    def replays(self, dice):
        match = dice.choice(self.matches)
        if dice.random() < 0.4:
            raw = mutated_bytes(dice, json.dumps(match).encode())
        else:
            deep = "[" * dice.choice([3, 900, 100_000])
            text = json.dumps(mutated_json(dice, match)).replace(f'"{DEEP}"', deep + deep.replace("[", "]"))
            raw = text.encode(errors="surrogatepass")
        Path("mutated.txt").write_bytes(raw)
        kind, said = command(["replay", "mutated.txt", *dice.choice([[], ["--json"], ["--svg", "frames"]])])
        return kind, f"{raw[:3000]} {said[-300:]}"

    def texts(self, dice):
        """A game and a player on its board; the player is asked whether it plays there, not to play."""
        game_text = dice.choice(GAMES)
        known = self.ts.players(self.games[game_text])
        player_text = dice.choice(list(known))
        if dice.random() < 0.5:
            game_text = mutated_text(dice, game_text, fields(self.games[game_text].options))
        else:
            player_text = mutated_text(dice, player_text, fields(known[player_text]))
        try:
            game = self.games.get(game_text) or self.ts.load(game_text)
            boards = game.board()
            self.ts.player(player_text, game).check(game, boards)
        except self.ts.BadInput as error:
            return "refused" if len(
                str(error).splitlines()
            ) == 1 else "tracebacks", f"{game_text} {player_text} {error}"
        except Exception as error:
            return "tracebacks", f"{game_text} {player_text} {type(error).__name__}: {error}"
        return "answered", ""

    def arrays(self, dice):
        """A file of a strategy with something changed is gone on with and played from, or refused."""
        Path("mutated.npz").write_bytes(raw := mutated_arrays(dice, self.strategy.read_bytes()))
        player = "cfr:strategy=mutated.npz"
        words = dice.choice(
            [["cfr", "kuhn", "--iterations", "12", "--to", "mutated.npz"], ["exploitability", "kuhn", player]]
        )
        kind, said = command([*words, "--json"])
        if kind == "answered" and not math.isfinite(json.loads(said)["exploitability"]):
            kind = "wrong"
        return kind, f"{words} {raw[:3000]} {said[-300:]}"

    def nets(self, dice):
        """A net with something changed plays by finite numbers, or is refused."""
        Path("mutated.onnx").write_bytes(mutated_net(dice, self.net.read_bytes()))
        kind, said = command(["explain", "pig", "--player", "alphazero:net=mutated.onnx,simulations=4", "--json"])
        if kind == "answered" and not math.isfinite(json.loads(said)["value"]):
            kind = "wrong"
        return kind, said[-300:]

    def stores(self, dice):
        """A store with bytes or a value changed gives the true table, or is refused."""
        for rest in self.home.glob("s.db*"):
            rest.unlink()
        changed = ""
        if dice.random() < 0.5:
            self.store.write_bytes(mutated_bytes(dice, self.bytes))
        else:
            self.store.write_bytes(self.bytes)
            with contextlib.closing(sqlite3.connect(self.store, isolation_level=None)) as db:
                table = dice.choice(["runs", "batches"])
                columns = [row[1] for row in db.execute(f"pragma table_info({table})")]
                column, row = (
                    dice.choice(columns),
                    dice.choice([row[0] for row in db.execute(f"select rowid from {table}")]),
                )
                (value,) = db.execute(f"select {column} from {table} where rowid = ?", [row]).fetchone()
                raw = value if isinstance(value, bytes) else str(value).encode()
                other = mutated_bytes(dice, raw)
                new = dice.choice([other, other, other.decode(errors="replace"), None, -1, 2**40, ""])
                changed = f"{table}.{column} of row {row}: {new!r:.100}"
                with contextlib.suppress(sqlite3.IntegrityError):
                    db.execute(f"update {table} set {column} = ? where rowid = ?", [new, row])
        found = self.arena()
        if found == self.true:
            return "answered", ""
        kind, said = found if isinstance(found, tuple) else ("wrong", str(found))
        return kind, f"{changed} {said[-300:]}"


def whole(path):
    """Whether a file is not half of one."""
    if path.is_file() and path.suffix in (".json", ".svg") and path.name != "mutated.txt":
        text = path.read_text("utf-8", "replace")
        return text.endswith("</svg>") if path.suffix == ".svg" else bool(json.loads(text))
    return True


def attack(pipe, seed, kind, first, count):
    """Run the cases of a kind from `first` on, and tell each before and after."""
    with tempfile.TemporaryDirectory() as home:
        attacker = Attacker(seed, home)
        pipe.send("ready")
        for number in range(first, count):
            pipe.send(attacker.case(kind, number))
        os.chdir("/")


# ---------------------------------------------------------------- the watch


def watched(seed, kind, count):
    """The verdict of every case of a kind; a child that dies or hangs is replaced."""
    number, context = 0, multiprocessing.get_context("spawn")
    while number < count:
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=attack, args=(theirs, seed, kind, number, count), daemon=True)
        child.start()
        theirs.close()
        limit = 600.0  # until everything is compiled
        while number < count:
            if not ours.poll(limit):
                yield number, "hangs", ""
                child.kill()
            else:
                try:
                    found = ours.recv()
                except EOFError:
                    child.join()
                    yield number, "signals", f"exit code {child.exitcode}"
                else:
                    limit = HANG
                    if found == "ready":
                        continue
                    yield number, *found
                    number += 1
                    continue
            number += 1
            break
        child.join()


def processes(seed, kind, count):
    """The verdicts of commands in processes of their own, where asked interrupted at a random moment."""
    for number in range(count):
        dice = random.Random(f"{seed} {kind} {number}")
        words = dice.choice(COMMANDS) if kind == "interrupts" else mutated_command(dice)
        with tempfile.TemporaryDirectory() as home:
            running = subprocess.Popen(
                [sys.executable, "-m", "turnsmith", *(word.encode(errors="surrogateescape") for word in words)],
                cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
            )  # fmt: skip
            if kind == "interrupts":
                time.sleep(dice.uniform(0.1, 2.0))  # before that, it is Python that starts, not turnsmith
                running.send_signal(signal.SIGINT)
            try:
                said = running.communicate(timeout=HANG)[1]
                left = list(Path(home).rglob("*.part"))
                found = "half-written" if left else verdict(running.returncode, said)
            except subprocess.TimeoutExpired:
                running.kill()
                found, said = "hangs", running.communicate()[1]
            yield number, found, f"{words} {said[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(SHARES))
    parser.add_argument("--seconds", type=float, default=86_400.0, help="stop after so long, and tell what was done")
    parser.add_argument("--show", type=int, default=20, help="how many failures to print")
    asked = parser.parse_args()
    shares = {asked.only: 1.0} if asked.only else SHARES
    columns = ["answered", "refused", "stopped", "tracebacks", "signals", "hangs", "wrong", "half-written"]
    print(f"{'':<12}{'cases':>8}" + "".join(f"{column:>13}" for column in columns), flush=True)
    failures, until = [], time.monotonic() + asked.seconds
    for kind, share in shares.items():
        count, found = round(asked.count * share), Counter()
        run = processes if kind in ("processes", "interrupts") else watched
        for number, result, detail in run(asked.seed, kind, count):
            if time.monotonic() > until:
                count = number
                break
            found[result] += 1
            if result not in columns[:3]:
                failures.append(f"{kind} {number}: {result}: {detail}")
        print(f"{kind:<12}{count:>8}" + "".join(f"{found[column]:>13}" for column in columns), flush=True)
    for line in failures[: asked.show]:
        print(line)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
