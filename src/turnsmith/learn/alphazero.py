"""``turnsmith train alphazero GAME``: a net that proposes moves and judges positions, learned from the rules alone.

Rounds of games by ``search.alphazero`` with the best net so far, and a fit of the next net to them: to the policies
that the search came to, and to what the positions were worth (what the search thought and what came later, as ``value``
does). Most decisions are quick ones, which make games long enough to learn values from; only the careful ones teach
policies (playout cap randomisation). A new net becomes the best when it wins against it, which a sequential test says
after as few games as it can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.batch import boards_of
from turnsmith.files import refuse_unwritable, write_whole
from turnsmith.game import Array, Game
from turnsmith.learn import extra
from turnsmith.learn import fit as fitting
from turnsmith.learn.nets import Layers, Net, layers_of, module_of, read_net, sizes_of
from turnsmith.learn.run import Run
from turnsmith.learn.selfplay import Rows, play
from turnsmith.learn.training import Done, Training, Work
from turnsmith.learn.value import (
    FREE,
    PROOF,
    PROOF_OPENING,
    STARTS,
    TESTED,
    begun,
    fresh_for,
    is_opposed,
    log_loss,
    refuse_settings,
    sizes_in,
    targets,
)
from turnsmith.observe import Observer
from turnsmith.player import player
from turnsmith.search.alphazero import MOST_SIMULATIONS, AlphaZero
from turnsmith.texts import setting

GATE, BATCHES = 40, 10
"""Games of a batch of the gate, and batches at most."""
BETTER, LIKELY = 0.55, math.log(19.0)
"""Games are played until winning so often is so much likelier (as a logarithm) than being equal, or the other way
round, and then the new net is turned down; where neither shows, it is taken, for it learned from more."""


@dataclass(frozen=True)
class Settings:
    """How AlphaZero learns."""

    minutes: float = setting(60.0, 0.01, 10_000.0)
    """How long to learn; the round that is being played then is the last."""
    rounds: int = setting(0, 0, 100_000)
    """How often to play and fit; 0: as often as the minutes allow. The same rounds and seed make the same net."""
    games: int = setting(512, 256, 1_000_000)
    """Games a round, rounded up to a multiple of 256."""
    simulations: int = setting(128, 2, MOST_SIMULATIONS)
    """Of a careful decision."""
    quick: int = setting(24, 2, MOST_SIMULATIONS)
    """Of a quick decision."""
    careful: float = setting(0.25, 0.01, 1.0)
    """The share of decisions that are careful."""
    trace: float = setting(0.7, 0.0, 1.0)
    """Lambda: how much of what a position is worth is what came after it, the rest being what the search thought."""
    remembered: int = setting(20, 1, 10_000)
    """Rounds whose games are learned from."""
    hidden: str = setting("256,128")
    """Sizes of the hidden layers, with commas."""
    rate: float = setting(0.001, 1e-7, 1.0)
    """Learning rate of Adam in the first round; it falls as 1 / sqrt(1 + round / 20)."""
    batch: int = setting(256, 1, 1_000_000)
    """Positions a step of Adam."""
    passes: float = setting(4.0, 0.01, 1000.0)
    """How often a position is learned from, on average, while its round is remembered."""
    gated: bool = setting(True)
    """Whether a new net has to win against the best one before it plays."""
    proof: int = setting(400, 0, 1_000_000)
    """New games at the end with 200 simulations, against `mcts` with 400."""
    seed: int = setting(0, 0, 2**31 - 1)
    """The same seed learns the same."""
    to: str = setting("")
    """Also write the best net here, ending in .onnx."""

    def __post_init__(self) -> None:
        refuse_settings(self.hidden, self.to)


@dataclass(frozen=True)
class Sample:
    """Positions to learn from."""

    inputs: Array
    """float32[rows, inputs]"""
    policy: Array
    """float16[rows, actions], -1 where a move is not legal"""
    careful: Array
    """bool[rows]: whether the policy is to be learned"""
    target: Array
    """float32[rows, outputs]: what a position is worth"""
    start: Array
    """int64[rows]"""

    def of(self, chosen: Array) -> Sample:
        return Sample(*(column[chosen] for column in vars(self).values()))


def sample_of(rows: Rows, board: Any, trace: float, opposed: bool, first: int) -> Sample:
    target = targets(rows, float(board.low), float(board.high), trace, opposed)
    return Sample(
        rows.inputs.astype(np.float16), rows.policy.astype(np.float16), rows.careful, target, first + rows.start
    )


def joined(parts: list[dict[str, Array]]) -> Sample:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Sample(**columns)


def losses(module: Any, sample: Sample) -> Any:
    """(row numbers) -> the loss of policy and of value."""
    torch = extra("torch")
    wrong, actions = torch.nn.functional, sample.policy.shape[1]

    def loss(chosen: Any) -> tuple[Any, Any]:
        rows = chosen.numpy()
        inputs = torch.from_numpy(sample.inputs[rows].astype(np.float32))
        policy = torch.from_numpy(sample.policy[rows].astype(np.float32))
        careful = torch.from_numpy(sample.careful[rows].astype(np.float32))
        said = module(inputs)
        chances = said[:, :actions].masked_fill(policy < 0, -1e9).log_softmax(1)
        of_policy = -((policy.clamp(min=0) * chances).sum(1) * careful).sum() / careful.sum().clamp(min=1)
        target = torch.from_numpy(sample.target[rows])
        return of_policy, wrong.binary_cross_entropy_with_logits(said[:, actions:], target)

    return loss


@dataclass(frozen=True)
class Learner:
    """A training on one game. Steps of round n: rows-n.npz, net-n.onnx, the net after it, and best-n.json, the number
    of the best net by then."""

    game: Game
    boards: Array
    settings: Settings
    run: Run
    sees: Observer
    work: Work

    def net_file(self, number: int) -> Path:
        return self.run.path(f"net-{number}.onnx")

    def player(self, number: int, simulations: int, noise: float = 0.0) -> AlphaZero:
        return AlphaZero(net=str(self.net_file(number)) if number >= 0 else "", simulations=simulations, noise=noise)

    def best(self, number: int) -> int:
        """The best net after a round; none, -1, before the first."""
        if number < 0:
            return -1
        if not self.settings.gated:
            return number
        return int(self.run.json(f"best-{number}.json", lambda: self._gate(number)))

    def _gate(self, number: int) -> int:
        """The new net, if it is better than the best before."""
        from turnsmith.arena import arena

        before = self.best(number - 1)
        players = [self.player(number, self.settings.quick, 0.3), self.player(before, self.settings.quick, 0.3)]
        seats = int(self.boards[0]["seats"])
        if seats == 1 or before < 0:
            return number
        evidence, games, won = 0.0, 0, 0.0
        even = 1.0 / seats
        more = min(even + (BETTER - 0.5), 0.95)
        for batch in range(BATCHES):
            table = arena(
                self.game, [players[0], *[players[1]] * (seats - 1)], GATE, seed=self._seed(number) + batch,
                workers=self.work.workers, opening=self._opening(),
            )  # fmt: skip
            row = next(each for each in table.to_dict()["players"] if each["name"] == repr(players[0]))
            if row["rate"] is None:  # nobody wins here, so nothing shows who is better
                return number
            games += GATE
            won += row["rate"] * GATE
            wins = row["rate"] * GATE
            evidence += wins * math.log(more / even) + (GATE - wins) * math.log((1 - more) / (1 - even))
            if abs(evidence) > LIKELY:
                break
        taken = evidence > -LIKELY
        self.work.tell(
            f"round {number}: {won / games:.1%} of {games} against the best, {'taken' if taken else 'not taken'}"
        )
        return number if taken else before

    def rows(self, number: int) -> dict[str, Array]:
        """What the games of a round teach."""
        return self.run.arrays(f"rows-{number}.npz", lambda: vars(self._play(number)))

    def _play(self, number: int) -> Sample:
        settings, best = self.settings, self.best(number - 1)
        rows = play(
            self.game, self.boards, self.sees, self.player(best, settings.simulations, 1.0), settings.games, 0.0,
            self._seed(number), self.work.workers, self.work.progress, self.player(best, settings.quick, 1.0),
            settings.careful, True,
        )  # fmt: skip
        opposed = is_opposed(rows, self.boards[0]) if best < 0 else self._outputs(best) == 1
        return sample_of(rows, self.boards[0], settings.trace if best >= 0 else 1.0, opposed, number * STARTS)

    def _outputs(self, number: int) -> int:
        return sizes_of(read_net(self.net_file(number)).layers)[-1] - int(self.boards[0]["actions"])

    def round(self, number: int) -> None:
        """Play and fit, unless that is done."""
        if self.net_file(number).exists():
            return
        self.rows(number)
        first = max(0, number - self.settings.remembered + 1)
        sample = joined([self.rows(old) for old in range(first, number + 1)])
        trained, tested = (np.flatnonzero((sample.start % TESTED > 0) == wanted) for wanted in (True, False))
        layers, of_policy, of_value = self._fitted(number, sample, trained, tested)
        about = {"kind": "alphazero", "game": self.game.text_name, "sees": self.sees.described()}
        kept = {name: value for name, value in self.run.settings.items() if name not in FREE}
        net = Net(layers, "", {**about, "settings": kept})
        mean = np.broadcast_to(sample.target.mean(axis=0), sample.target[tested].shape)
        baseline = log_loss(mean, sample.target[tested])
        self.run.note(number, policy=of_policy, value=of_value, baseline=baseline, positions=len(sample.start))
        net.write(self.net_file(number), f"moves and value of positions of {self.game.text_name}")
        self.work.tell(
            f"round {number}: on starts never trained on, policy {of_policy:.4f}, value {of_value:.4f} "
            f"({baseline:.4f} knowing nothing)"
        )

    def _fitted(self, number: int, sample: Sample, trained: Array, tested: Array) -> tuple[Layers, float, float]:
        """The next net, and its losses on starts that it was not trained on."""
        torch, settings = extra("torch"), self.settings
        module = module_of(read_net(self.net_file(number - 1)).layers if number else self._fresh(sample))
        loss = losses(module, sample)
        new = int((sample.start[trained] >= number * STARTS).sum())
        rows = np.random.default_rng(self._seed(number)).choice(trained, max(1, round(settings.passes * new)))
        rate = settings.rate / math.sqrt(1.0 + number / 20.0)
        how = fitting.Settings(epochs=1, batch=settings.batch, rate=rate, decay=1e-4, seed=self._seed(number))
        fitting.fit(module, lambda chosen: sum(loss(chosen)), rows, how)
        with torch.no_grad():
            of_policy, of_value = (float(each) for each in loss(torch.from_numpy(tested[:20_000])))
        return layers_of([part.detach().numpy() for part in module.parameters()]), of_policy, of_value

    def _fresh(self, sample: Sample) -> Layers:
        """The net to begin with: inputs that a game left large count less at first, and no move is better."""
        sizes = (*self.sees.shape, *sizes_in(self.settings.hidden), sample.policy.shape[1] + sample.target.shape[1])
        *layers, (last, ends) = fresh_for(sample.inputs.astype(np.float32), sizes, self.settings.seed)
        return [*layers, (0.1 * last, ends)]

    def _seed(self, number: int) -> int:
        return self.settings.seed * 100_000 + number

    def _opening(self) -> int:
        """Random moves at the start of games that are to differ."""
        return 0 if self.boards[0]["outcomes"] or len(self.boards) > 1 else PROOF_OPENING // 2

    def step(self, number: int) -> None:
        """A round, and whether its net is the best."""
        self.round(number)
        self.best(number)

    def proof(self, number: int) -> dict[str, Any]:
        """New games of the best net in one seat, and of another search in all others; alone, by itself."""
        from turnsmith.arena import arena

        ours, other = self.player(number, 200), player("mcts:simulations=400", self.game)
        seats = int(self.boards[0]["seats"])
        table = arena(
            self.game, [ours, *[other] * (seats - 1)] if seats > 1 else [ours], self.settings.proof,
            seed=PROOF + self.settings.seed, workers=self.work.workers, opening=self._opening(),
        )  # fmt: skip
        mine = next(row for row in table.to_dict()["players"] if row["name"] == repr(ours))
        wanted = ("name", "games", "rate", "low", "high", "mean_return")
        return {key: mine[key] for key in wanted} | {"against": repr(other) if seats > 1 else "nobody", "seats": seats}


def learn(game: Game, settings: Settings, work: Work) -> tuple[Path, dict[str, Any]]:
    """Play and fit, or go on with it; returns the file of the best net, and how it did in new games."""
    boards = boards_of(game, settings.seed)
    AlphaZero().check(game, boards)
    run, sees = begun(game, boards, settings, work)
    learner = Learner(game, boards, settings, run, sees, work)
    rounds = run.rounds(learner.step, settings.rounds, settings.minutes)
    best = learner.best(rounds - 1)
    found = run.json(f"proof-{rounds}.json", lambda: learner.proof(best)) if settings.proof else {}
    run.finish(f"AlphaZero on {game.text_name}", work.command, found | {"best round": best})
    return learner.net_file(best), found


def train(settings: Settings, work: Work) -> Done:
    if settings.to:
        refuse_unwritable(Path(settings.to), "--to")
    best, found = learn(work.game, settings, work)
    if settings.to:
        write_whole(Path(settings.to), lambda target: target.write(best.read_bytes()))
    file = settings.to or str(best)
    text = f"play against it: turnsmith play {work.game.text_name} --vs alphazero:net={file}"
    if found and found["rate"] is not None:
        won = f"{found['rate']:.1%} ({found['low']:.1%} to {found['high']:.1%}) of {found['games']} new games"
        text = f"it wins {won} against {found['against']}\n{text}"
    return Done({"net": file, "curve": str(work.folder / "curve.jsonl"), "proof": found}, text)


TRAINING = Training(
    "Learn any game of turns from its rules alone, as AlphaZero does.", Settings, train,
    folder="{game}-alphazero",
)  # fmt: skip
