"""Pages and streams are told of changes: at once, without asking, and nobody is told after having gone."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from browsing import call, server
from selenium.webdriver.common.by import By

from turnsmith.web.api import events
from turnsmith.web.host import Host
from turnsmith.web.match.changes import Listeners, listening

TOGETHER = {"game": "connect_four", "seats": ["person", "person"], "seed": 1}


def do(address, path, body):
    status, answer = call(address, path, body)
    assert status in (200, 201), answer
    return answer


def test_no_change_is_lost_and_none_costs_more_than_a_look():
    """Changes of several threads at once are all seen in the end, in few looks, and without a change there is none."""

    async def follow():
        source, counted, looks = Listeners(), [0], []

        def count():
            for _ in range(2000):
                counted[0] += 1
                source.tell()

        with listening(source) as listener:
            assert await listener.changed(1.0), "what changed before it listened is looked at"
            threads = [threading.Thread(target=count) for _ in range(4)]
            for thread in threads:
                thread.start()
            while await listener.changed(0.4):
                looks.append(counted[0])
            begun = time.monotonic()
            assert not await listener.changed(0.3)
            assert time.monotonic() - begun >= 0.3
            assert len(source) == 1
        assert len(source) == 0
        return counted[0], looks

    counted, looks = asyncio.run(follow())
    assert looks[-1] == counted
    assert len(looks) < 100


def test_a_change_during_a_look_asks_for_another_look():
    """Whatever the moment at which it comes."""

    async def follow():
        source = Listeners()
        with listening(source) as listener:
            for _ in range(20):
                await listener.changed(1.0)
                await asyncio.to_thread(source.tell)
            return await listener.changed(1.0)

    assert asyncio.run(follow())


def test_a_listener_whose_loop_has_ended_harms_nobody():
    """A thread may tell of a change when the server has ended already."""
    source = Listeners()

    async def come():
        listening(source).__enter__()

    asyncio.run(come())
    source.tell()


def test_a_stream_tells_a_move_at_once_and_leaves_no_listener(tmp_path):
    """Also that a move was taken back while a player thought about it; what has ended is forgotten."""

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 20.0)
        try:
            seats = ["person", "mcts:time=15"]
            match = await host.create("me", "connect_four", seats, seed=1)
            keys = [match.seats[0].key]
            told = events.of_match(host, "you", match, keys, "")
            assert '"moves": 0' in await anext(told)
            await host.move("me", match, keys, "a")
            begun = time.monotonic()
            assert '"words": "a"' in await anext(told)
            assert time.monotonic() - begun < 0.5
            assert '"mover": 1' in await anext(told)
            while match.thinking is None:
                await asyncio.sleep(0.01)
            await host.undo("me", match, keys)
            assert await anext(told) == 'event: undo\ndata: {"moves": 0}\n\n'
            assert '"mover": 0' in await anext(told)
            host.end_streams()
            assert [text async for text in told] == []
            assert len(host.closing) == 0
            while len(match.changes):  # what drove the match may still be leaving
                await asyncio.sleep(0.01)
        finally:
            host.close()

    asyncio.run(asyncio.wait_for(play(), 120))


# ---------------------------------------------------------------- pages


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    """A server that counts how often a table looks and reads its match."""
    folder = tmp_path_factory.mktemp("counting")
    with server(folder, "--think", "5", program=(str(Path(__file__).with_name("counting.py")),)) as found:
        yield found
    assert "Traceback" not in (folder / "server.log").read_text()


def test_a_page_does_nothing_until_something_changes(counting, browser):
    """Then it shows it within a few tens of milliseconds; closed, it leaves no listener."""
    match = do(counting, "/api/matches", TOGETHER)
    place = f"/api/matches/{match['match']}"
    browser.open(f"{counting}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    time.sleep(1.0)
    before = call(counting, f"/counts/{match['match']}")[1]
    assert before["listeners"] == 2, "the board, and the seats with their clocks"
    time.sleep(1.5)
    after = call(counting, f"/counts/{match['match']}")[1]
    assert (after["looks"], after["views"]) == (before["looks"], before["views"])

    browser.driver.execute_script(
        """window.shown = 0;
        new MutationObserver(() => {
          if (!window.shown && document.body.innerText.includes("Waiting for")) window.shown = Date.now();
        }).observe(document.body, {subtree: true, childList: true, characterData: true});"""
    )
    do(counting, place + "/moves", {"key": match["keys"][:1], "move": "a"})
    moved = time.time() * 1000
    shown = browser.until(lambda: browser.driver.execute_script("return window.shown"))
    assert shown - moved < 300, "ten times what it takes on an idle machine"
    assert call(counting, f"/counts/{match['match']}")[1]["views"] - after["views"] <= 2

    browser.open(f"{counting}/friends")
    browser.until(lambda: call(counting, f"/counts/{match['match']}")[1]["listeners"] == 0)


def test_twenty_pages_of_one_match(counting, browser):
    """Each shows a move, and a move that is taken back while a player thinks; none of them is left behind."""
    seats = ["person", "mcts:time=5"]
    match = do(counting, "/api/matches", {"game": "connect_four", "seats": seats, "seed": 1})
    place, keys = f"/api/matches/{match['match']}", match["keys"][:1]
    driver, first = browser.driver, browser.driver.current_window_handle
    tabs = []
    for _ in range(20):
        driver.switch_to.new_window("tab")
        driver.get(f"{counting}/match/{match['match']}")
        tabs.append(driver.current_window_handle)
    browser.until(lambda: call(counting, f"/counts/{match['match']}")[1]["listeners"] >= 40)

    def moves_on_all(count):
        for tab in tabs:
            driver.switch_to.window(tab)
            browser.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".log .log-line")) == count)

    do(counting, place + "/moves", {"key": keys, "move": "d"})
    do(counting, place + "/undo", {"key": keys})
    moves_on_all(0)
    do(counting, place + "/moves", {"key": keys, "move": "d"})
    do(counting, place + "/undo", {"key": keys})
    do(counting, place + "/moves", {"key": keys, "move": "d"})
    moves_on_all(2)
    for tab in tabs:
        driver.switch_to.window(tab)
        driver.close()
    driver.switch_to.window(first)
    browser.until(lambda: call(counting, f"/counts/{match['match']}")[1]["listeners"] == 0)
