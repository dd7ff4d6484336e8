"""Names, faces and the end, for people: in a real browser, and what names may be."""

import re

import pytest
from browsing import call
from selenium.webdriver.common.by import By

from turnsmith.arena.store import Store
from turnsmith.contract.outcome import Goal, Outcome
from turnsmith.web.match.matches import Matches
from turnsmith.web.match.people import LONGEST_NAME, TablePerson, clean, named, named_picture, people_of
from turnsmith.web.pages.ending import who_and_why

WICKED = '<img src=x onerror="window.hurt=1">'


def test_a_match_of_people_with_names(browser, address):
    """Everybody has a name, a colour of the board and a face; a name is nothing but a text."""
    asked = {"game": "connect_four", "seats": ["person", "random"], "names": ["Ada", WICKED], "seed": 3}
    _, match = call(address, "/api/matches", asked)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    browser.see("Ada (you)")
    shown = clean(WICKED)
    browser.see(shown)
    faces = browser.driver.find_elements(By.CSS_SELECTOR, ".who .face")
    assert [face.find_element(By.TAG_NAME, "rect").get_attribute("fill") for face in faces] == ["#d1495b", "#edae49"]
    browser.click("d")
    browser.until(lambda: "2." in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
    log = browser.driver.find_element(By.CSS_SELECTOR, ".log").text
    assert "Ada" in log
    assert shown in log
    assert browser.driver.execute_script("return window.hurt") is None


def test_the_end_in_words(browser, address):
    """You win, large, with the reason and confetti; no bare returns. Then a rematch from the other side."""
    asked = {"game": "tic_tac_toe", "seats": ["person", "person"], "names": ["Ada", "Bob"]}
    _, match = call(address, "/api/matches", asked)
    path = f"/api/matches/{match['match']}/moves"
    for number, move in enumerate(["a1", "b1", "a2", "b2", "a3"]):
        call(address, path, {"key": [match["keys"][number % 2]], "move": move})
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("You win")
    card = browser.driver.find_element(By.CSS_SELECTOR, ".end")
    assert re.search(r"You win\nThree in a row", card.text)
    assert browser.driver.find_elements(By.CSS_SELECTOR, ".confetti i")
    assert "return" not in browser.text().lower()
    browser.driver.execute_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true});"
        "document.execCommand = () => { window.copied = document.activeElement.value; return true; }"
    )
    browser.press("Share")
    browser.see("the link to the replay is copied")
    assert browser.driver.execute_script("return window.copied") == f"{address}/watch/{match['match']}"
    before = browser.driver.current_url
    browser.press("Rematch")
    browser.until(lambda: browser.driver.current_url != before)
    browser.see("Waiting for Bob")
    browser.see("Ada (you)")
    browser.open(f"{address}/match/{match['match']}/{match['keys'][1]}")
    browser.see("Ada wins")
    assert not browser.driver.find_elements(By.CSS_SELECTOR, ".confetti i")
    browser.press("Join the rematch")
    browser.see("Your turn")


@pytest.mark.parametrize("name", ["Ada", "  two\n words ", "x" * 5000, "\u202eevil", "žluťoučký kůň", WICKED, ""])
def test_names_are_short_and_of_one_line(name):
    """Whatever is given, a name is printable, of one line, and not long."""
    kept = clean(name)
    assert kept.isprintable()
    assert len(kept) <= LONGEST_NAME
    assert kept == kept.strip()


def test_pictures_and_texts_name_people():
    """ "seat 0" becomes who sits there, escaped and short in a picture; people without a name count from 1."""
    people = [TablePerson("A<b", "#112233", True), TablePerson("somebody with a long name", "#ffeedd", False)]
    assert named("seat 1 folded, Seat 0 and seat 7", people) == "somebody with a long name folded, A<b and Player 8"
    drawn = named_picture("<text>seat 0</text><text>seat 1</text>", people)
    assert drawn == "<text>A&lt;b</text><text>somebody wi…</text>"
    assert people[0].face == people[0].face != people[1].face


def test_players_of_one_level_are_told_apart(tmp_path):
    """Three opponents of one kind have three names; a player of no level is called by its text."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("dicewars", ["person", "rand", "rand", "sdc"])
    assert [person.name for person in people_of(match)] == ["Player 1", "Pip", "Pip 2", "sdc"]
    again = matches.get(match.name)
    assert [person.name for person in people_of(again)] == [person.name for person in people_of(match)]


def test_a_rematch_changes_sides(tmp_path):
    """Everybody sits a seat further, with their names; whoever asks second gets the same one."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("pig:players=3", ["person", "random", "person"], names=["Ada", "", "Bob"])
    fresh = matches.again(match)
    assert [seat.nickname for seat in fresh.seats] == ["Bob", "Ada", "Pip"]
    assert match.shift == 1
    assert matches.again(match) is fresh
    alone = matches.create("mastermind", ["person"], names=["Ada"])
    assert matches.again(alone).seats[0].nickname == "Ada"


def test_scores_are_told_where_nothing_else_is():
    """A game by score says its ending; only where that holds no number the score is told."""
    people = [TablePerson("Ada", "#112233", True)]
    assert who_and_why(Outcome((-4.0,), "broken in 4 guesses", Goal("cost")), people) == ("Broken in 4 guesses", "")
    assert who_and_why(Outcome((12.0,), "over", Goal("score")), people) == ("Over", "Score 12")
