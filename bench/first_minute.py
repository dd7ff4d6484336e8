"""What a newcomer waits for on a fresh machine, in a real browser: ``python bench/first_minute.py``.

For each game, and for a file of one's own (`own`, a copy of ``examples/nim.py``), the compile cache is empty. A server
starts as ``make demo`` starts it. A browser opens the page of the game and presses *Start*: the usual opponent, the
usual seat. It makes the first legal move, and the last one while it is still to move. Nobody hesitates. Seconds:

* server: from its start until it says its address;
* page: from the start of the server, or from opening a later game of it, until *Start* can be pressed;
* board: from *Start* until the board can be clicked, with what an opponent who begins takes;
* reply: from the first move until an opponent's move is in the log. Who plays alone asks for a *Hint* instead;
* turn: from the first move until it is the person's turn again, or the game is over;
* CPU: of the server and the processes it starts, until the reply; and of that, from the first move.

``--prepare "turnsmith warm"`` runs a command first, beside ``./my_nim.py``, the file of one's own; then every server
has a copy of the cache that it leaves. ``--second`` opens all games one after another on one server. ``--busy`` keeps
two cores busy meanwhile. ``--tree`` and ``--python`` measure another checkout. The browser knows how the games are
played: no lesson opens by itself. Needs chromium-driver.

The exit code is 1 if a row has a problem, such as a browser that died. To wait longer than `--patience` is none.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "web"))

from browsing import call, chromium  # noqa: E402
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException  # noqa: E402

OWN, OWN_FILE = "own", "my_nim.py"
NAME = "Newcomer"
"""What the person is called, so that the log tells their moves from those of others."""
MOST_MOVES = 40
"""Own moves after which nobody else is expected to move."""
STEP = 0.05
"""Seconds between two looks at the page."""
PIECE_SECONDS = 15.0
"""How long a piece of a move may take to become clickable; then the move is made by the JSON API."""
STAGES = ("page", "board", "reply", "turn")
COLUMNS = {"game": "game", "server": "server s", "page": "page s", "board": "board s", "reply": "reply s"}
COLUMNS |= {"turn": "turn s", "cpu": "CPU s", "cpu_reply": "of that, reply", "load": "load before", "notes": "notes"}

BUTTON = """
const button = [...document.querySelectorAll("button")].find((each) => each.innerText.includes(arguments[0]));
"""
CAN_PRESS = BUTTON + "return !!button && !button.disabled && !button.querySelector('.q-spinner');"
PRESS = BUTTON + "button.click();"
LOOK = """
const lines = [...document.querySelectorAll(".log .log-line")];
const moves = lines.filter((line) => !line.querySelector(".seat-mark.none"));
const mine = moves.filter((line) => line.querySelector(".log-who").textContent === arguments[0]).length;
const live = !!document.querySelector(".board.live .board-picture > *");
return { live, mine, others: moves.length - mine, lines: lines.length };
"""
CLICK = """
const part = document.querySelector(`.board.live [data-word="${CSS.escape(arguments[0])}"].open`);
if (part) part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
return !!part;
"""
ADVISED = "return document.querySelector('.board-marks').childElementCount > 0;"
STATUS = "return [...document.querySelectorAll('[role=status]')].map((each) => each.innerText).join(' ').trim();"


class Refused(Exception):
    """What was asked for cannot be measured: cause and cure in one line."""


class Late(Exception):
    """Something took longer than anybody waits."""


# ---------------------------------------------------------------- what is measured


@dataclass(frozen=True)
class Checkout:
    """The turnsmith that is measured: its Python and its folder."""

    python: str
    tree: Path

    def environment(self, cache):
        """As people have it, with a cache of its own."""
        known = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        return known | {"PYTHONPATH": str(self.tree / "src"), "TURNSMITH_CACHE": str(cache)}

    def words(self, words):
        """A command; `turnsmith` is the one that is measured."""
        return [self.python, "-m", "turnsmith", *words[1:]] if words[0] == "turnsmith" else list(words)

    def run(self, words, cache, folder):
        """What a command prints; refused where it fails."""
        try:
            environment = self.environment(cache)
            ended = subprocess.run(
                self.words(words), cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
            )
        except OSError as error:
            raise Refused(f"{words[0]} cannot be run ({error.strerror}); name a program that is there") from None
        if ended.returncode:
            last = (ended.stderr.strip() or ended.stdout.strip() or "without a word").splitlines()[-1]
            raise Refused(f"'{shlex.join(words)}' ended with {ended.returncode}: {last}")
        return ended.stdout

    def versions(self, folder):
        """Of Python and numba; refused where another turnsmith than that of the tree would be measured."""
        asked = "import json, platform, numba, turnsmith as t; "
        asked += "print(json.dumps([platform.python_version(), numba.__version__, t.__file__]))"
        python, numba, file = json.loads(self.run([self.python, "-c", asked], folder, folder))
        if self.tree.resolve() not in Path(file).resolve().parents:
            raise Refused(f"--python imports turnsmith from {file}, not from --tree; install no other before it")
        return {"python": python, "numba": numba}

    def games(self, folder):
        return [row["name"] for row in json.loads(self.run(["turnsmith", "games", "--json"], folder, folder))]


@dataclass
class Server:
    """A running server: its process, its address and when it was started."""

    process: subprocess.Popen
    begun: float
    address: str = ""
    seconds: float = 0.0

    @property
    def cpu(self):
        return cpu_seconds(self.process.pid)


def cpu_seconds(process):
    """What a process and all below it have used of the processor, those that have ended too."""
    spent, below = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = file.read_text("utf-8").rpartition(")")[2].split()
            number = int(file.parent.name)
            spent[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            below.setdefault(int(fields[1]), []).append(number)
    family, total = [process], 0.0
    while family:
        member = family.pop()
        total += spent.get(member, 0.0)
        family += below.get(member, [])
    return total


@contextlib.contextmanager
def serving(checkout, cache, folder, files, patience):
    """A server as ``make demo`` starts it, on a free port."""
    command = checkout.words(["turnsmith", "serve", "--port", "0", "--no-open", *files])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "encoding": "utf-8"}
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=checkout.environment(cache), **pipes)
    bound = threading.Timer(patience, process.kill)  # a server that says nothing
    bound.start()
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        bound.cancel()
        if not found:
            raise RuntimeError("the server did not say its address")
        yield Server(process, begun, found[0], time.monotonic() - begun)
    finally:
        bound.cancel()
        end(process)


def end(process):
    """Stop a process as a person would, and if that does not help, at once."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


@contextlib.contextmanager
def busy_cores(count):
    """So many endless loops, which end with this program."""
    loop = f"import os\nwhile os.getppid() == {os.getpid()}:\n    for _ in range(10**6): pass"
    loops = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(count)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


# ---------------------------------------------------------------- a visit


class Visit:
    """One person at one game; `row` is what they waited for so far."""

    def __init__(self, server, driver, game, patience, row):
        self.server, self.driver, self.game, self.patience, self.row = server, driver, game, patience, row
        self.cpu, self.cpu_moved = server.cpu if row.get("server") is None else 0.0, None
        self.looked, self.ended = None, False

    def play(self, begun):
        """Open the game, start it, move, and wait for the reply."""
        self.driver.get(f"{self.server.address}/new/{self.game}?seed=1")
        self.until("page", begun, lambda: self.ask(CAN_PRESS, "Start"))
        begun = time.monotonic()
        self.ask(PRESS, "Start")
        self.until("board", begun, lambda: self.look()["live"])
        _empty, _match, name, keys = self.driver.current_url.removeprefix(self.server.address).split("?")[0].split("/")
        self.place, self.key = f"/api/matches/{name}", keys
        seats = self.api(f"?key={keys}")["seats"]
        others = [seat["who"] for seat in seats if seat["who"] != "person"]
        self.row["opponents"] = others
        if others:
            self.move_and_wait()
        else:
            self.ask_for_a_hint()

    def ask(self, script, *given):
        """What a script finds on the page; None while the page is being replaced."""
        with contextlib.suppress(JavascriptException, StaleElementReferenceException):
            return self.driver.execute_script(script, *given)
        return None

    def look(self):
        """Whether the person may move, and how many moves the log has: theirs, and those of others."""
        return self.ask(LOOK, NAME) or {"live": False, "mine": 0, "others": 0, "lines": 0}

    def until(self, stage, begun, is_so):
        """Wait until something is so, and note how long it took."""
        self.wait(stage, begun, is_so)
        self.row[stage] = round(time.monotonic() - begun, 2)

    def wait(self, stage, begun, is_so):
        """Wait until something is so, and give it back."""
        while not (found := is_so()):
            if time.monotonic() - begun > self.patience:
                self.row["late"], self.row["said"] = stage, self.ask(STATUS) or ""
                raise Late
            time.sleep(STEP)
        return found

    def api(self, path, body=None):
        status, found = call(self.server.address, self.place + path, body)
        if status != 200:
            raise RuntimeError(found.get("error", status))
        return found

    # ------------------------------------------------------------ moving

    def move_and_wait(self):
        """Move until somebody else is to move, and wait for them."""
        before = self.look()["others"]
        if before:
            self.note("the opponent began")
        self.cpu_moved, begun = self.server.cpu, 0.0
        for number in range(MOST_MOVES):
            mine = self.look()["mine"]
            clicked = self.move(0 if number == 0 else -1)
            begun = begun or clicked
            self.row["own_moves"] = number + 1
            self.wait("reply", begun, lambda mine=mine: self.is_made(mine, before))
            came = self.wait("reply", begun, lambda: self.has_turned(before))
            if came != "still":
                break
        if came == "replied":
            self.row["reply"] = round(time.monotonic() - begun, 2)
        else:
            self.note("nobody replied")
        self.note_cpu()
        if number:
            self.note(f"{number + 1} own moves")
        self.until("turn", begun, lambda: self.look()["live"] or self.is_over())

    def is_made(self, mine, others):
        """Whether the page shows the move."""
        look = self.look()
        return look["mine"] > mine or look["others"] > others

    def has_turned(self, before):
        """What has come of it: a reply, the end, or that the person is still to move; "" if nothing yet."""
        look = self.look()
        if look["others"] > before:
            return "replied"
        return "still" if look["live"] else "over" if self.is_over() else ""

    def is_over(self):
        """Whether the game is over; asked again only when the page shows something new."""
        look = self.look()
        if look != self.looked and not look["live"]:
            self.looked, self.ended = look, self.api(f"?key={self.key}")["over"]
        return self.ended

    def move(self, place):
        """Make a legal move by clicking its pieces; returns when it was whole."""
        words = self.api(f"/legal?key={self.key}")[place]["words"]
        for piece in words.split(" "):
            until = time.monotonic() + PIECE_SECONDS
            while not self.ask(CLICK, piece):
                if time.monotonic() > until:
                    return self.move_by_api(words)
                time.sleep(STEP)
        return time.monotonic()

    def move_by_api(self, words):
        self.note("moved by the JSON API")
        begun = time.monotonic()
        self.api("/moves", {"key": [self.key], "move": words})
        return begun

    def ask_for_a_hint(self):
        """What stands for a reply where nobody else plays."""
        self.note("a hint")
        self.cpu_moved, begun = self.server.cpu, time.monotonic()
        self.ask(PRESS, "Hint")
        self.until("reply", begun, lambda: self.ask(ADVISED) and self.ask(CAN_PRESS, "Hint"))

    def note_cpu(self):
        """What the processor has done until now, unless that is noted already."""
        if "cpu" not in self.row:
            spent = self.server.cpu
            self.row["cpu"] = round(spent - self.cpu, 1)
            if self.cpu_moved is not None:
                self.row["cpu_reply"] = round(spent - self.cpu_moved, 1)

    def note(self, text):
        if text not in self.row["notes"]:
            self.row["notes"].append(text)


@contextlib.contextmanager
def at_most(seconds):
    """Interrupt whatever takes longer, a browser that hangs too."""

    def interrupt(_number, _frame):
        raise TimeoutError(f"interrupted after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Window:
    """The person's browser, opened when it is first needed, and anew after it was closed."""

    def __init__(self, folder, patience):
        self.folder, self.patience, self.held = folder, patience, contextlib.ExitStack()
        self._driver = None

    @property
    def driver(self):
        if self._driver is None:
            profile = tempfile.mkdtemp(prefix="profile-", dir=self.folder)
            driver = self.held.enter_context(chromium(profile)).driver
            driver.set_page_load_timeout(self.patience)
            cookie = {"name": "nickname", "value": NAME, "domain": "127.0.0.1", "path": "/"}
            driver.execute_cdp_cmd("Network.setCookie", cookie)
            self._driver = driver
        return self._driver

    def close(self):
        self._driver = None
        with contextlib.suppress(Exception):  # it may have died
            self.held.close()


def visit(server, window, game, since, row):
    """Fill the row of one game; whatever goes wrong is in it. since: when the server was started for this game."""
    name = Path(OWN_FILE).stem if game == OWN else game
    try:
        with at_most(5 * window.patience + 60):
            person = Visit(server, window.driver, name, window.patience, row)
            try:
                person.play(since or time.monotonic())
            finally:
                person.note_cpu()
    except Late:
        row["notes"].append(f"more than {window.patience:g} s")
    except Exception as error:
        fail(row, error)
        window.close()


def fail(row, error):
    row["problem"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    row["notes"].append(row["problem"])


# ---------------------------------------------------------------- the run


class Run:
    """Everything that is measured, and where it is kept."""

    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.checkout = Checkout(given.python, given.tree)
        self.rows, self.prepared = [], None
        (folder / OWN_FILE).write_text((ROOT / "examples" / "nim.py").read_text("utf-8"), "utf-8")

    def head(self):
        """What machine it is, and what is measured on it."""
        self.header = {"cores": os.cpu_count(), "cpu": cpu_name(), **self.checkout.versions(self.folder)}
        self.header |= {"load": round(os.getloadavg()[0], 2), "busy": self.given.busy, "mode": self.mode}

    @property
    def mode(self):
        if self.given.cache:
            first = "a given cache"
        else:
            first = f"a cache after '{self.given.prepare}'" if self.given.prepare else "an empty cache"
        return f"{first}, {'one server for all games' if self.given.second else 'one server a game'}"

    def games(self):
        """The games that are asked for, or all and the file of one's own."""
        known = [*self.checkout.games(self.folder), OWN]
        wanted = self.given.games.split(",") if self.given.games else known
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise Refused(f"--games: there is no '{unknown[0][:40]}'; there are {', '.join(known)}")
        return wanted

    def prepare(self):
        """Run the command that is to be run first, and keep the cache it leaves."""
        if self.given.prepare:
            cache, begun = self.folder / "prepared", time.monotonic()
            cache.mkdir(mode=0o700)
            self.checkout.run(shlex.split(self.given.prepare), cache, self.folder)
            self.prepared = cache
            self.header["prepare_seconds"] = round(time.monotonic() - begun, 1)
            say(f"'{self.given.prepare}' took {self.header['prepare_seconds']} s")

    def cache(self, folder):
        """The cache of one server."""
        if self.given.cache:
            return self.given.cache.resolve()
        if self.prepared:
            return shutil.copytree(self.prepared, folder / "cache")
        (folder / "cache").mkdir(mode=0o700)
        return folder / "cache"

    def measure(self):
        games = self.games()
        for group in [games] if self.given.second else [[game] for game in games]:
            with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as folder:
                self.serve(group, Path(folder))

    def serve(self, games, folder):
        """One server, and the games that are opened there one after another."""
        left, window = list(games), Window(folder, self.given.patience)
        row = new_row(left[0])
        try:
            cache, files = self.cache(folder), [str(self.folder / OWN_FILE)] if OWN in games else []
            _opened = window.driver  # its start is not what is measured
            with serving(self.checkout, cache, folder, files, self.given.patience) as server:
                row["server"], since = round(server.seconds, 2), server.begun
                while left:
                    row = row or new_row(left[0])
                    visit(server, window, left.pop(0), since, row)
                    self.keep(row)
                    row = since = None
        except Exception as error:  # of the server or the browser, before there is a page
            for game in left:
                row = row or new_row(game)
                fail(row, error)
                self.keep(row)
                row = None
        finally:
            window.close()

    def keep(self, row):
        """Say how a game did, and write all rows there are."""
        self.rows.append(row)
        times = "  ".join(f"{stage} {shown(row, stage, self.given.patience)} s" for stage in STAGES)
        say("  ".join(filter(None, [f"{row['game']:<14}{times}", ", ".join(row["notes"])])))
        if self.given.json:
            whole = {"header": self.header, "patience": self.given.patience, "rows": self.rows}
            self.given.json.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
        if self.given.to:
            self.given.to.write_text(self.table(), "utf-8")

    def table(self):
        """All rows in Markdown, below a line about the machine."""
        head = self.header
        text = f"{head['cores']} cores of {head['cpu']}, Python {head['python']}, numba {head['numba']}; {head['mode']}"
        text += "; two busy loops beside it" if head["busy"] else ""
        text += f"; preparing took {head['prepare_seconds']} s" if "prepare_seconds" in head else ""
        lines = [f"{text}; load {head['load']} before.", "", f"| {' | '.join(COLUMNS.values())} |"]
        lines.append("|" + "|".join("---" if name in ("game", "notes") else "---:" for name in COLUMNS) + "|")
        for row in self.rows:
            cells = [shown(row, name, self.given.patience) for name in COLUMNS]
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"


def new_row(game):
    return {"game": game, "load": round(os.getloadavg()[0], 2), "notes": [], "problem": "", "late": ""}


def shown(row, name, patience):
    """One cell of a row."""
    if row["late"] == name:
        return f"> {patience:g}"
    value = row.get(name)
    if isinstance(value, list):
        return ", ".join(value).replace("|", "/")
    return "–" if value is None else str(value)


def cpu_name():
    with contextlib.suppress(OSError):
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8"))
        if found:
            return found[1]
    return platform.processor() or platform.machine()


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- the command


class OneLine(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message):
        raise Refused(message)


def parsed(words):
    parser = OneLine(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default="", metavar="A,B,C", help=f"only these; {OWN} is a file of one's own")
    parser.add_argument(
        "--patience", type=float, default=240.0, metavar="SECONDS", help="the most to wait for anything"
    )
    parser.add_argument("--prepare", default="", metavar="COMMAND", help='run first, e.g. "turnsmith warm"')
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="a cache to use as it is, instead of empty ones")
    parser.add_argument("--second", action="store_true", help="one server and one cache for all games")
    parser.add_argument("--busy", action="store_true", help="two busy loops beside it")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="of the server")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="FOLDER", help="the checkout that is measured")
    parser.add_argument("--json", type=Path, metavar="FILE", help="for all that was measured")
    parser.add_argument("--to", type=Path, metavar="FILE", help="for the table, in Markdown")
    return parser.parse_args(words)


def check(given):
    """Refuse what cannot be done, before anything is."""
    if not 0 < given.patience < float("inf"):
        raise Refused(f"--patience {given.patience:g} must be more than 0 seconds")
    if not (given.tree / "src" / "turnsmith").is_dir():
        raise Refused(f"--tree {given.tree} has no src/turnsmith; name a checkout")
    if given.cache and not given.cache.is_dir():
        raise Refused(f"--cache {given.cache} is no folder; name one that is there")
    if given.cache and given.prepare:
        raise Refused("--prepare fills an empty cache; leave out --cache")
    for file in filter(None, (given.json, given.to)):
        if file.is_dir() or not os.access(file.resolve().parent, os.W_OK):
            raise Refused(f"{file} cannot be written; name a file in a folder that is there")
    try:
        shlex.split(given.prepare)
    except ValueError as error:
        raise Refused(f"--prepare {given.prepare} is no command ({error})") from None
    if not shutil.which("chromedriver"):
        raise Refused("there is no chromedriver; apt-get install chromium chromium-driver")


def main(words=None):
    try:
        given = parsed(words)
        check(given)
        given.tree = given.tree.resolve()
        with tempfile.TemporaryDirectory(prefix="first-minute-", ignore_cleanup_errors=True) as folder:
            run = Run(given, Path(folder))
            run.head()
            run.prepare()
            with busy_cores(2 if given.busy else 0):
                run.measure()
    except Refused as refusal:
        say(f"first_minute: {refusal}")
        return 2
    sys.stdout.write(run.table())
    return int(any(row["problem"] for row in run.rows))


if __name__ == "__main__":
    sys.exit(main())
