"""``turnsmith train value GAME``: a net that tells what a position is worth, for any game, learned from self-play.

Rounds of games by a search that asks the newest net, some of its moves random, and a fit of the next net to what came
of them. What a position was worth is a mixture (TD(lambda)): of what the search thought there and of what was known
later, back from the end of the game; a random move cuts the thread, for what comes after it is not the player's doing.
The first round is played at random.

The net sees what the mover sees (``observe``), and every search takes it: ``negamax:depth=4,value=FILE``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.batch import boards_of
from turnsmith.game import Array, Game
from turnsmith.kernel import compiled
from turnsmith.learn import extra
from turnsmith.learn import fit as fitting
from turnsmith.learn.nets import Layers, Net, fresh, layers_of, module_of, read_net, sizes_of
from turnsmith.learn.run import Run
from turnsmith.learn.selfplay import Rows, play
from turnsmith.observe import observer, remembered
from turnsmith.player import CompiledPlayer, player
from turnsmith.search.value import MOST_HIDDEN
from turnsmith.texts import BadInput, setting

TESTED = 10
"""One start in so many is never trained on."""


@dataclass(frozen=True)
class Settings:
    """How a value is learned."""

    minutes: float = setting(10.0, 0.01, 10_000.0)
    """How long to learn; the round that is being played then is the last."""
    rounds: int = setting(0, 0, 10_000)
    """How often to play and fit; 0: as often as the minutes allow. The same rounds and seed make the same net."""
    games: int = setting(2048, 256, 1_000_000)
    """Games a round, rounded up to a multiple of 256."""
    search: str = setting("")
    """Who plays, such as negamax:depth=2; by default the first of negamax, expectimax and maxn that plays the game."""
    noise: float = setting(0.15, 0.0, 1.0)
    """The chance of a random move."""
    trace: float = setting(0.7, 0.0, 1.0)
    """Lambda: how much of what a position is worth is what came after it, the rest being what the search thought."""
    remembered: int = setting(6, 1, 1000)
    """Rounds whose games are learned from."""
    hidden: str = setting("64,32")
    """Sizes of the hidden layers, with commas."""
    epochs: int = setting(2, 1, 1000)
    """How often a round's fit sees every remembered position."""
    rate: float = setting(0.002, 1e-7, 1.0)
    """Learning rate of Adam, falling to nothing within a round."""
    batch: int = setting(512, 1, 1_000_000)
    """Positions a step of Adam."""
    seed: int = setting(0, 0, 2**31 - 1)
    """The same seed learns the same."""


def searching(game: Game, boards: Array, text: str, value: Path | None) -> CompiledPlayer:
    """The player of the self-play; without a value, anybody."""
    if value is None:
        chosen = player("random", game)
    else:
        kinds = [text] if text else ["negamax:depth=2,table=10", "expectimax:depth=1,table=10", "maxn:depth=1"]
        given = [player(f"{kind}{',' if ':' in kind else ':'}value={value}", game) for kind in kinds]
        chosen = next((each for each in given if each.refuses(game, boards[0]) is None), given[-1])
    chosen.check(game, boards)
    assert isinstance(chosen, CompiledPlayer)
    return chosen


def targets(rows: Rows, low: float, high: float, trace: float, opposed: bool) -> Array:
    """float32[rows, outputs]: the share of the range of returns to be expected: the mover's, or all from it on."""
    final, thought = (rows.returns - low) / (high - low), np.clip((rows.thought - low) / (high - low), 0.0, 1.0)
    worth = np.zeros_like(final)
    compiled(trace_back)(rows.game, rows.mover, thought, rows.random, final, trace, opposed, worth)
    turned = _turned(worth, rows.mover)
    return (turned[:, :1] if opposed else turned).astype(np.float32)


def trace_back(games: Array, mover: Array, thought: Array, random: Array, final: Array, trace: float, opposed: bool,
               worth: Array) -> None:  # fmt: skip
    """worth[row, seat], from the last row of every game back to its first; shares of 0..1."""
    seats = final.shape[1]
    for row in range(games.shape[0] - 1, -1, -1):
        last = row + 1 == games.shape[0] or games[row + 1] != games[row]
        keep = 0.0 if random[row] else trace
        for seat in range(seats):
            later = final[row, seat] if last else worth[row + 1, seat]
            here = later
            if seat == mover[row]:
                here = thought[row]
            elif opposed:
                here = 1.0 - thought[row]
            worth[row, seat] = keep * later + (1.0 - keep) * here


def _turned(numbers: Array, mover: Array) -> Array:
    """One number a seat, the mover's first."""
    seats = numbers.shape[1]
    return np.take_along_axis(numbers, (mover[:, None] + np.arange(seats)) % seats, 1)


# ---------------------------------------------------------------- fitting


@dataclass(frozen=True)
class Sample:
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

    def columns(self) -> dict[str, Array]:
        """As they are kept: inputs in half the bytes, which are 0 and 1 in most games."""
        return vars(self) | {"inputs": self.inputs.astype(np.float16)}

    def of(self, chosen: Array) -> Sample:
        return Sample(*(column[chosen] for column in vars(self).values()))


def sample_of(rows: Rows, board: Any, trace: float, opposed: bool, first: int) -> Sample:
    """What is learned from the rows of a round, whose starts are counted from `first`."""
    low, high = float(board.low), float(board.high)
    final = _turned((rows.returns - low) / (high - low), rows.mover)
    final = (final[:, :1] if opposed else final).astype(np.float32)
    upset = np.zeros(int(rows.game.max()) + 1, np.int64)  # the last row of a game with a random move, and one
    np.maximum.at(upset, rows.game, np.where(rows.random, np.arange(len(rows.game)) + 1, 0))
    clean = np.arange(len(rows.game)) >= upset[rows.game]
    return Sample(rows.inputs, targets(rows, low, high, trace, opposed), final, first + rows.start, clean)


def joined(parts: list[dict[str, Array]]) -> Sample:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Sample(**columns | {"inputs": columns["inputs"].astype(np.float32)})


def fitted(layers: Layers, sample: Sample, settings: Settings, seed: int) -> Layers:
    """The next net."""
    torch = extra("torch")
    module = module_of(layers)
    inputs, target = torch.from_numpy(sample.inputs), torch.from_numpy(sample.target)

    def loss(chosen: Any) -> Any:
        return torch.nn.functional.binary_cross_entropy_with_logits(module(inputs[chosen]), target[chosen])

    how = fitting.Settings(
        epochs=settings.epochs, batch=settings.batch, rate=settings.rate, schedule="falling", seed=seed
    )
    fitting.fit(module, loss, np.arange(len(sample.start)), how)
    return layers_of([part.detach().numpy() for part in module.parameters()])


def loss_of(chances: Array, final: Array) -> float:
    """The mean log-loss of shares foreseen, in nats."""
    safe = np.clip(chances, 1e-6, 1 - 1e-6)
    return float(-(final * np.log(safe) + (1 - final) * np.log(1 - safe)).mean())


# ---------------------------------------------------------------- the run


def learn(
    game: Game, settings: Settings, folder: Path, workers: int, progress: fitting.Progress = fitting.silent,
    tell: Callable[[str], None] = lambda line: None,
) -> Path:  # fmt: skip
    """Play and fit, or go on with it; returns the file of the newest net."""
    boards = boards_of(game, settings.seed)
    run = Run(folder, settings, free=("rounds", "minutes"), code=game.digest)
    hidden = sizes_in(settings.hidden)
    sees = remembered(game, boards, run.json("sees.json", observer(game, boards).described))
    number, newest = 0, run.path("value-0.onnx")
    while settings.rounds == 0 or number < settings.rounds:
        begun = time.monotonic()
        newest = run.path(f"value-{number}.onnx")
        before = run.path(f"value-{number - 1}.onnx") if number else None
        name, seed = f"rows-{number}.npz", settings.seed * 10_000 + number

        def played(before: Path | None = before, seed: int = seed, number: int = number) -> dict[str, Array]:
            who = searching(game, boards, settings.search, before)
            rows = play(game, boards, sees, who, settings.games, settings.noise, seed, workers, progress)
            opposed = is_opposed(rows, boards[0]) if before is None else sizes_of(read_net(before).layers)[-1] == 1
            trace = settings.trace if number else 1.0
            rows = rows if number else replace(rows, random=np.zeros_like(rows.random))
            return sample_of(rows, boards[0], trace, opposed, number * 10_000_000).columns()

        if not newest.exists():
            run.arrays(name, played)
            first = max(0, number - settings.remembered + 1)
            sample = joined([run.arrays(f"rows-{old}.npz", played) for old in range(first, number + 1)])
            tested = sample.start % TESTED == 0
            if before is None:
                layers = fresh((*sees.shape, *hidden, sample.target.shape[1]), settings.seed)
                scale = 1.0 / np.maximum(1.0, np.abs(sample.inputs).max(axis=0))  # numbers a game left large
                layers[0] = ((layers[0][0] * scale[:, None]).astype(np.float32), layers[0][1])
            else:
                layers = read_net(before).layers
            layers = fitted(layers, sample.of(~tested), settings, seed)
            about = {"kind": "value", "game": game.text_name, "sees": sees.described(), "settings": run.settings}
            net = Net(layers, "Sigmoid", about)
            new = sample.of(tested & sample.clean & (sample.start >= number * 10_000_000))
            chances, mean = 1.0 / (1.0 + np.exp(-net(new.inputs))), sample.final.mean(axis=0)
            loss, base = loss_of(chances, new.final), loss_of(np.broadcast_to(mean, new.final.shape), new.final)
            run.note(number, loss=loss, baseline=base, positions=len(sample.start))
            net.write(newest, f"the value of positions of {game.text_name}")
            tell(f"round {number}: log-loss {loss:.4f} on starts never trained on, {base:.4f} knowing nothing")
        number += 1
        spent = time.monotonic() - begun
        if settings.rounds == 0 and elapsed(run, number, spent) >= 60 * settings.minutes:
            break
    return newest


def elapsed(run: Run, number: int, spent: float) -> float:
    """The seconds that all rounds took, those of earlier calls included."""
    return float(sum(run.json(f"seconds-{old}.json", lambda: spent) for old in range(number)))


def is_opposed(rows: Rows, board: Any) -> bool:
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
