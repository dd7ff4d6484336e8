"""``turnsmith train alphazero GAME``: a net that proposes moves and judges positions, learned from the rules alone.

Rounds of games by ``search.alphazero`` with the best net so far, and a fit of the next net to them: to the policies
that the search came to, and to what the positions were worth (what the search thought and what came later, as ``value``
does). Most decisions are quick ones, which make games long enough to learn values from; only the careful ones teach
policies (playout cap randomisation). A position is learned from as it looks by all symmetries of the game. One game in
eight is played against an older net. A new net becomes the best when it wins against it, which a sequential test says
after as few games as it can (``gate``).

Games with planes are learned by a convolutional net (``residual``), others by a dense one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.common.files import refuse_unwritable, write_whole
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import Game
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult
from turnsmith.learn import fit as fitting
from turnsmith.learn.batched_selfplay import PARTS, SLOTS, Judge, Played, manner_of, play
from turnsmith.learn.gate import BATCHES, GATE, LIKELY, evidence_of_gains, evidence_of_wins, gains_of
from turnsmith.learn.lessons import teach, teacher_of
from turnsmith.learn.recommend import advice, compared_at_end, in_card
from turnsmith.learn.run import Run
from turnsmith.learn.value import (
    FREE,
    PROOF,
    PROOF_OPENING,
    STARTS,
    TESTED,
    fresh_for,
    log_loss,
    refuse_settings,
    sizes_in,
    traced,
)
from turnsmith.nets.dense import Net, layers_of, module_of, read_net, sizes_of
from turnsmith.play.batch import MANY_BOARDS, boards_of
from turnsmith.play.observe import Observer, observe, observer, remembered
from turnsmith.play.player import player
from turnsmith.play.step import see
from turnsmith.search.alphazero import MOST_SIMULATIONS, AlphaZero, read
from turnsmith.search.puct import MOST_CONSIDERED

LATER = (
    "exploration", "considered", "least_range", "teacher", "lessons", "whims", "opinions", "from_", "values", "falling",
)  # fmt: skip
"""Settings that trainings which began without them may go on without."""
DIRICHLET_SHARE = 0.25
EVERY = 5
"""Rounds between two measurements of strength."""


@dataclass(frozen=True)
class AlphaZeroSettings:
    """How AlphaZero learns."""

    minutes: float = setting(60.0, 0.01, 10_000.0)
    """How long to learn; the round that is being played then is the last."""
    rounds: int = setting(0, 0, 100_000)
    """How often to play and fit; 0: as often as the minutes allow. The same rounds and seed make the same net."""
    games: int = setting(512, 256, 1_000_000)
    """Games a round, rounded up to a multiple of 256."""
    boards: int = setting(MANY_BOARDS, 2, 10_000)
    """Boards that the games of a round are played on, new ones every round, where a game's boards differ."""
    simulations: int = setting(128, 2, MOST_SIMULATIONS)
    """Of a careful decision."""
    quick: int = setting(24, 2, MOST_SIMULATIONS)
    """Of a quick decision."""
    careful: float = setting(0.25, 0.01, 1.0)
    """The share of decisions that are careful."""
    openings: int = setting(8, 0, 1000)
    """Random moves at the start of a game at most, where neither chance nor boards make games differ: else all
    games of a good net would be alike."""
    exploration: float = setting(1.0, 0.0, 100.0)
    """How much a move gains from being likely and visited little; less where returns of a game differ little."""
    considered: int = setting(16, 0, MOST_CONSIDERED)
    """Moves considered at the root; 0: all, by PUCT with Dirichlet noise, and visits teach policies."""
    least_range: float = setting(0.05, 1e-8, 1.0)
    """How far apart the best and the worst move are taken to be at least; less where returns differ little."""
    teacher: str = setting("")
    """A compiled player whose games are learned from first, such as `negamax:depth=4`."""
    lessons: int = setting(4, 0, 100_000)
    """Rounds that a teacher plays."""
    whims: float = setting(0.1, 0.0, 1.0)
    """The share of a teacher's moves that are made at random instead; in some games a seat makes three times as many,
    in half of them none."""
    opinions: bool = setting(False)
    """Learn what positions are worth from what the teacher expects, too; for one whose numbers are about returns."""
    from_: str = setting("")
    """Begin with the parameters of this net, which is of the same shape."""
    trace: float = setting(0.85, 0.0, 1.0)
    """Lambda: how much of what a position is worth is what came after it, the rest being what the search thought."""
    remembered: int = setting(20, 1, 10_000)
    """Rounds whose games are learned from."""
    view: Literal["", "features", "planes"] = setting("")
    """What the net sees; by default planes where the game has some."""
    channels: int = setting(32, 1, 1024)
    """Of a net that sees planes."""
    blocks: int = setting(5, 1, 100)
    """Residual blocks of a net that sees planes, two convolutions each."""
    any_size: bool = setting(False)
    """Make a net that sees planes fit boards of all sizes."""
    hidden: str = setting("256,128")
    """Sizes of the hidden layers of a net that sees a list of numbers, with commas."""
    rate: float = setting(0.001, 1e-7, 1.0)
    """Learning rate of Adam in the first round; it falls as 1 / sqrt(1 + round / 20)."""
    falling: bool = setting(False)
    """Let the rate fall to nothing within every round, for rounds of many games."""
    batch: int = setting(256, 1, 1_000_000)
    """Positions a step of Adam."""
    passes: float = setting(4.0, 0.01, 1000.0)
    """How often a position is learned from, on average, while its round is remembered."""
    values: float = setting(1.0, 0.0, 1000.0)
    """How much the value counts, beside the policy; more where returns differ little."""
    ends: float = setting(0.15, 0.0, 100.0)
    """How much foretelling the planes at the end of the game counts, beside policy and value."""
    gated: bool = setting(True)
    """Whether a new net has to win against the best one before it plays."""
    league: bool = setting(True)
    """Whether one game in eight is played against an older net."""
    anchor: str = setting("mcts:simulations=200")
    """Against whom strength is measured on the way."""
    anchored: int = setting(40, 0, 1_000_000)
    """Games to measure it with, every five rounds."""
    proof: int = setting(400, 0, 1_000_000)
    """New games at the end with 200 simulations, against `mcts` with 400."""
    compare: int = setting(200, 0, 1_000_000)
    """New games, after that, against the best player without the net, in the same CPU time; 0: none."""
    seed: int = setting(0, 0, 2**31 - 1)
    """The same seed learns the same."""
    to: str = setting("")
    """Also write the best net here, ending in .onnx."""

    def __post_init__(self) -> None:
        refuse_settings(self.hidden, self.to)


class PolicyValueRows(NamedTuple):
    """Positions to learn from."""

    views: Array
    """State[rows]: what the mover saw"""
    mover: Array
    which: Array
    """int32[rows]: the board"""
    policy: Array
    """float16 or float32[rows, actions], -1 where a move is not legal"""
    careful: Array
    """bool[rows]: whether the policy is to be learned"""
    target: Array
    """float32[rows, outputs]: what a position is worth"""
    start: Array
    """int64[rows]: games of one start share it: the board where boards differ, else the game"""
    game: Array
    """int64[rows]: the row of its end in `ends`"""
    ends: Array
    """State[games]: the last positions"""


def sample_of(played: Played, boards: Array, trace: float, opposed: bool, first: int) -> PolicyValueRows:
    start = played.which if len(boards) > 1 else played.game
    target = traced(played, float(boards[0]["low"]), float(boards[0]["high"]), trace, opposed)
    return PolicyValueRows(
        played.views, played.mover, played.which, played.policy.astype(np.float16), played.full_search, target,
        first + start.astype(np.int64), played.game, played.ends,
    )  # fmt: skip


def joined(parts: list[dict[str, Array]], boards: list[Array]) -> PolicyValueRows:
    """The samples of some rounds, and of their boards, as one."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    counted = {"game": [len(part["ends"]) for part in parts], "which": [len(board) for board in boards]}
    for name, counts in counted.items():
        far = np.cumsum([0, *counts[:-1]]).astype(columns[name].dtype)
        columns[name] = np.concatenate([part[name] + shift for part, shift in zip(parts, far, strict=True)])
    return PolicyValueRows(**columns | {"policy": columns["policy"].astype(np.float32)})


@dataclass
class SampleView:
    """Turns rows of a sample into what a net sees and should say, each by a symmetry of the game drawn at random."""

    game: Game
    boards: Array
    sees: Observer
    sample: PolicyValueRows
    rng: Array
    ends: bool

    def __call__(self, rows: Array) -> tuple[Any, ...]:
        """Tensors: inputs, policies and, where wanted, what is seen at the end."""
        torch, sample = extra("torch"), self.sample
        inputs, policy = self.sees.zeros(len(rows)), np.zeros((len(rows), sample.policy.shape[1]), np.float32)
        last = self.sees.zeros(len(rows) if self.ends else 0)
        spare = np.zeros(3, self.game.State)
        compiled(look)(self.game, self.boards, rows, sample, self.sees.slots, spare, self.rng, inputs, policy, last)
        return torch.from_numpy(inputs), torch.from_numpy(policy), torch.from_numpy(last)


def look(
    game: Any, boards: Any, rows: Array, sample: PolicyValueRows, slots: Array, spare: Array, rng: Array, inputs: Array,
    policies: Array, last: Array,
) -> None:  # fmt: skip
    """Fill inputs, policies and, unless it has no rows, last."""
    policy = sample.policy
    for place in range(rows.shape[0]):
        row = rows[place]
        board, view, seat = boards[sample.which[row]], sample.views[row], np.int64(sample.mover[row])
        turn = below(rng, game.symmetries(board)) if game.reflects else 0
        for action in range(policies.shape[1]):
            if policy[row, action] >= 0.0:
                there = np.int64(game.reflect_action(board, view, turn, action)) if turn > 0 else np.int64(action)
                policies[place, there] = policy[row, action] + 1.0
        for action in range(policies.shape[1]):
            policies[place, action] -= 1.0  # what nobody wrote to is no legal move
        if turn > 0:
            game.reflect(board, view, turn, spare[0])
            observe(game, board, spare[0], seat, slots, inputs[place])
        else:
            observe(game, board, view, seat, slots, inputs[place])
        if last.shape[0] > 0:
            see(game, board, sample.ends[sample.game[row]], spare[1], seat)
            if turn > 0:
                game.reflect(board, spare[1], turn, spare[2])
                observe(game, board, spare[2], seat, slots, last[place])
            else:
                observe(game, board, spare[1], seat, slots, last[place])


def losses(module: Any, looker: SampleView) -> Any:
    """(row numbers) -> the losses of policy, of value, and of the end foretold."""
    torch, sample = extra("torch"), looker.sample
    wrong, actions = torch.nn.functional, sample.policy.shape[1]

    def loss(chosen: Any) -> tuple[Any, ...]:
        rows = chosen.numpy()
        inputs, policy, last = looker(rows)
        full_search = torch.from_numpy(sample.careful[rows].astype(np.float32))
        logits, end = module.teach(inputs) if looker.ends else (module(inputs), None)
        chances = logits[:, :actions].masked_fill(policy < 0, -1e9).log_softmax(1)
        of_policy = -((policy.clamp(min=0) * chances).sum(1) * full_search).sum() / full_search.sum().clamp(min=1)
        of_value = wrong.binary_cross_entropy_with_logits(logits[:, actions:], torch.from_numpy(sample.target[rows]))
        if end is None:
            return of_policy, of_value
        return of_policy, of_value, wrong.binary_cross_entropy_with_logits(end, (last * module.scale).clamp(max=1.0))

    return loss


@dataclass(frozen=True)
class AlphaZeroLearner:
    """A training on one game. Steps of round n: rows-n.npz, net-n.onnx, the net after it, and best-n.json, the number
    of the best net by then."""

    game: Game
    boards: Array
    """Those of the first round."""
    settings: AlphaZeroSettings
    run: Run
    sees: Observer
    work: TrainingContext
    drawn: dict[int, Array] = field(default_factory=dict)
    """The boards of rounds that are remembered."""

    def boards_in(self, number: int) -> Array:
        """The boards of a round: others than before, where boards differ."""
        if len(self.boards) == 1:
            return self.boards
        if number not in self.drawn:
            self.drawn[number] = round_boards(self.game, self.settings, number)
        return self.drawn[number]

    def net_file(self, number: int) -> Path:
        return self.run.path(f"net-{number}.onnx") if number >= 0 else Path(self.settings.from_)

    def has_net(self, number: int) -> bool:
        """Whether there is a net of this number; that before the first is the one to begin with."""
        return number >= 0 or bool(self.settings.from_)

    def player(self, number: int, simulations: int, noise: float = 0.0) -> AlphaZero:
        net = str(self.net_file(number)) if self.has_net(number) else ""
        return AlphaZero(
            net=net, simulations=simulations, noise=noise, exploration=self.settings.exploration,
            least_range=self.settings.least_range,
        )  # fmt: skip

    def best(self, number: int) -> int:
        """The best net after a round; none, or the one to begin with, -1, before the first."""
        if number < 0:
            return -1
        if not self.settings.gated:
            return number
        return int(self.run.json(f"best-{number}.json", lambda: self._gate(number)))

    def _gate(self, number: int) -> int:
        """The new net, if it is better than the best before."""
        from turnsmith.arena.tournament import arena

        before = self.best(number - 1)
        players = [self.player(number, self.settings.quick, 0.3), self.player(before, self.settings.quick, 0.3)]
        seats = int(self.boards[0]["seats"])
        if seats == 1 or not self.has_net(before):
            return number
        evidence, games, won, gains = 0.0, 0, 0.0, np.zeros(0)
        for batch in range(BATCHES):
            table = arena(
                self.game, [players[0], *[players[1]] * (seats - 1)], GATE, seed=self._seed(number) + batch,
                workers=self.work.workers, opening=self._opening(),
            )  # fmt: skip
            games += table.games
            if table.is_by_score:
                gains = np.concatenate([gains, gains_of(table)])
                evidence = evidence_of_gains(gains, seats)
            else:
                row = next(entry for entry in table.to_dict()["players"] if entry["name"] == repr(players[0]))
                won += row["rate"] * table.games
                evidence = evidence_of_wins(won, games, seats)
            if abs(evidence) > LIKELY:
                break
        taken = evidence > -LIKELY
        result = f"{gains.mean():+.4f} a game in" if len(gains) else f"{won / games:.1%} of"
        self.work.tell(f"round {number}: {result} {games} against the best, {'taken' if taken else 'not taken'}")
        return number if taken else before

    def rows(self, number: int) -> dict[str, Array]:
        """What the games of a round teach."""
        return self.run.arrays(f"rows-{number}.npz", lambda: self._play(number)._asdict())

    def _play(self, number: int) -> PolicyValueRows:
        settings, best, boards = self.settings, self.best(number - 1), self.boards_in(number)
        openings = 0 if self._differs() else settings.openings
        searching = AlphaZero(
            simulations=settings.simulations, exploration=settings.exploration, considered=settings.considered,
            noise=1.0 if settings.considered else DIRICHLET_SHARE, least_range=settings.least_range,
        )  # fmt: skip
        manner = manner_of(searching, settings.quick, settings.careful, self.each, openings)
        is_taught = bool(settings.teacher) and number < settings.lessons
        if is_taught:
            played = teach(
                self.game, boards, teacher_of(settings.teacher, self.game, boards), settings.games,
                settings.whims, self._seed(number), self.work.workers, self.work.progress,
            )  # fmt: skip
        else:
            played = play(
                self.game, boards, self.sees, self._judge(best), self._rival_judge(number), manner,
                self._seed(number), self.work.workers, self.work.progress,
            )  # fmt: skip
        if is_taught and not settings.opinions:
            played.thought[:] = np.nan
        values = 1 if is_opposed(played.returns, self.boards[0]) else played.returns.shape[1]
        values = self.run.json("values.json", lambda: values)  # what the first games showed
        trace = settings.trace if self.has_net(best) or is_taught else 1.0
        return sample_of(played, boards, trace, values == 1 < played.returns.shape[1], number * STARTS)

    def _judge(self, number: int) -> Judge | None:
        return read(self.net_file(number)) if self.has_net(number) else None

    def _rival_judge(self, number: int) -> Judge | None:
        rival = self._rival(number)
        return self._judge(rival) if rival >= 0 else None

    def _rival(self, number: int) -> int:
        """An older net that was the best once, or none, -1."""
        once = sorted({self.best(earlier) for earlier in range(number - 1)} - {-1}) if self.settings.league else []
        alone = int(self.boards[0]["seats"]) == 1
        return -1 if not once or alone else int(np.random.default_rng(self._seed(number)).choice(once))

    def round(self, number: int) -> None:
        """Play and fit, unless that is done."""
        if self.net_file(number).exists():
            return
        self.rows(number)
        first = max(0, number - self.settings.remembered + 1)
        rounds = range(first, number + 1)
        boards = [self.boards_in(old) for old in rounds]
        sample = joined([self.rows(old) for old in rounds], boards)
        ends = self.sees.kind == "planes" and self.settings.ends > 0.0
        looker = SampleView(self.game, np.concatenate(boards), self.sees, sample, stream(self._seed(number), 0), ends)
        trained, tested = (np.flatnonzero((sample.start % TESTED > 0) == wanted) for wanted in (True, False))
        module, of_policy, of_value = self._fitted(number, looker, trained, tested)
        mean = np.broadcast_to(sample.target.mean(axis=0), sample.target[tested].shape)
        baseline = log_loss(mean, sample.target[tested])
        record = {"policy": of_policy, "value": of_value, "baseline": baseline, "positions": len(sample.start)}
        self.run.json(f"told-{number}.json", lambda: record)
        self._export(number, module)
        self.work.tell(
            f"round {number}: on starts never trained on, policy {of_policy:.4f}, value {of_value:.4f} "
            f"({baseline:.4f} knowing nothing)"
        )

    def _fitted(self, number: int, looker: SampleView, trained: Array, tested: Array) -> tuple[Any, float, float]:
        """The next net, and its losses on starts that it was not trained on."""
        torch, settings, seed = extra("torch"), self.settings, self._seed(number)
        module = self._module(replace(looker, rng=stream(settings.seed, 1), ends=False))
        if self.sees.kind == "planes":
            module.ends.requires_grad_(looker.ends)  # what nobody teaches has no moments to keep
        loss, weights = losses(module, looker), (1.0, settings.values, settings.ends)
        new = int((looker.sample.start[trained] >= number * STARTS).sum())
        rows = np.random.default_rng(seed).choice(trained, max(1, round(settings.passes * new)))
        rate = settings.rate / math.sqrt(1.0 + number / 20.0)
        how = fitting.FittingSettings(epochs=1, batch=settings.batch, rate=rate, decay=1e-4, seed=seed)
        how = replace(how, schedule="falling" if settings.falling else "constant")

        def weighed(chosen: Any) -> Any:
            return sum(weight * part for weight, part in zip(weights, loss(chosen), strict=False))

        before = self.run.path(f"module-{number - 1}.npz") if number else None
        fitting.fit(module, weighed, rows, how, file=self.run.path(f"module-{number}.npz"), after=before)
        with torch.no_grad():
            judged = torch.from_numpy(tested[:: max(1, len(tested) // 4096)])
            of_policy, of_value, *_ = (float(part) for part in loss(judged))
        return module, of_policy, of_value

    def _module(self, looker: SampleView) -> Any:
        """The net to begin with: inputs that a game left large count less at first, and no move is better."""
        torch, settings, sample = extra("torch"), self.settings, looker.sample
        torch.manual_seed(settings.seed)
        first = np.arange(min(4096, len(sample.start)))
        inputs = self.run.arrays("shown.npz", lambda: {"inputs": looker(first)[0].numpy()})["inputs"]
        actions, values = sample.policy.shape[1], sample.target.shape[1]
        if self.sees.kind == "planes":
            planes, *size = self.sees.shape
            from turnsmith.learn.residual_training import Residual, begin_with

            module = Residual(
                planes, None if settings.any_size else (size[0], size[1]), settings.channels, settings.blocks, actions,
                values,
            )  # fmt: skip
            scale = 1.0 / np.maximum(1.0, inputs.max(axis=(0, 2, 3)).astype(np.float32))
            module.scale.copy_(torch.from_numpy(scale)[:, None, None])
            if settings.from_:
                begin_with(module, Path(settings.from_))
            return module
        sizes = (*self.sees.shape, *sizes_in(settings.hidden), actions + values)
        if settings.from_:
            begun = read_net(Path(settings.from_)).layers
            if sizes_of(begun) != sizes:
                raise BadInput(f"{settings.from_} holds a net of another shape; give the same --hidden and view")
            return module_of(begun)
        *layers, (last, ends) = fresh_for(inputs, sizes, settings.seed)
        return module_of([*layers, (0.1 * last, ends)])

    def _export(self, number: int, module: Any) -> None:
        about = {"kind": "alphazero", "game": self.game.text_name, "sees": self.sees.described()}
        kept = {name: value for name, value in self.run.settings.items() if name not in FREE}
        title, about = f"moves and value of positions of {self.game.text_name}", {**about, "settings": kept}
        if self.sees.kind == "planes":
            from turnsmith.learn.residual_training import export

            export(module, self.net_file(number), self.sees.shape, title, about)
        else:
            layers = layers_of([part.detach().numpy() for part in module.parameters()])
            Net(layers, "", about).write(self.net_file(number), title)

    def _seed(self, number: int) -> int:
        return self.settings.seed * 100_000 + number

    def _opening(self) -> int:
        """Random moves at the start of games that are to differ."""
        return 0 if self._differs() else PROOF_OPENING // 2

    def _differs(self) -> bool:
        """Whether games differ by themselves."""
        return bool(self.boards[0]["outcomes"]) or len(self.boards) > 1

    def step(self, number: int) -> None:
        """A round, whether its net is the best, and now and then how strong that is; a point of the curve."""
        self.round(number)
        self.best(number)
        record = self.run.json(f"told-{number}.json", dict) | {"games": (number + 1) * self.each * PARTS * SLOTS}
        if self.settings.anchored:
            result = self.run.json(f"strength-{number // EVERY}.json", lambda: self.strength(number))
            rate = result["rate"] if result["rate"] is not None else result["mean_return"]
            self.run.note(number, **record, strength=rate)
        else:
            self.run.note(number, **record)
        self.tidy(number)

    @property
    def each(self) -> int:
        """Games a slot in a round."""
        return -(-self.settings.games // (PARTS * SLOTS))

    def tidy(self, number: int) -> None:
        """Remove what no later round reads."""
        for name in (f"module-{number - 2}.npz", f"rows-{number - self.settings.remembered}.npz"):
            self.run.path(name).unlink(missing_ok=True)
        self.drawn.pop(number - self.settings.remembered, None)

    def strength(self, number: int) -> dict[str, Any]:
        """Games of the best net so far with the anchor."""
        result = self.games_with(self.best(number), self.settings.anchor, self.settings.anchored, self._seed(number))
        if result["rate"] is not None:
            won = f"{result['rate']:.1%} ({result['low']:.1%} to {result['high']:.1%})"
            self.work.tell(f"round {number}: {won} of {result['games']} against {result['against']}")
        return result

    def proof(self, number: int) -> dict[str, Any]:
        """New games of the best net."""
        return self.games_with(number, "mcts:simulations=400", self.settings.proof, PROOF + self.settings.seed)

    def games_with(self, number: int, text: str, games: int, seed: int) -> dict[str, Any]:
        """How a net does in one seat, with another player in all others; alone, by itself."""
        from turnsmith.arena.tournament import arena

        ours, other = self.player(number, 200), player(text, self.game)
        seats = int(self.boards[0]["seats"])
        table = arena(
            self.game, [ours, *[other] * (seats - 1)] if seats > 1 else [ours], games, seed=seed,
            workers=self.work.workers, opening=self._opening(),
        )  # fmt: skip
        mine = next(row for row in table.to_dict()["players"] if row["name"] == repr(ours))
        wanted = ("name", "games", "rate", "low", "high", "mean_return")
        return {key: mine[key] for key in wanted} | {"against": repr(other) if seats > 1 else "nobody", "seats": seats}


def is_opposed(returns: Array, board: Any) -> bool:
    """Whether there are two seats, and what one gains the other loses."""
    total = returns.sum(axis=1)
    return returns.shape[1] == 2 and bool(np.abs(total - (board["low"] + board["high"])).max() < 1e-9)


def round_boards(game: Game, settings: AlphaZeroSettings, number: int) -> Array:
    """The boards of a round; one, where all are alike."""
    return boards_of(game, settings.seed + number * settings.boards, settings.boards)


def learn(game: Game, settings: AlphaZeroSettings, work: TrainingContext) -> tuple[Path, dict[str, Any]]:
    """Play and fit, or go on with it; returns the file of the best net, and how it did in new games."""
    boards = round_boards(game, settings, 0)
    AlphaZero().check(game, boards)
    if settings.teacher:
        teacher_of(settings.teacher, game, boards)  # refused now rather than after a round
    kept = {"game": game.text_name} | {name: value for name, value in vars(settings).items() if name != "to"}
    for name in LATER:
        if kept[name] == vars(AlphaZeroSettings())[name]:
            del kept[name]
    run = Run(work.folder, kept, free=FREE, code=game.digest)
    view = settings.view or ("planes" if game.gives_planes else "features")
    sees = remembered(game, boards, run.json("sees.json", observer(game, boards, view).described))
    learner = AlphaZeroLearner(game, boards, settings, run, sees, work)
    rounds = run.rounds(learner.step, settings.rounds, settings.minutes)
    best = learner.best(rounds - 1)
    proof = run.json(f"proof-{rounds}.json", lambda: learner.proof(best)) if settings.proof else {}
    net = learner.net_file(best)
    compared = compared_at_end(game, [f"{AlphaZero.name}:net={net}"], settings, run, rounds, work)
    results = proof | in_card(compared) | {"best round": best}
    run.finish(f"AlphaZero on {game.text_name}", work.command, results)
    return net, proof | ({"compared": compared} if compared else {})


def train(settings: AlphaZeroSettings, work: TrainingContext) -> TrainingResult:
    if settings.to:
        refuse_unwritable(Path(settings.to), "--to")
    best, proof = learn(work.game, settings, work)
    if settings.to:
        write_whole(Path(settings.to), lambda target: target.write(best.read_bytes()))
    file = settings.to or str(best)
    text = advice(proof.get("compared"), work.game, file, f"{AlphaZero.name}:net={file}")
    if proof.get("rate") is not None:
        won = f"{proof['rate']:.1%} ({proof['low']:.1%} to {proof['high']:.1%}) of {proof['games']} new games"
        text = f"it wins {won} against {proof['against']}\n{text}"
    return TrainingResult({"net": file, "curve": str(work.folder / "curve.jsonl"), "proof": proof}, text)


TRAINING = Training(
    "Learn any game of turns from its rules alone, as AlphaZero does.", AlphaZeroSettings, train,
    folder="{game}-alphazero",
)  # fmt: skip
