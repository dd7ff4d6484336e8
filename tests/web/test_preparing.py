"""While something is compiled, the page says what and for how long, advises quickly, and lets people go on."""

from pathlib import Path

import pytest
from browsing import server

NIM = (Path(__file__).parents[2] / "examples" / "nim.py").read_text()
SLOW = (Path(__file__).parents[1] / "games_for_tests" / "slow_player.txt").read_text()


@pytest.fixture
def cold(tmp_path):
    """A server with a cold cache, and a player that is not prepared before there is a file `go`."""
    (tmp_path / "sticks.py").write_text(NIM + SLOW)
    with server(tmp_path, "./sticks.py", warm=True, TURNSMITH_CACHE=str(tmp_path / "cache")) as address:
        yield address
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_nobody_waits_in_silence(cold, browser, tmp_path):
    """Pictures at once, a match at once; a hint that waits says for how long, is given quickly meanwhile, can be
    cancelled, and comes when it is ready; and so does the opponent's move."""
    browser.open(f"{cold}/")
    browser.see("Preparing opponents in the background")
    drawn = "return [...document.querySelectorAll('.board')].filter((each) => each.querySelector('svg [fill]')).length"
    browser.until(lambda: browser.driver.execute_script(drawn) >= 18)  # all games, and the file
    assert "Getting ready" not in browser.text()

    browser.open(f"{cold}/new/sticks")
    browser.press("Start")
    browser.see("Your turn")
    browser.press("Hint")
    browser.see("slow is being prepared, once on this machine: about")
    browser.see("Until then, a quick look: ")
    browser.press("Cancel")
    browser.until(lambda: "Until then" not in browser.text())
    browser.click("a")
    browser.click("1")
    browser.see("is being prepared, once on this machine: about")

    (tmp_path / "go").touch()
    browser.see("Your turn")
    browser.press("Hint")
    browser.see("slow would play")
