"""Everything people can do to live matches, in any order, while slow compiled players think.

``NUMBA_BOUNDSCHECK=1 python bench/live_machine.py [--steps 300] [--examples 10] [--minutes 60] [--seed 0]``: a state
machine of hypothesis mixes moves, moves taken back, hand-overs, resignations, rematches, hints, strangers, people who
come by an invitation, and matches that are dropped from memory. After every step no player has forfeited and nobody
thinks about a position that is gone; at the end the store says what memory says. Prints how much was tried.
"""

import argparse
import asyncio
import json
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from turnsmith.common.errors import BadInput
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import PERSON
from turnsmith.web.match.matches import Matches

GAME = "connect_four"
SLOW = ["mcts:time=0.3", "mcts:time=2", "zero:simulations=200000", "negamax:depth=9", "mcts:simulations=20"]
MOST_MATCHES = 6
NUMBERS = st.integers(0, 2**16)
tried = Counter()


class LiveMatches(RuleBasedStateMachine):
    """A host with some matches, and people who know the keys of all seats."""

    @initialize()
    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.host = self.run(self.make_host())
        self.matches, self.all, self.resigned = [], [], set()

    async def make_host(self):
        return Host(f"sqlite:///{Path(self.folder.name) / 'store.db'}", 2.0)

    def run(self, work):
        """The result of what the event loop does; what is refused counts as refused."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)
        except BadInput:
            tried["refused"] += 1
            return None

    def chosen(self, number):
        return self.matches[number % len(self.matches)]

    def keys(self, match):
        return [seat.key for seat in match.seats if seat.key]

    def hold(self, match):
        if match is not None:
            self.all.append(match)
            self.matches = [*self.matches, match][-MOST_MATCHES:]

    @rule(who=st.sampled_from(SLOW), first=st.booleans(), draw=NUMBERS)
    def begin(self, who, first, draw):
        tried["matches"] += 1
        self.hold(self.run(self.host.create("me", GAME, [PERSON, who] if first else [who, PERSON], seed=draw)))

    @rule(draw=NUMBERS)
    def invite(self, draw):
        tried["invitations"] += 1
        asked = {"seed": draw, "invited": (1,), "hints": True}
        self.hold(self.run(self.host.create("me", GAME, [PERSON, PERSON], **asked)))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS)
    def join(self, number):
        match = self.chosen(number)
        tried["joined"] += 1
        self.run(self.host.change("friend", match, lambda: match.take_seat(match.seats[1].invitation or "none", "me")))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS, draw=NUMBERS, count=st.integers(1, 3))
    def move(self, number, draw, count):
        match = self.chosen(number)
        for _ in range(count):
            tried["moves"] += 1
            self.run(self.host.move("me", match, self.keys(match), "abcdefg"[draw % 7]))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS, times=st.integers(1, 4))
    def undo(self, number, times):
        match = self.chosen(number)
        for _ in range(times):
            tried["undos"] += 1
            tried["undos during a thought"] += match.thinking is not None
            self.run(self.host.undo("me", match, self.keys(match)))

    @rule(who=st.sampled_from(SLOW[:4]), draw=NUMBERS)
    def change_mind(self, who, draw):
        """A move is taken back while the player thinks about it."""
        match = self.run(self.host.create("me", GAME, [PERSON, who], seed=draw))
        self.hold(match)
        self.run(self.host.move("me", match, self.keys(match), "abcdefg"[draw % 7]))
        until = time.monotonic() + 30.0
        while match.thinking is None and match.waits_for_player and time.monotonic() < until:
            time.sleep(0.001)
        tried["undos during a thought"] += match.thinking is not None
        self.run(self.host.undo("me", match, self.keys(match)))
        assert not match.position.history

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS, who=st.sampled_from(["", *SLOW]))
    def hand_over(self, number, who):
        match = self.chosen(number)
        tried["hand-overs"] += 1
        self.run(self.host.hand_over("me", match, self.keys(match)[:1], who))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS)
    def resign(self, number):
        match = self.chosen(number)
        tried["resignations"] += 1
        self.resigned.add(match.name)
        self.run(self.host.resign("me", match, self.keys(match)))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS)
    def rematch(self, number):
        match = self.chosen(number)
        tried["rematches"] += 1
        self.hold(self.run(self.host.do("me", lambda: self.host.matches.again(match))))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS, who=st.sampled_from(SLOW))
    def hint(self, number, who):
        match = self.chosen(number)
        tried["hints"] += 1
        self.run(self.host.hint("me", match, self.keys(match), who))

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS, key=st.sampled_from([[], ["forged"]]))
    def meddle(self, number, key):
        """A stranger can do nothing, and no thought is lost by it."""
        match = self.chosen(number)
        tried["strangers"] += 1
        with match.lock:
            before = match.turn
            for work in (
                lambda: match.hand_over(key, None),
                lambda: match.undo(key),
                lambda: match.resign(key),
                lambda: match.take_seat("forged"),
            ):
                try:
                    with self.host.matches.changing(match):
                        work()
                except BadInput:
                    continue
                raise AssertionError("a stranger was let in")
            assert match.turn == before

    @precondition(lambda self: self.matches)
    @rule(number=NUMBERS)
    def leave_and_return(self, number):
        """Memory lets go of the match, and somebody asks for it again."""
        name = self.chosen(number).name
        tried["returns"] += 1
        with self.host.matches._lock:
            self.host.matches._held.pop(name, None)
        again = self.run(self.host.get("me", name))
        assert again is not None

    @rule(seconds=st.sampled_from([0.0, 0.01, 0.05, 0.2, 0.6]))
    def wait(self, seconds):
        time.sleep(seconds)

    @invariant()
    def nobody_forfeits(self):
        tried["steps"] += 1
        for match in getattr(self, "matches", ()):
            assert not match.reason.startswith("gave up"), match.reason
            assert match.culprit < 0 or match.name in self.resigned

    @invariant()
    def nobody_thinks_about_what_is_gone(self):
        for match in getattr(self, "matches", ()):
            with match.lock:
                assert match.thinking is None or (match.thinking[0] == match.mover and match.waits_for_player)

    def teardown(self):
        if not hasattr(self, "host"):
            return
        for match in self.all:
            for seat in match.seats:
                seat.who = PERSON  # so that nobody goes on
            match.stand_ins.clear()
            self.run(self.host.settled(match, 30))
            self.run(self.host.do("me", lambda match=match: self.host.matches.keep(match)))
            kept = Matches(self.host.store).store.take(match.name)
            assert kept.position.history == match.position.history
            assert kept.culprit == match.culprit
        self.loop.call_soon_threadsafe(self.host.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(60)
        self.loop.close()
        self.folder.cleanup()


def attack(examples, steps, start):
    """Try so many courses of so many steps."""
    many = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(start)(LiveMatches), settings=many)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=0.0, help="as many courses as there is time for")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    attack(given.examples, given.steps, given.seed)
    while time.monotonic() < until:
        given.seed += 1
        attack(given.examples, given.steps, given.seed)
        print(json.dumps({"minutes_left": round((until - time.monotonic()) / 60, 1), **tried}), flush=True)
    print(json.dumps(tried))
