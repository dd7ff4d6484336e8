"""Searches take turns: nobody fills the queue for all, nobody holds every thread."""

import asyncio
import threading
import time
import weakref

import pytest

import turnsmith as ts
from turnsmith.play.seat import Seat
from turnsmith.web.host import Host
from turnsmith.web.match.asking import Memories
from turnsmith.web.server.workers import Workers


def in_loop(play):
    """Run a coroutine function with workers of two threads and a queue of eight."""

    async def run():
        workers = Workers(2, 8, "test")
        try:
            return await play(workers)
        finally:
            workers.close()

    return asyncio.run(run())


def test_results_and_errors_come_back():
    """What the work returns or raises is what the asker gets."""

    async def play(workers):
        assert await workers.run("a", lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await workers.run("a", lambda: 1 // 0)

    in_loop(play)


def test_a_greedy_client_does_not_hold_up_others():
    """While one client's work blocks as many threads as it can get, another is answered at once."""
    gate = threading.Event()

    async def play(workers):
        greedy = [asyncio.create_task(workers.run("greedy", gate.wait)) for _ in range(4)]
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(workers.run("modest", lambda: "served"), 10)
        still = sum(not task.done() for task in greedy)
        gate.set()
        await asyncio.gather(*greedy)
        return answer, still

    assert in_loop(play) == ("served", 4)


def test_the_queue_is_bounded_for_one_and_for_all():
    """One client may fill half of the queue, all together the whole; more is refused at once, nothing is lost."""
    gate = threading.Event()

    async def play(workers):
        accepted, refusals = [], []
        for client in ("a", "b", "c"):
            for _ in range(8):
                task = asyncio.create_task(workers.run(client, gate.wait))
                await asyncio.sleep(0)
                if task.done():
                    refusals.append((client, str(task.exception())))
                else:
                    accepted.append(task)
        gate.set()
        results = await asyncio.gather(*accepted)
        return len(results), refusals

    accepted, refusals = in_loop(play)
    assert accepted == 10  # two at work, eight waiting
    assert any(client == "a" and "you have asked" in text for client, text in refusals)
    assert any("the server is busy" in text for _, text in refusals)


def test_clients_take_turns():
    """Work of a client with a long queue does not come before that of one with a short queue."""
    order = []

    async def play(workers):
        workers.threads = 1
        first = threading.Event()
        jobs = [asyncio.create_task(workers.run("long", first.wait))]
        await asyncio.sleep(0)
        jobs += [asyncio.create_task(workers.run("long", lambda: order.append("long"))) for _ in range(3)]
        await asyncio.sleep(0)
        jobs.append(asyncio.create_task(workers.run("short", lambda: order.append("short"))))
        await asyncio.sleep(0)
        first.set()
        await asyncio.gather(*jobs)

    in_loop(play)
    assert order.index("short") <= 1


def test_leaving_frees_the_place():
    """Work that is no longer wanted is not done."""
    done = []

    async def play(workers):
        gate = threading.Event()
        blocked = [asyncio.create_task(workers.run(name, gate.wait)) for name in ("a", "b")]
        await asyncio.sleep(0)
        left = asyncio.create_task(workers.run("c", lambda: done.append(time.time())))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*blocked)
        await workers.run("d", lambda: None)

    in_loop(play)
    assert done == []


def test_searches_of_clients_that_left_are_stopped(tmp_path):
    """Endless searches hold every thread; when those who asked have left, the threads are free and others served."""
    endless = {"game": "connect_four", "actions": [], "who": "negamax:depth=42"}

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 3600.0)
        try:
            await host.best("me", "connect_four", [], "negamax:depth=2")  # compiles
            asking = [asyncio.create_task(host.best(f"client {n}", **endless)) for n in range(host.searches.threads)]
            while host.searches._running.total() < host.searches.threads:
                await asyncio.sleep(0.01)
            later = asyncio.create_task(host.best("another", "connect_four", [], "random"))
            await asyncio.sleep(0.2)
            assert not later.done()
            for each in asking:
                each.cancel()
            return await asyncio.wait_for(later, 60)
        finally:
            host.close()

    assert asyncio.run(play()).words in "abcdefg"


def test_memories_of_players_are_bounded():
    """The players asked last keep their tables and memory, up to a number of bytes; the others let go of theirs, but
    for those that think, and who finds little room left makes do with a smaller tree."""
    game, memories = ts.load("connect_four"), Memories()
    position = game.start()
    seats = [Seat(ts.player("mcts:simulations=1000"), game, game.board()) for _ in range(4)]
    seats[0].prepare()
    whole = seats[0].size
    held = weakref.ref(seats[0]._memory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("turnsmith.web.match.asking.MOST_BYTES", 3 * (whole + seats[0].boards.nbytes))
        patch.setattr("turnsmith.web.match.asking.SHARES", 3)
        for seat in seats:
            with memories.lent(seat):
                seat.ask(position)
        assert [seat.size > 0 for seat in seats] == [False, True, True, True]
        assert held() is None, "nothing of a player that was let go holds its memory"
        memories.drop(seats[1])
        assert seats[1].size == 0
        with memories.lent(seats[2]), memories.lent(seats[3]), memories.lent(seats[1]), memories.lent(seats[0]):
            assert seats[0].ask(position).words in "abcdefg"
            assert all(seat.size == whole for seat in seats[2:]), "who thinks is not let go"
        assert 0 < seats[0].size < whole


def test_quick_players_need_no_search_thread(tmp_path):
    """Once known to be quick, players answer a person's move at once, however many searches are waiting."""

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 2.0)
        try:
            seats = ["person", "random", "random"]
            first = await host.create("me", "dicewars:players=3", seats, seed=1)
            key = [first.seats[0].key]
            await host.move("me", first, key, "end")
            await host.settled(first, 30)
            host.searches.close()
            second = await host.create("me", "dicewars:players=3", seats, seed=1)
            await host.move("me", second, [second.seats[0].key], "end")
            return first, second, host.matches.store.take(second.name)
        finally:
            host.close()

    first, second, kept = asyncio.run(play())
    assert first.mover == second.mover == 0
    assert len(second.position.history) > 3
    assert kept.position.history == second.position.history
