"""Learning Mastermind by reward alone, as the document did: proximal policy optimisation on the history as bits.

The net has three hidden layers of 256 and tells, for each place, the chances of its colours, and the value. Games are
played many at once by compiled rules; torch only multiplies. A leg is some steps of play and learning from fresh games
with its own random numbers; what goes from leg to leg is the net and Adam's moments, so a run that was killed goes on
from its last leg and ends the same.
"""

from __future__ import annotations

import itertools
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.digest import digest
from turnsmith.game import Array, load
from turnsmith.games.mastermind.rewards import REWARDS, begin_all, describe_history, step_all
from turnsmith.kernel import compiled, zero
from turnsmith.learn import extra
from turnsmith.learn.files import read_arrays, write_arrays
from turnsmith.learn.run import Run
from turnsmith.learn.training import Done, Work
from turnsmith.rng import stream

if TYPE_CHECKING:
    from turnsmith.games.mastermind.declares import PpoSettings

GAMMA, TRACE, OF_VALUE, MOST_NORM = 0.99, 0.95, 0.5, 0.5
"""Discount, the λ of advantages, the weight of the value's loss, and the longest gradient."""
LAST = 100
"""Games whose mean length is a point of the curve."""


class Games:
    """`many` games at once on a board, paying rewards of a kind."""

    def __init__(self, text: str, many: int, kind: int, seed: tuple[int, int]):
        self.game = load(text)
        self.boards = self.game.board()
        board = self.boards[0]
        codes, self.kind = int(board.codes), kind
        self.wide = int(board.tries) * (int(board.pegs * board.colors) + 2 * (int(board.pegs) + 1))
        self.states, self.left = np.zeros(many, self.game.State), np.zeros((many, codes), np.int32)
        self.counts, self.rng = np.zeros(many, np.int64), stream(*seed)
        self.rewards, self.lengths = np.zeros(many, np.float32), np.zeros(many, np.int64)
        self.seen = np.zeros((many, self.wide), np.float32)
        compiled(begin_all)(*self._all(), self.seen)

    def _all(self) -> tuple[Any, ...]:
        return self.game, self.boards, self.states, self.left, self.counts, self.rng

    def step(self, guesses: Array) -> None:
        """Make int64[many] guesses; `rewards`, `lengths` (0 while a game goes on) and `seen` are written anew."""
        compiled(step_all)(*self._all(), self.kind, guesses, self.rewards, self.lengths, self.seen)


class Learner:
    """The net, its optimiser, and how they act and learn."""

    def __init__(self, settings: PpoSettings, wide: int):
        torch = extra("torch")
        torch.set_num_threads(1)
        torch.manual_seed(settings.seed)
        self.torch, self.settings = torch, settings
        self.colors, self.pegs = settings.colors, settings.pegs
        sizes = (wide, *[settings.hidden] * 3)
        layers: list[Any] = []
        for above, below in itertools.pairwise(sizes):
            layers += [torch.nn.Linear(above, below), torch.nn.ReLU()]
        self.trunk, self.head = torch.nn.Sequential(*layers), torch.nn.Linear(sizes[-1], self.colors * self.pegs + 1)
        with torch.no_grad():
            self.head.weight *= 0.1  # begin with nearly even chances
        self.parameters = [*self.trunk.parameters(), *self.head.parameters()]
        self.adam = torch.optim.Adam(self.parameters, lr=settings.rate, eps=1e-5, fused=True)
        self.power = torch.tensor([self.colors ** (self.pegs - 1 - place) for place in range(self.pegs)])

    def __call__(self, seen: Any) -> tuple[Any, Any]:
        """(log chances [rows, pegs, colors], values [rows])"""
        out = self.head(self.trunk(seen))
        chances = out[:, :-1].view(-1, self.pegs, self.colors)
        return self.torch.log_softmax(chances, 2), out[:, -1]

    def learn(self, seen: Any, pegs: Any, before: Any, gains: Any, returns: Any) -> None:
        """One step of the optimiser: before [rows] the log chance at which the pegs [rows, pegs] were chosen."""
        torch, settings = self.torch, self.settings
        logs, values = self(seen)
        ratio = (logs.gather(2, pegs[:, :, None]).sum((1, 2)) - before).exp()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        entropy = -(logs.exp() * logs).sum((1, 2)).mean()
        loss = OF_VALUE * (returns - values).square().mean() - settings.entropy * entropy
        loss = loss - torch.minimum(ratio * gains, clipped * gains).mean()
        self.adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, MOST_NORM)
        self.adam.step()

    def arrays(self) -> dict[str, Array]:
        """What a leg leaves: parameters and moments."""
        found = {f"p{n}": each.detach().numpy() for n, each in enumerate(self.parameters)}
        for number, each in enumerate(self.parameters):
            moments = self.adam.state.get(each, {})
            found |= {f"{name}{number}": np.asarray(value.numpy()) for name, value in moments.items()}
        return found

    def load(self, arrays: dict[str, Array]) -> None:
        torch = self.torch
        with torch.no_grad():
            for number, each in enumerate(self.parameters):
                each.copy_(torch.from_numpy(arrays[f"p{number}"]))
                names = ("step", "exp_avg", "exp_avg_sq")
                self.adam.state[each] = {name: torch.from_numpy(arrays[f"{name}{number}"].copy()) for name in names}


def play_leg(settings: PpoSettings, learner: Learner, leg: int, seconds: Array) -> tuple[Array, float]:
    """Play and learn for a leg: the lengths of its games and the mean reward of a guess. `seconds` gains the processor
    time of acting, playing and learning."""
    torch = learner.torch
    torch.manual_seed(settings.seed * 1_000_003 + leg)
    games = Games(board_text(settings), settings.games, settings.kind, (settings.seed, leg))
    rows, steps = settings.games, settings.horizon
    seen = torch.zeros(steps + 1, rows, games.wide)
    pegs = torch.zeros(steps, rows, settings.pegs, dtype=torch.int64)
    logs, values = torch.zeros(steps, rows), torch.zeros(steps + 1, rows)
    rewards, going = np.zeros((steps, rows), np.float32), np.zeros((steps, rows), np.float32)
    ended: list[Array] = []
    paid, rounds = 0.0, max(1, settings.leg // (rows * steps))
    for _ in range(rounds):
        with torch.no_grad():
            for step in range(steps):
                moment = time.process_time()
                seen[step] = torch.from_numpy(games.seen)
                chances, values[step] = learner(seen[step])
                noise = -torch.log(-torch.log(torch.rand_like(chances)))
                pegs[step] = (chances + noise).argmax(2)
                logs[step] = chances.gather(2, pegs[step][:, :, None]).sum((1, 2))
                guesses = (pegs[step] * learner.power).sum(1).numpy()
                seconds[0] += time.process_time() - moment
                moment = time.process_time()
                games.step(guesses)
                rewards[step], going[step] = games.rewards, games.lengths == 0
                ended.append(games.lengths[games.lengths > 0])
                paid += float(games.rewards.sum())
                seconds[1] += time.process_time() - moment
            moment = time.process_time()
            seen[steps] = torch.from_numpy(games.seen)
            values[steps] = learner(seen[steps])[1]
        gains = advantages(rewards, going, values.numpy())
        parts = seen[:steps], pegs, logs, torch.from_numpy(gains), torch.from_numpy(gains) + values[:steps]
        flat = [part.flatten(0, 1) for part in parts]
        for _ in range(settings.epochs):
            for chosen in torch.randperm(rows * steps).split(settings.batch):
                learner.learn(*[part[chosen] for part in flat])
        seconds[2] += time.process_time() - moment
    return np.concatenate(ended), paid / (rounds * rows * steps)


def advantages(rewards: Array, going: Array, values: Array) -> Array:
    """float32[steps, rows]: generalised advantages; values has one step more, going is 0 where a game ended."""
    gains, later = np.zeros_like(rewards), np.zeros(rewards.shape[1], np.float32)
    for step in range(len(rewards) - 1, -1, -1):
        surprise = rewards[step] + GAMMA * going[step] * values[step + 1] - values[step]
        later = surprise + GAMMA * TRACE * going[step] * later
        gains[step] = later
    return gains


# ---------------------------------------------------------------- how good it is


def describe_all(boards, states, seen):
    """``describe_history`` of many states: a kernel."""
    for row in range(states.shape[0]):
        describe_history(boards[0], states[row], seen[row])


def deal_all(game, boards, states):
    """Deal every secret once: a kernel."""
    for row in range(states.shape[0]):
        zero(states[row])
        game.setup(boards[0], states[row])
        game.apply(boards[0], states[row], row)


def guess_all(game, boards, states, going, guesses):
    """Make a guess in those games that go on, and note whether they still do: a kernel."""
    for row in range(states.shape[0]):
        if going[row]:
            game.apply(boards[0], states[row], guesses[row])
            going[row] = game.to_move(boards[0], states[row]) >= 0


def break_all_greedily(settings: PpoSettings, learner: Learner, opening: int = -1) -> Array:
    """int64[codes]: the guesses for every secret, the likeliest colours being chosen; `opening` is forced unless -1."""
    game = load(board_text(settings))
    boards, torch = game.board(), learner.torch
    codes = int(boards[0].codes)
    states, going = np.zeros(codes, game.State), np.ones(codes, np.uint8)
    seen = np.zeros((codes, learner.trunk[0].in_features), np.float32)
    compiled(deal_all)(game, boards, states)
    first = True
    while going.any():
        compiled(describe_all)(boards, states, seen)
        with torch.no_grad():
            guesses = (learner(torch.from_numpy(seen))[0].argmax(2) * learner.power).sum(1).numpy()
        if first and opening >= 0:
            guesses[:] = opening
        compiled(guess_all)(game, boards, states, going, guesses)
        first = False
    return np.asarray(states["turns"])


# ---------------------------------------------------------------- the run


def board_text(settings: PpoSettings) -> str:
    return f"mastermind:colors={settings.colors},pegs={settings.pegs}"


def train(settings: PpoSettings, work: Work) -> Done:
    """Legs of play and learning, from the last one on that is there; then both scores. Only the newest is kept."""
    extra("torch")
    game = load(board_text(settings))
    run = Run(work.folder, vars(settings), free=("steps",), code=digest(game.digest, step_all, play_leg, Learner))
    learner, seconds = Learner(settings, Games(board_text(settings), 1, settings.kind, (0, 0)).wide), np.zeros(3)
    legs, done = -(-settings.steps // settings.leg), sorted(number_of(path) for path in run.folder.glob("leg-*.npz"))
    for leg in range(done[-1] if done else 0, legs):
        before = run.path(f"leg-{leg - 1}.npz")
        path = run.file(f"leg-{leg}.npz", partial(write_leg, settings, learner, leg, before, seconds))
        told = read_arrays(path, "games", "recent", "reward")
        run.note(leg, games=int(told["games"]), length=float(told["recent"].mean()), reward=float(told["reward"]))
        before.unlink(missing_ok=True)
        work.progress(leg + 1, legs)
    learner.load(read_arrays(run.path(f"leg-{max(legs - 1, done[-1] if done else 0)}.npz")))
    results = scores(settings, learner)
    reward = f"{settings.kind} {REWARDS[settings.kind - 1]}"
    run.finish(f"Mastermind by reward {reward}", work.command, results)
    text = (
        f"reward {reward}: mean {results['mean']:.4f}, {results['after a random opening']:.4f} after a random opening"
    )
    spent = dict(zip(("acting", "playing", "learning"), seconds.round(3).tolist(), strict=True))
    return Done({**results, "games": run.curve[-1]["games"], "cpu_seconds": spent}, text)


def number_of(leg: Path) -> int:
    return int(leg.stem.partition("-")[2])


def write_leg(settings: PpoSettings, learner: Learner, leg: int, before: Path, seconds: Array, path: Path) -> None:
    """Go on from the leg before, and leave the learner with the games so far and the lengths of the last of them."""
    played, recent = 0, np.zeros(0, np.int64)
    if leg:
        arrays = read_arrays(before)
        learner.load(arrays)
        played, recent = int(arrays["games"]), arrays["recent"]
    lengths, reward = play_leg(settings, learner, leg, seconds)
    told = {"games": np.array(played + len(lengths)), "recent": np.append(recent, lengths)[-LAST:]}
    write_arrays(path, {**learner.arrays(), **told, "reward": np.array(reward)})


def scores(settings: PpoSettings, learner: Learner) -> dict[str, float]:
    """Over all secrets, and after five random first guesses."""
    took = break_all_greedily(settings, learner)
    codes = settings.colors**settings.pegs
    drawn = np.random.default_rng(settings.seed).choice(codes, min(5, codes), replace=False)
    forced = [break_all_greedily(settings, learner, int(opening)).mean() for opening in drawn]
    return {"mean": float(took.mean()), "most": float(took.max()), "after a random opening": float(np.mean(forced))}
