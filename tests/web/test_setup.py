"""Before a game, in a real browser: opponents with stars, the lesson, the map one gets, what is remembered."""

import re
from urllib.parse import quote

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.common.settings import settings
from turnsmith.contract.registry import built_in
from turnsmith.web.match.ladder import MOST_STARS, ladder
from turnsmith.web.match.matches import Matches


def picked(browser):
    found = browser.driver.find_elements(By.CSS_SELECTOR, ".opponent.picked b")
    return found[0].text if found else ""


def shapes(browser):
    """The outlines of the map that is shown."""
    paths = browser.driver.find_elements(By.CSS_SELECTOR, ".board-picture path")
    return [path.get_attribute("d") for path in paths]


def test_a_first_visit(browser, address):
    """The lesson comes by itself once; an opponent is chosen by stars; the map shown is the map played on; and the
    next time all of it is as it was."""
    browser.open(address + "/watch")
    browser.driver.delete_all_cookies()
    browser.open(address + "/new/dicewars")
    browser.see("How to play Dice Wars")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".lesson-line svg")) == 5
    browser.press("Let's play")
    browser.until(lambda: not browser.driver.find_elements(By.CSS_SELECTOR, ".q-dialog__backdrop"))
    browser.until(lambda: picked(browser) == "Wren")
    stars = [found.text for found in browser.driver.find_elements(By.CSS_SELECTOR, ".stars")]
    assert [text.count("★") for text in stars] == [1, 2, 3, 4, 5, 5]
    first = browser.until(lambda: shapes(browser))
    browser.press("Another map")
    browser.until(lambda: shapes(browser) != first)
    players = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="Players"]')
    players.send_keys(Keys.CONTROL, "a")
    players.send_keys("3", Keys.TAB)
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, ".board-picture [data-tip]")) == 3)
    name = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="your name"]')
    name.send_keys("Ada")
    browser.press("Otto")
    browser.until(lambda: picked(browser) == "Otto")
    browser.press("I am second")
    drawn = shapes(browser)
    browser.press("Start")
    browser.see("Ada (you)")
    browser.see("Otto 2")
    browser.see("Your turn")
    assert [d for d in shapes(browser) if d in drawn] == drawn, "another map was played on than was shown"
    faces = browser.driver.find_elements(By.CSS_SELECTOR, ".who")
    assert [bool(re.search("Ada", face.text)) for face in faces] == [False, True, False]
    browser.open(address + "/new/dicewars")
    browser.until(lambda: picked(browser) == "Otto")
    assert "How to play Dice Wars" not in browser.text()
    assert browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="your name"]').get_attribute("value") == "Ada"
    assert browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="Players"]').get_attribute("value") == "3"
    browser.driver.add_cookie({"name": "taught", "value": "yes", "path": "/"})


def test_every_seat_by_itself(browser, address):
    """Advanced has a choice for every seat, options with labels for people, and all the rest; what a browser remembers
    wrongly does no harm."""
    wrong = quote('{"side": -5, "who": "<b>", "options": {"width": "3", "connect": "4"}}')
    browser.open(address + "/watch")
    browser.driver.add_cookie({"name": "last", "value": wrong, "path": "/new/connect_four"})
    browser.open(address + "/new/connect_four")
    browser.until(lambda: picked(browser))
    browser.driver.find_element(By.XPATH, "//*[text()='Advanced']").click()
    browser.see("Stones in a line that win")
    browser.until(lambda: "choose for every seat" in browser.text())
    switch = next(s for s in browser.driver.find_elements(By.CSS_SELECTOR, ".q-toggle") if "every seat" in s.text)
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", switch)
    switch.click()
    browser.see("Player 2")


def test_the_ladder_of_every_game():
    """Four to six opponents (Kuhn poker: three), from one star to five, each with a name and a sentence of its own."""
    for name in built_in():
        game = ts.load(name)
        rungs = ladder(game, game.board(0))
        assert 3 + (name != "kuhn") <= len(rungs) <= 6, name
        assert [rung.stars for rung in rungs] == sorted(rung.stars for rung in rungs)
        assert (rungs[0].stars, rungs[-1].stars) == (1, MOST_STARS)
        assert len({rung.name for rung in rungs}) == len(rungs)
        assert all(rung.sentence.endswith(".") for rung in rungs)


def test_options_have_labels_for_people():
    """A label is short and no identifier."""
    for name in built_in():
        options = ts.load(name).options
        for setting in settings(type(options)) if options is not None else ():
            assert 3 <= len(setting.label) <= 60, f"{name}: {setting.label}"
            assert "_" not in setting.label


def test_the_board_may_be_known_and_chance_not(tmp_path):
    """A match on the board of one seed, with chance of another that nobody chose."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    first, second = (matches.create("dicewars", ["rand"] * 4, board_seed=7) for _ in range(2))
    assert first.source == second.source == ts.load("dicewars").describe(7)
    assert first.seed != second.seed
    assert matches.create("dicewars", ["rand"] * 4, 8).source == ts.load("dicewars").describe(8)
