"""What designers look at: the verdict of an arena, its seats against an equal share, a game's balance in one click."""

import csv
import io
import urllib.error
import urllib.request

import pytest
from browsing import call
from selenium.webdriver.common.by import By

from turnsmith.arena.verdict import verdict
from turnsmith.web.pages.results import seat_bars


def rows(*spans):
    return [{"seat": n, "role": None, "rate": r, "low": a, "high": b} for n, (r, a, b) in enumerate(spans)]


@pytest.mark.parametrize(
    ("seats", "roles", "said"),
    [
        (rows((0.5, 0.4, 0.6), (0.5, 0.4, 0.6)), [], "No seat is shown to be favoured in 100 games"),
        (rows((0.7, 0.6, 0.8), (0.3, 0.2, 0.4)), [], "Not fair: seat 1 gets 70.0 % of the points (60.0 to 80.0)"),
        (rows((0.43, 0.34, 0.52), (0.28, 0.2, 0.36), (0.29, 0.2, 0.38)), [], "No seat is shown"),  # one of three may
        (rows((0.5, 0.41, 0.59), (0.25, 0.2, 0.36), (0.25, 0.2, 0.36)), [], "Not fair: seat 1"),
        (rows((0.1, 0.0, 0.2)), [], "One seat"),
        (rows((None, None, None), (None, None, None)), ["pacmans", "ghosts"], "Seats have roles (pacmans, ghosts)"),
    ],
)
def test_the_verdict_is_as_sure_as_the_games_allow(seats, roles, said):
    """A seat is called favoured only where an interval that holds for all seats together leaves its share out."""
    assert verdict(seats, 100, roles).startswith(said)


def test_the_arena_names_its_game_and_says_what_it_found(browser, address):
    """The page has the game's name, the verdict, and bars against the line of an equal share; so has the CSV."""
    asked = {"game": "pig:target=10", "players": ["random"], "games": 200, "seed": 1}
    run = call(address, "/api/runs", asked)[1]["run"]
    browser.until(lambda: not call(address, f"/api/runs/{run}/progress")[1]["running"])
    table = call(address, f"/api/runs/{run}")[1]
    browser.open(f"{address}/arena/{run}")
    browser.see("Arena of Pig")
    said = verdict(table["seats"], 200, [])
    browser.see(said)
    lines = [series["markLine"]["data"] for series in seat_bars(table)["series"]]
    assert lines[1] == [{"xAxis": 50.0}]
    assert len(lines[0]) == 2  # an interval a seat
    with urllib.request.urlopen(f"{address}/api/runs/{run}/csv") as answer:
        found = list(csv.DictReader(io.StringIO(answer.read().decode())))
    assert [row["verdict"] for row in found] == [table["verdict"]]
    assert found[0]["game"] == "pig:target=10"


def test_one_click_from_a_game_to_its_balance(browser, address):
    """The scales beside a game lead to its report, made at once and shown on the page, which loads nothing else."""
    browser.open(address)
    scales = browser.until(
        lambda: browser.driver.find_elements(By.CSS_SELECTOR, '[aria-label="balance of Kuhn poker"]')
    )
    browser.driver.execute_script("arguments[0].click()", scales[0])
    browser.see("100 of 100 games of softmax:temperature=6")
    frame = browser.until(lambda: browser.driver.find_element(By.CSS_SELECTOR, "iframe.report").get_attribute("src"))
    with urllib.request.urlopen(frame) as answer:
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "Balance of kuhn" in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/report/nothing")
    assert refused.value.code == 404
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/balance/chess")
    assert refused.value.code == 400
