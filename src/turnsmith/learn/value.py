"""``turnsmith train value GAME``: a net that tells what a position is worth, for any game, learned from self-play.

Rounds of games by a search that asks the newest net, some of its moves random, and a fit of the next net to what came
of them. What a position was worth is a mixture (TD(lambda)): of what the search thought there and of what was known
later, back from the end of the game; a random move cuts the thread, for what comes after it is not the player's doing.
The first rounds are played by a search that asks the game's own estimate, or at random where a game has none.

The net sees what the mover sees (``observe``), and every search takes it: ``negamax:depth=4,value=FILE``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.common.files import refuse_unwritable, write_text, write_whole
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import Game
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult
from turnsmith.learn import fit as fitting
from turnsmith.learn.recommend import advice, compared_at_end, in_card
from turnsmith.learn.report import report, shown
from turnsmith.learn.run import Run
from turnsmith.learn.selfplay import DecisionRows, play
from turnsmith.nets.dense import Layers, Net, fresh, layers_of, module_of, read_net, sizes_of
from turnsmith.play.batch import boards_of
from turnsmith.play.observe import Observer, observer, remembered
from turnsmith.play.player import CompiledPlayer, player, players
from turnsmith.search.value import MOST_HIDDEN, Valued

TESTED = 10
"""One start in so many is never trained on."""
STARTS = 10_000_000
"""Starts of a round are counted from its number times this."""
FIRST_NOISE, MOST_NOISE = 0.1, 0.3
"""The chance of a random move before anything is known of a game's length, and at most."""
LEAST_ROUNDS, PLAYING = 4, 0.6
"""Rounds that the minutes are to be enough for; and the share of a round for games, the rest being for the fit."""
PROVING = 0.08
"""The share of the minutes that games at the end, with and without the value, may take besides."""
TIMED = 8
"""Steps of a fit that are timed, where it must not take too long."""
FREE = ("rounds", "minutes", "proof", "compare")
"""Settings that may change when a training goes on."""
PROOF, PROOF_OPENING = 1_000_000, 4
"""Seeds from here on are for judging what was learned; and random moves at the start of such games, where neither
chance nor different boards make them differ."""


@dataclass(frozen=True)
class ValueTrainingSettings:
    """How a value is learned."""

    minutes: float = setting(10.0, 0.01, 10_000.0)
    """How long to learn. A round takes a quarter of it at most, so slow games are fewer a round; games at the end take
    up to a third of it besides."""
    rounds: int = setting(0, 0, 10_000)
    """How often to play and fit; 0: as often as the minutes allow. The same rounds and seed make the same net."""
    games: int = setting(2048, 256, 1_000_000)
    """Games a round, rounded up to a multiple of 256."""
    search: str = setting("")
    """Who plays, such as negamax:depth=2; by default the first of negamax, expectimax and maxn that plays the game."""
    teacher: str = setting("")
    """Who plays the first rounds, such as negamax:depth=4; by default, where the game has an estimate of its own, the
    search two decisions deeper than without it, else random."""
    lessons: int = setting(4, 1, 1000)
    """Rounds that the teacher plays; a random one plays just the first."""
    whims: float = setting(3.0, 0.0, 1000.0)
    """Random moves a game, on average, and no more than three in ten moves."""
    trace: float = setting(0.8, 0.0, 1.0)
    """Lambda: how much of what a position is worth is what came after it, the rest being what the search thought."""
    remembered: int = setting(6, 1, 1000)
    """Rounds whose games are learned from."""
    hidden: str = setting("128,32")
    """Sizes of the hidden layers, with commas."""
    epochs: int = setting(1, 1, 1000)
    """How often a round's fit sees every remembered position."""
    rate: float = setting(0.002, 1e-7, 1.0)
    """Learning rate of Adam in the first round, falling to nothing within each, and from round to round as
    1 / sqrt(1 + round / 4): what is learned late must not be unlearned."""
    batch: int = setting(512, 1, 1_000_000)
    """Positions a step of Adam."""
    proof: int = setting(400, 0, 1_000_000)
    """New games at the end of the search with the value against the same search without."""
    compare: int = setting(200, 0, 1_000_000)
    """New games, after that, of the best search with the value against the best player without it, in the same CPU
    time; 0: none, and then nothing is recommended."""
    seed: int = setting(0, 0, 2**31 - 1)
    """The same seed learns the same."""
    to: str = setting("")
    """Also write the newest net here, ending in .onnx."""

    def __post_init__(self) -> None:
        refuse_settings(self.hidden, self.to)


KINDS = {
    "negamax": ("depth=2,table=10", "depth=4,table=12"),
    "expectimax": ("depth=1,table=10", "depth=2,table=10"),
    "maxn": ("depth=1", "depth=2"),
    "mcts": ("simulations=20", "simulations=20"),
}
"""Searches, the first that plays a game being its own: what it does with a value, and as a teacher."""


def kinds_for(game: Game) -> dict[str, tuple[str, str]]:
    """The searches that ask values there: a game may have players of its own by their names."""
    known = players(game)
    return {name: how for name, how in KINDS.items() if issubclass(known[name], Valued)}


def searching(game: Game, boards: Array, text: str, value: Path) -> CompiledPlayer:
    """The search that plays by a value."""
    kinds = [text] if text else [f"{name}:{deep}" for name, (deep, _) in kinds_for(game).items()]
    return first_fit(game, boards, [f"{kind}{',' if ':' in kind else ':'}value={value}" for kind in kinds])


def teaching(game: Game, boards: Array, text: str) -> CompiledPlayer:
    """Who plays before there is a value."""
    kinds = [f"{name}:{deep}" for name, (_, deep) in kinds_for(game).items()] if game.evaluates else ["random"]
    return first_fit(game, boards, [text] if text else kinds)


def refuse_search(game: Game, boards: Array, text: str) -> None:
    """Refuse a search that could not play by a value, before anything is done for it."""
    if text:
        chosen = first_fit(game, boards, [text])
        if not isinstance(chosen, Valued):
            raise BadInput(f"{chosen!r} asks no value; choose negamax, expectimax, maxn or mcts, such as maxn:depth=1")


def first_fit(game: Game, boards: Array, texts: list[str]) -> CompiledPlayer:
    """The first of these players that plays the game; the last is refused with its reason."""
    given = [player(text, game) for text in texts]
    chosen = next((candidate for candidate in given if candidate.refuses(game, boards[0]) is None), given[-1])
    chosen.check(game, boards)
    if not isinstance(chosen, CompiledPlayer):
        raise BadInput(f"{chosen!r} is not compiled, so it cannot play many games at once; choose another")
    return chosen


def targets(rows: DecisionRows, low: float, high: float, trace: float, opposed: bool) -> Array:
    """float32[rows, outputs]: the share of the range of returns to be expected: the mover's, or all from it on."""
    final, thought = (rows.returns - low) / (high - low), np.clip((rows.thought - low) / (high - low), 0.0, 1.0)
    worth = np.zeros_like(final)
    compiled(trace_back)(rows.game, rows.mover, thought, rows.random, final, trace, opposed, worth)
    turned = _turned(worth, rows.mover)
    return (turned[:, :1] if opposed else turned).astype(np.float32)


def traced(played: Any, low: float, high: float, trace: float, opposed: bool) -> Array:
    """The same of games without random moves (``gathering.Played``), whose returns are one row a game."""
    nothing = np.zeros(len(played.game), np.bool_)
    final = (played.returns[played.game] - low) / (high - low)
    thought, worth = np.clip((played.thought - low) / (high - low), 0.0, 1.0), np.zeros_like(final)
    compiled(trace_back)(played.game, played.mover, thought, nothing, final, trace, opposed, worth)
    turned = _turned(worth, played.mover)
    return (turned[:, :1] if opposed else turned).astype(np.float32)


def trace_back(games: Array, mover: Array, thought: Array, random: Array, final: Array, trace: float, opposed: bool,
               worth: Array) -> None:  # fmt: skip
    """worth[row, seat], from the last row of every game back to its first; shares of 0..1. Where nothing was thought
    (nan), only what came later counts."""
    seats = final.shape[1]
    for row in range(games.shape[0] - 1, -1, -1):
        last = row + 1 == games.shape[0] or games[row + 1] != games[row]
        keep = 1.0 if np.isnan(thought[row]) else 0.0 if random[row] else trace
        for seat in range(seats):
            later = final[row, seat] if last else worth[row + 1, seat]
            here = later
            if keep < 1.0 and seat == mover[row]:
                here = thought[row]
            elif keep < 1.0 and opposed:
                here = 1.0 - thought[row]
            worth[row, seat] = keep * later + (1.0 - keep) * here


def _turned(numbers: Array, mover: Array) -> Array:
    """One number a seat, the mover's first."""
    seats = numbers.shape[1]
    return np.take_along_axis(numbers, (mover[:, None] + np.arange(seats)) % seats, 1)


# ---------------------------------------------------------------- fitting


@dataclass(frozen=True)
class ValueRows:
    """Positions to learn from."""

    inputs: Array
    """float32[rows, inputs]"""
    target: Array
    """float32[rows, outputs]"""
    final: Array
    """float32[rows, outputs]: what came of it"""
    start: Array
    """int64[rows]"""
    clean: Array
    """bool[rows]: whether no move at random came after: only then the end tells how good a guess was"""
    quarter: Array
    """int8[rows]: the quarter of its game a row is from, 0 to 3"""
    length: Array
    """int32[rows]: the decisions of its game"""

    def columns(self) -> dict[str, Array]:
        """As they are kept: inputs in half the bytes, which are 0 and 1 in most games."""
        return vars(self) | {"inputs": self.inputs.astype(np.float16)}

    def of(self, chosen: Array) -> ValueRows:
        return ValueRows(*(column[chosen] for column in vars(self).values()))


def sample_of(rows: DecisionRows, board: Any, trace: float, opposed: bool, first: int) -> ValueRows:
    """What is learned from the rows of a round, whose starts are counted from `first`."""
    low, high = float(board.low), float(board.high)
    final = _turned((rows.returns - low) / (high - low), rows.mover)
    final = (final[:, :1] if opposed else final).astype(np.float32)
    upset = np.zeros(int(rows.game.max()) + 1, np.int64)  # the last row of a game with a random move, and one
    np.maximum.at(upset, rows.game, np.where(rows.random, np.arange(len(rows.game)) + 1, 0))
    at, lengths = np.arange(len(rows.game)), np.bincount(rows.game)
    begun = np.cumsum(lengths) - lengths
    quarter = (4 * (at - begun[rows.game]) // lengths[rows.game]).astype(np.int8)
    target = targets(rows, low, high, trace, opposed)
    length = lengths[rows.game].astype(np.int32)
    return ValueRows(rows.inputs, target, final, first + rows.start, at >= upset[rows.game], quarter, length)


def joined(parts: list[dict[str, Array]]) -> ValueRows:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return ValueRows(**columns | {"inputs": columns["inputs"].astype(np.float32)})


def fitted(
    layers: Layers, sample: ValueRows, settings: ValueTrainingSettings, rate: float, seed: int,
    seconds: float = math.inf,
) -> Layers:  # fmt: skip
    """The next net, from as many of the rows as there are seconds for."""
    torch = extra("torch")
    inputs, target = torch.from_numpy(sample.inputs), torch.from_numpy(sample.target)

    def fit_to(rows: Array, how: fitting.FittingSettings) -> Any:
        module = module_of(layers)

        def loss(chosen: Any) -> Any:
            return torch.nn.functional.binary_cross_entropy_with_logits(module(inputs[chosen]), target[chosen])

        fitting.fit(module, loss, rows, how)
        return module

    how = fitting.FittingSettings(
        epochs=settings.epochs, batch=settings.batch, rate=rate, schedule="falling", seed=seed
    )
    rows = np.arange(len(sample.start))
    if seconds < math.inf:
        few, took = rows[: TIMED * settings.batch], 0.0
        for _ in range(2):  # what torch does but once is not counted
            begun = time.monotonic()
            fit_to(few, replace(how, epochs=1))
            took = time.monotonic() - begun
        most = int(len(few) * seconds / (took * settings.epochs))
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[: max(most, len(few))])
    module = fit_to(rows, how)
    return layers_of([part.detach().numpy() for part in module.parameters()])


def chances(net: Net, inputs: Array) -> Array:
    """float32[rows, outputs]: the shares of the range of returns that a net expects."""
    return np.asarray(1.0 / (1.0 + np.exp(-net(inputs))))


def log_loss(said: Array, final: Array) -> float:
    """The mean log-loss of shares foreseen, in nats; nan of no rows."""
    if not len(final):
        return math.nan
    safe = np.clip(said, 1e-6, 1 - 1e-6)
    return float(-(final * np.log(safe) + (1 - final) * np.log(1 - safe)).mean())


# ---------------------------------------------------------------- the run


@dataclass(frozen=True)
class ValueLearner:
    """A training on one game: what it is played on, what the net sees, and where steps are kept.

    Steps of round n: rows-n.npz, what its games taught, and value-n.onnx, the net after it.
    """

    game: Game
    boards: Array
    settings: ValueTrainingSettings
    run: Run
    sees: Observer
    work: TrainingContext

    def net_file(self, number: int) -> Path:
        return self.run.path(f"value-{number}.onnx")

    def rows(self, number: int) -> dict[str, Array]:
        """What the games of a round teach; the first is played at random, and only its results count."""
        return self.run.arrays(f"rows-{number}.npz", lambda: self._play(number).columns())

    def _play(self, number: int) -> ValueRows:
        settings, before = self.settings, self.net_file(number - 1)
        who = teaching(self.game, self.boards, settings.teacher)
        taught = number < (settings.lessons if who.name != "random" else 1)
        if not taught:
            who = searching(self.game, self.boards, settings.search, before)
        rows = play(
            self.game, self.boards, self.sees, who, settings.games, self._noise(number), self._seed(number),
            self.work.workers, self.work.progress, PLAYING * self.seconds_a_round(),
        )  # fmt: skip
        opposed = is_opposed(rows, self.boards[0]) if number == 0 else sizes_of(read_net(before).layers)[-1] == 1
        return sample_of(rows, self.boards[0], 1.0 if taught else settings.trace, opposed, number * STARTS)

    def seconds_a_round(self) -> float:
        """What a round may take: no end where rounds are counted."""
        left = self.run.seconds_left
        return left if left == math.inf else min(left, 60.0 * self.settings.minutes / LEAST_ROUNDS)

    def affordable_games(self, games: int, play: Callable[[int], Any]) -> int:
        """So many games or, where minutes are counted, as many as end in a share of them."""
        if self.settings.rounds:
            return games
        few, took = min(games, 2 * int(self.boards[0]["seats"])), 0.0
        for _ in range(2):  # the first may compile
            begun = time.monotonic()
            play(few)
            took = time.monotonic() - begun
        return min(games, max(few, int(few * PROVING * 60.0 * self.settings.minutes / took)))

    def round(self, number: int) -> None:
        """Play and fit, unless that is done."""
        if self.net_file(number).exists():
            return
        self.rows(number)
        first = max(0, number - self.settings.remembered + 1)
        sample = joined([self.rows(old) for old in range(first, number + 1)])
        sizes = (*self.sees.shape, *sizes_in(self.settings.hidden), sample.target.shape[1])
        before = self.net_file(number - 1)
        layers = read_net(before).layers if number else fresh_for(sample.inputs, sizes, self.settings.seed)
        rate, trained = self.settings.rate / math.sqrt(1.0 + number / 4.0), sample.of(sample.start % TESTED > 0)
        seconds = (1.0 - PLAYING) * self.seconds_a_round()
        layers = fitted(layers, trained, self.settings, rate, self._seed(number), seconds)
        about = {"kind": "value", "game": self.game.text_name, "sees": self.sees.described()}
        net = Net(layers, "Sigmoid", {**about, "settings": self.run.settings})
        new = self._tested(sample, number)
        guesses, mean = chances(net, new.inputs), np.broadcast_to(sample.final.mean(axis=0), new.final.shape)
        loss, baseline = log_loss(guesses, new.final), log_loss(mean, new.final)
        self.run.note(number, loss=loss, baseline=baseline, positions=len(sample.start))
        net.write(self.net_file(number), f"the value of positions of {self.game.text_name}")
        losses = f"log-loss {loss:.4f} on starts never trained on, {baseline:.4f} knowing nothing"
        self.work.tell(f"round {number}: {losses}")

    def _tested(self, sample: ValueRows, number: int) -> ValueRows:
        """The rows of a round by which nets are judged."""
        return sample.of((sample.start % TESTED == 0) & sample.clean & (sample.start >= number * STARTS))

    def report(self, number: int) -> dict[str, Any]:
        """How well the last net, and the mean, foretold the ends of games that it was not trained on."""
        sample = joined([self.rows(number)])
        new, net = self._tested(sample, number), read_net(self.net_file(number))
        guess, final = chances(net, new.inputs)[:, 0].astype(np.float64), new.final[:, 0]
        guesses = {"net": guess, "mean": np.full(len(final), sample.final[:, 0].mean(), np.float64)}
        sections = {"return of the mover": report(guesses, final, new.start, new.quarter)}
        decided = np.isin(final, (0.0, 1.0))
        if decided.any():
            sure = {name: np.stack([1.0 - g, g], axis=1)[decided] for name, g in guesses.items()}
            rest = (final[decided].astype(np.int64), new.start[decided], new.quarter[decided])
            sections["mover wins or loses all"] = report(sure, *rest)
        return sections

    def _noise(self, number: int) -> float:
        """The chance of a random move, by how long the games of the round before were."""
        if number == 0:
            return FIRST_NOISE
        length = self.rows(number - 1)["length"]
        games = float((1.0 / length).sum())
        return min(MOST_NOISE, self.settings.whims * games / len(length))

    def _seed(self, number: int) -> int:
        return self.settings.seed * 10_000 + number

    def proof(self, net: Path) -> dict[str, Any]:
        """New games of the search with the value in one seat, and without it in all others; alone, each by itself."""
        from turnsmith.arena.tournament import arena

        ours = searching(self.game, self.boards, self.settings.search, net)
        plain, seats = replace(ours, value=""), int(self.boards[0]["seats"])  # type: ignore[call-arg]
        opening = 0 if self.boards[0]["outcomes"] or len(self.boards) > 1 else PROOF_OPENING
        how = {"seed": PROOF + self.settings.seed, "workers": self.work.workers, "opening": opening}
        tables = [[ours], [plain]] if seats == 1 else [[ours, *[plain] * (seats - 1)]]
        games = self.affordable_games(
            self.settings.proof,
            lambda few: [arena(self.game, table, few, **how) for table in tables],  # type: ignore[arg-type]
        )
        rows = [
            row for table in tables
            for row in arena(self.game, table, games, **how).to_dict()["players"]  # type: ignore[arg-type]
        ]  # fmt: skip
        mine = next(row for row in rows if row["name"] == repr(ours))
        other = next(row for row in rows if row["name"] == repr(plain))
        wanted = ("name", "games", "rate", "low", "high", "mean_return")
        return {key: mine[key] for key in wanted} | {"seats": seats, "others_mean_return": other["mean_return"]}

    def searches_with(self, net: Path) -> list[str]:
        """All who could be the best with a value: the search it learned with, and the usual ones."""
        kinds = [self.settings.search, *kinds_for(self.game)]
        return [f"{kind}{',' if ':' in kind else ':'}value={net}" for kind in kinds if kind]


def learn(game: Game, settings: ValueTrainingSettings, work: TrainingContext) -> tuple[Path, dict[str, Any]]:
    """Play and fit, or go on with it; returns the file of the newest net, and how it did in new games."""
    boards = boards_of(game, settings.seed)
    teaching(game, boards, settings.teacher)
    refuse_search(game, boards, settings.search)
    run, sees = begun(game, boards, settings, work)
    learner = ValueLearner(game, boards, settings, run, sees, work)
    rounds = run.rounds(learner.round, settings.rounds, settings.minutes)
    newest = learner.net_file(rounds - 1)
    proof = run.json(f"proof-{rounds}.json", lambda: learner.proof(newest)) if settings.proof else {}
    compared = compared_at_end(game, learner.searches_with(newest), settings, run, rounds, work)
    judged = run.json(f"report-{rounds}.json", lambda: learner.report(rounds - 1))
    write_text(run.path("report.md"), "\n\n".join(shown(part, f"{name}: ") for name, part in judged.items()) + "\n")
    run.finish(f"The value of positions of {game.text_name}", work.command, proof | in_card(compared))
    return newest, proof | ({"compared": compared} if compared else {})


def train(settings: ValueTrainingSettings, work: TrainingContext) -> TrainingResult:
    if settings.to:
        refuse_unwritable(Path(settings.to), "--to")
    newest, proof = learn(work.game, settings, work)
    if settings.to:
        write_whole(Path(settings.to), lambda target: target.write(newest.read_bytes()))
    file = settings.to or str(newest)
    usual = repr(searching(work.game, boards_of(work.game, settings.seed), settings.search, Path(file)))
    text = advice(proof.get("compared"), work.game, file, usual)
    if "games" in proof:
        text = f"{in_words(proof)}\n{text}"
    return TrainingResult({"net": file, "curve": str(work.folder / "curve.jsonl"), "proof": proof}, text)


def in_words(found: dict[str, Any]) -> str:
    """What the new games showed."""
    games = f"{found['games']} new games"
    if found["seats"] == 1 or found["rate"] is None:  # alone, or nobody wins: scores are compared
        without = found["others_mean_return"]
        return f"with the value the mean return of {games} is {found['mean_return']:.4g}, without it {without:.4g}"
    won = f"{found['rate']:.1%} ({found['low']:.1%} to {found['high']:.1%}) of {games}"
    return f"the value wins {won} against the same search without it, where {1 / found['seats']:.0%} would be even"


def fresh_for(inputs: Array, sizes: tuple[int, ...], seed: int) -> Layers:
    """The net to begin with; inputs that a game left large count less at first."""
    (weights, biases), *rest = fresh(sizes, seed)
    scale = 1.0 / np.maximum(1.0, np.abs(inputs).max(axis=0))
    return [((weights * scale[:, None]).astype(np.float32), biases), *rest]


def refuse_settings(hidden: str, to: str) -> None:
    """Refuse layers that are none, and a file for a net that would not look like one."""
    sizes_in(hidden)
    if to and not to.endswith(".onnx"):
        raise BadInput(f"--to {to} must end in .onnx")


def begun(game: Game, boards: Array, settings: Any, work: TrainingContext) -> tuple[Run, Observer]:
    """The run of a training on a game, or the one to go on with, and what its nets see."""
    kept = {"game": game.text_name} | {name: value for name, value in vars(settings).items() if name != "to"}
    run = Run(work.folder, kept, free=FREE, code=game.digest)
    return run, remembered(game, boards, run.json("sees.json", observer(game, boards).described))


def is_opposed(rows: DecisionRows, board: Any) -> bool:
    """Whether there are two seats, and what one gains the other loses."""
    total = rows.returns.sum(axis=1)
    return rows.returns.shape[1] == 2 and bool(np.abs(total - (board.low + board.high)).max() < 1e-9)


def sizes_in(text: str) -> tuple[int, ...]:
    """The sizes of hidden layers in a text like 64,32."""
    try:
        sizes = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        sizes = (0,)
    if not all(1 <= size <= MOST_HIDDEN for size in sizes):
        raise BadInput(f"hidden={text} must be whole numbers from 1 to {MOST_HIDDEN} with commas, such as 64,32")
    return sizes


TRAINING = Training(
    "Learn the value of positions of any game by self-play.", ValueTrainingSettings, train, folder="{game}-value"
)
