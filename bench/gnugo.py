"""A player of Go against GNU Go, which speaks the Go Text Protocol (Debian: ``apt-get install gnugo``).

    python bench/gnugo.py mcts:simulations=30000,rave=1000 --level 10 --games 20

Colours alternate. Both know the same rules: area scoring, komi, positional superko, and what is dead is captured before
both pass. The games are scored by our rules. Whoever makes a move that the other's rules refuse ends the run. Intervals
are of 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import queue
import subprocess
import threading
import time
from collections.abc import Iterator

import turnsmith as ts
from turnsmith.arena.statistics import wilson
from turnsmith.contract.game import OVER, Game
from turnsmith.play.player import Player
from turnsmith.play.seat import Seat

COLUMNS = "ABCDEFGHJKLMN"
PATIENCE = 60.0
"""Seconds to wait for an answer."""


class Engine:
    """A program that speaks the Go Text Protocol."""

    def __init__(self, *command: str):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def ask(self, command: str) -> str:
        """The answer to a command; ends the run where it is refused or takes too long."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = "\n".join(self._answer(command)).strip()
        if not answer.startswith("="):
            raise SystemExit(f"{command!r} was answered by {answer!r}")
        return answer[1:].strip()

    def _answer(self, command: str) -> Iterator[str]:
        """The lines of an answer, which ends with an empty one."""
        begun = False
        while True:
            try:
                line = self.lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise SystemExit(f"{command!r} had no answer in {PATIENCE:.0f} s") from None
            if not line and begun:
                return
            begun = begun or bool(line)
            yield line

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def vertex(action: int, side: int) -> str:
    """A move as the protocol writes it."""
    return "pass" if action == side * side else f"{COLUMNS[action % side]}{action // side + 1}"


def number(text: str, side: int) -> int:
    """The move that the protocol means."""
    return side * side if text.lower() == "pass" else (int(text[1:]) - 1) * side + COLUMNS.index(text[0].upper())


def play(game: Game, player: Player, level: int, seed: int, our_seat: int) -> tuple[float, str, float]:
    """One game: our return, why it ended, and the CPU seconds of our decisions."""
    position, spent, decisions = game.start(seed), 0.0, 0
    side, seat = int(position.board.side), Seat(player, game, position.boards)
    rules = ("--chinese-rules", "--capture-all-dead", "--positional-superko", "--never-resign")
    engine = Engine("gnugo", "--mode", "gtp", "--level", str(level), "--seed", str(seed + 1), *rules)
    try:
        engine.ask(f"boardsize {side}")
        engine.ask("clear_board")
        engine.ask(f"komi {float(position.board.komi)}")
        while position.mover != OVER:
            colour = ("black", "white")[position.mover]
            if position.mover == our_seat:
                begun = time.process_time()
                action = seat.choose(position)
                spent, decisions = spent + time.process_time() - begun, decisions + 1
                engine.ask(f"play {colour} {vertex(action, side)}")
            else:
                action = number(engine.ask(f"genmove {colour}"), side)
                if action not in position.actions:
                    raise SystemExit(
                        f"GNU Go plays {vertex(action, side)}, which is not legal here:\n{position.text()}"
                    )
            position.push(action)
    finally:
        engine.close()
    assert position.outcome is not None
    return position.outcome.returns[our_seat], str(position.outcome), spent / max(1, decisions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player")
    parser.add_argument("--game", default="go")
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    game = ts.load(given.game)
    player, won = ts.player(given.player, game), 0.0
    for index in range(given.games):
        seat = index % 2
        result, outcome, seconds = play(game, player, given.level, given.seed + index, seat)
        won += 0.5 + 0.5 * result
        print(
            f"{index + 1}: {('black', 'white')[seat]}, {result:+.0f}, {outcome}, {seconds:.2f} s a decision", flush=True
        )
    low, high = wilson(won / given.games, given.games)
    print(f"{player} against GNU Go at level {given.level}: {won:g} of {given.games} ({low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
