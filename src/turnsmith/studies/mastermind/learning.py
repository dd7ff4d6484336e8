"""Learning what `learned` plays by: first the answers, from random games; then how long games take, by playing.

1. **Answers.** Random games on boards of 1, 2, … pegs; the secret comes out at the end of each. A net learns which
   answer a code gives to a guess. With `symmetries`, places and colours are turned about at random each time a turn is
   looked at, which changes no answer: 17,280 turns out of one on the standard board.
2. **Time.** The net is asked about all pairs of codes once, and games are played inside this table: every code is
   broken after each of some random first guesses. How many guesses it took from n codes left on is what the next round
   plans with. The first round knows nothing: it lets time grow by the logarithm of n, which is to ask for most bits.
"""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from turnsmith.arena.evaluate import evaluate
from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.common.files import write_whole
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled, zero
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import OVER
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.games.mastermind.codes import ANSWERS, TRIES, answer_table
from turnsmith.games.mastermind.learned import MastermindLearned, Model, Points, all_codes, read_model, think
from turnsmith.learn import fit as training
from turnsmith.learn.run import Run
from turnsmith.nets.dense import Net, fresh, layers_of, module_of
from turnsmith.play.stop import flag

if TYPE_CHECKING:
    from turnsmith.studies.mastermind.trainings import LearnedSettings

BATCH, EPOCHS = 2048, 10
FREE = np.int64(-1)
"""An opening that the player chooses. (A function that calls itself must do so with the same types.)"""
OPENINGS = 5
"""Random first guesses after which the player is measured."""
BINS = 40
"""How many points, at most, tell how long games take."""

# ---------------------------------------------------------------- playing, compiled


def play_random(game, boards, rng, turns):
    """Fill turns (int64[rows, 3]) with guess, secret and answer of random games, one after another."""
    board = boards[0]
    states = np.empty(1, game.State)
    row = 0
    while row < turns.shape[0]:
        zero(states[0])
        game.setup(board, states[0])
        game.apply(board, states[0], below(rng, board.codes))
        while game.to_move(board, states[0]) != OVER:
            game.apply(board, states[0], below(rng, board.codes))
        for turn in range(min(np.int64(states[0].turns), turns.shape[0] - row)):
            turns[row, 0] = states[0].guesses[turn]
            turns[row, 1] = states[0].secret
            turns[row, 2] = states[0].answers[turn]
            row += 1


class TableGames(NamedTuple):
    """Games inside a table of answers: what they are played by, and what they write to."""

    codes: int
    answers: int
    table: Array  # int[codes * codes]: the answer of a code to a guess
    costs: Array  # float64[codes + 1]: the guesses that so many codes are expected to take
    left: Array  # int64[levels, codes]: the codes that are left after so many guesses
    sizes: Array  # int64[levels, answers]: scratch
    stop: Array
    took: Array  # int64[levels]: the guesses of all codes of a set
    seen: Array  # float64[2, codes + 1]: guesses and codes summed up where so many codes were left


def imagine(games, level, start, count, opening):
    """Break the codes left[level, start : start + count] inside the table, the first guess being `opening` unless FREE.

    took[level] is set to the guesses of all of them. A code that takes more than TRIES guesses is given up.
    """
    codes, answers, table, costs, left, sizes, stop, took, seen = games
    guess, mine = np.int64(opening), sizes[level]
    if opening < 0:
        guess, _ = think(codes, answers, table, costs, left[level], start, count, mine, stop)
    mine[:] = 0
    for index in range(start, start + count):
        mine[table[guess * codes + left[level, index]]] += 1
    first = start
    for answer in range(answers):  # where the part of each answer begins
        first += mine[answer]
        mine[answer] = first - mine[answer]
    for index in range(start, start + count):
        answer = table[guess * codes + left[level, index]]
        left[level + 1, mine[answer]] = left[level, index]
        mine[answer] += 1
    total, first = count, start
    for answer in range(answers - 1):
        size = mine[answer] - first
        if size > 0 and level + 1 < TRIES:
            imagine(games, level + 1, first, size, FREE)
            total += took[level + 1]
        first += size
    took[level] = total
    if opening < 0:
        seen[0, count] += total
        seen[1, count] += count


def imagine_all(games, openings):
    """The kernel: break all codes after each of the openings; returns the guesses."""
    none = np.int64(0)
    total = none
    for opening in openings:
        for code in range(games.codes):
            games.left[0, code] = code
        imagine(games, none, none, games.codes, opening)
        total += games.took[0]
    return total


# ---------------------------------------------------------------- answers


def turns_of_play(colors: int, pegs: int, games: int, seed: int) -> dict[str, Array]:
    """Pegs of guesses and secrets (int8[rows, pegs], -1 beyond those of a smaller board) and answers (int64[rows]).

    A quarter of the games of every board are played on that with one peg less.
    """
    known, played = answer_table(pegs), []
    for number in range(pegs, 0, -1):
        game = load(f"mastermind:colors={colors},pegs={number}")
        turns = np.zeros((max(10, 10 * games // 4 ** (pegs - number)), 3), np.int64)
        compiled(play_random)(game, game.board(), stream(seed, number), turns)
        pegs_of = np.full((colors**number, pegs), -1, np.int8)
        pegs_of[:, :number] = all_codes(colors, number)
        column = np.array([known.index(pair) for pair in answer_table(number)])
        played.append((pegs_of[turns[:, 0]], pegs_of[turns[:, 1]], column[turns[:, 2]]))
    guess, secret, answer = (np.concatenate(parts) for parts in zip(*played, strict=True))
    return {"guess": guess, "secret": secret, "answer": answer}


def fit_answers(settings: LearnedSettings, turns: dict[str, Array], file: Path, work: TrainingContext) -> Any:
    """Fit the net to the turns, with a checkpoint in `file`: its parameters."""
    torch = extra("torch")
    colors, pegs = settings.colors, settings.pegs
    sizes = (2 * colors * pegs, *map(int, settings.hidden.split("-")), len(answer_table(pegs)))
    module = module_of(fresh(sizes, settings.seed))
    both = torch.from_numpy(np.stack([turns["guess"], turns["secret"]], axis=1).astype(np.int64))
    answer = torch.from_numpy(turns["answer"])
    shades = torch.arange(colors)

    def loss(chosen: Any) -> Any:
        pair = both[chosen]
        if settings.symmetries:
            places = torch.rand(len(chosen), 1, pegs).argsort(2).expand(-1, 2, -1)
            names = torch.cat([torch.rand(len(chosen), colors).argsort(1), torch.full((len(chosen), 1), -1)], 1)
            pair = names.gather(1, pair.gather(2, places).flatten(1) % (colors + 1)).view_as(pair)
        seen = (pair[..., None] == shades).float().flatten(1)
        return torch.nn.functional.cross_entropy(module(seen), answer[chosen])

    per_epoch = -(-settings.steps // EPOCHS)
    rows = np.resize(np.arange(len(answer)), per_epoch * BATCH)
    how = training.FittingSettings(
        epochs=EPOCHS, batch=BATCH, rate=3e-3, schedule="falling", decay=1e-5, seed=settings.seed
    )
    about = training.digest_of(*turns.values())
    return training.fit(module, loss, rows, how, file=file, about=about, progress=work.progress).best


def wrong_answers(table: Array, colors: int, pegs: int) -> int:
    """How many pairs of codes a table has another answer for than the rules: for people, never for the learner."""
    from turnsmith.games.mastermind.codes import feedback

    def answer_all(boards: Any, out: Any) -> None:
        for guess in range(out.shape[0]):
            for secret in range(out.shape[1]):
                out[guess, secret] = feedback(boards[0], guess, secret)

    true = np.zeros_like(table)
    compiled(answer_all)(load(f"mastermind:colors={colors},pegs={pegs}").board(), true)
    return int((true != table).sum())


# ---------------------------------------------------------------- time


def points_of(seen: Array) -> Points:
    """Points (codes left, guesses a code) from guesses and codes summed up by how many were left; never falling."""
    codes = np.arange(seen.shape[1])
    edges = np.unique(np.exp(np.linspace(np.log(2), np.log(max(len(codes), 3)), BINS)).round().astype(np.int64))
    points: Points = [(1, 1.0)]
    for low, high in itertools.pairwise(edges):
        guesses, count = seen[:, low:high].sum(axis=1)
        if count > 0:
            middle = round(float((codes[low:high] * seen[1, low:high]).sum() / count))
            points.append((middle, max(float(guesses / count), points[-1][1])))
    return points


def play_inside(table: Array, answers: int, costs: Array, openings: Array) -> tuple[float, Array]:
    """(mean guesses after the openings, what they took by codes left) of games inside a table."""
    codes = len(table)
    left, sizes = np.zeros((TRIES + 2, codes), np.int64), np.zeros((TRIES + 1, ANSWERS), np.int64)
    took, seen = np.zeros(TRIES + 1, np.int64), np.zeros((2, codes + 1), np.float64)
    games = TableGames(codes, answers, table.reshape(-1), costs, left, sizes, flag(), took, seen)
    total = compiled(imagine_all)(games, openings)
    return float(total / (len(openings) * codes)), seen


# ---------------------------------------------------------------- the run


def train(settings: LearnedSettings, work: TrainingContext) -> TrainingResult:
    """Learn the answers, then how long games take, a round at a time; steps that are done are left as they are."""
    extra("torch")
    colors, pegs = settings.colors, settings.pegs
    game = load(f"mastermind:colors={colors},pegs={pegs}")
    about = {name: value for name, value in vars(settings).items() if name != "to"}
    run = Run(work.folder, about, free=("rounds",), code=digest(game.digest, think, imagine))
    turns = run.arrays("turns.npz", partial(turns_of_play, colors, pegs, settings.games, settings.seed))
    layers = layers_of(fit_answers(settings, turns, run.path("answers.npz"), work))
    bare = Model(layers, colors, pegs, {})
    tables = {number: bare.table(colors, number) for number in range(1, pegs + 1)}
    wrong = {number: wrong_answers(table, colors, number) for number, table in tables.items()}
    pairs = f"of {tables[pegs].size:,} pairs of codes it answers {wrong[pegs]:,} wrong"
    work.tell(f"{len(turns['answer']):,} turns of play; {pairs}")
    results: list[dict[str, float]] = []
    for number in range(settings.rounds + 1):
        before = run.path(f"model-{number - 1}.onnx")
        net = run.file(f"model-{number}.onnx", partial(write_model, bare, tables, settings, number, before))
        results.append(run.json(f"result-{number}.json", partial(measure, net, game, settings.seed)))
        run.note(number, **results[-1])
        texts = (f"{name} {value:.4f}" for name, value in results[-1].items())
        work.tell(f"round {number}: {', '.join(texts)}")
    run.finish("What `learned` plays Mastermind by", work.command, {"wrong answers": wrong[pegs], **results[-1]})
    if settings.to is not None:
        write_whole(settings.to, lambda target: target.write(net.read_bytes()))
    return TrainingResult({"wrong": wrong, "rounds": results, "model": str(net)}, f"the model is {net}")


def write_model(
    bare: Model, tables: dict[int, Array], settings: LearnedSettings, number: int, before: Path, path: Path
) -> None:
    """The model of a round: how long games took that were planned by the one before; at first, 1 to all codes."""
    if number:
        by_pegs = play_round(tables, read_model(before), settings, number)
    else:
        by_pegs = {pegs: [(codes, float(codes)) for codes in (1, len(table))] for pegs, table in tables.items()}
    points = {str(pegs): [[codes, round(guesses, 6)] for codes, guesses in row] for pegs, row in by_pegs.items()}
    about = {"game": "mastermind", "colors": bare.colors, "pegs": bare.pegs, "points": points}
    Net(bare.layers, "Softmax", about).write(path, "answers of Mastermind, and how long games take")


def play_round(tables: dict[int, Array], model: Model, settings: LearnedSettings, number: int) -> dict[int, Points]:
    """What a round of games inside the model says about how long games take, for each number of pegs."""
    by_pegs = {}
    for pegs, table in tables.items():
        drawn = random_openings(len(table), settings.openings, settings.seed, number, pegs)
        costs = model.costs(len(table), pegs)
        _, seen = play_inside(table, len(answer_table(pegs)), costs, np.append(drawn, FREE))
        by_pegs[pegs] = points_of(seen)
    return by_pegs


def random_openings(codes: int, many: int, *seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, codes, many)


def measure(net: Path, game: Any, seed: int) -> dict[str, float]:
    """In real games: the exact result, and that after random openings."""
    player = MastermindLearned(str(net))
    exact = player.exact(game, game.board())
    assert exact is not None
    forced = evaluate(game, player, None, seed, min(OPENINGS, exact.games)).evaluation
    return {"mean": float(exact.mean), "most": float(exact.max), "after a random opening": float(forced.mean)}
