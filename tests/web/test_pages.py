"""The pages in a real browser: whole games by clicks and keys, watching, arenas, two people, a phone, no secrets."""

import json
import re
import time
import urllib.request

import pytest
from browsing import SEED, call, chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.web.match.matches import Matches
from turnsmith.web.pages.replay import chart

HIDDEN_LABELS = """
const box = (node) => node.getBoundingClientRect();
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const badges = [...document.querySelectorAll(".board-marks .badge")].map(box);
const texts = [...document.querySelectorAll(".board-picture text")];
return texts.filter((text) => badges.some((badge) => meet(badge, box(text)))).map((text) => text.textContent);
"""
"""The labels of the picture that advice lies upon."""


def start(browser, address, game, query=""):
    """Open the page before a game and start it as it stands."""
    browser.open(f"{address}/new/{game}?seed={SEED}{query}")
    browser.press("Start")


def choose(browser, label, text):
    """Pick an entry of a select by a part of its text."""

    def box():
        boxes = browser.driver.find_elements(By.CSS_SELECTOR, ".q-select")
        return next((b for b in boxes if label in b.text or label in b.get_attribute("innerHTML")), None)

    browser.until(box).click()
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".q-menu .q-item"))
    time.sleep(0.4)  # the menu slides in
    items = browser.driver.find_elements(By.CSS_SELECTOR, ".q-menu .q-item")
    next(item for item in items if text in item.text).click()
    browser.until(lambda: not browser.driver.find_elements(By.CSS_SELECTOR, ".q-menu .q-item"))


def open_words(browser):
    found = browser.driver.find_elements(By.CSS_SELECTOR, ".board .open")
    return [part.get_attribute("data-word") for part in found]


def in_log(browser, text):
    return browser.until(lambda: text in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)


def test_home_shows_every_game_alive(browser, address):
    """Each game has a picture that moves by itself, a sentence, and something to do."""
    browser.open(address)
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, ".board-picture > *")) > 20)
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".cards .board")) == len(ts.games())
    shape = (
        "return [...document.querySelectorAll('.board-picture')].map(b => b.innerHTML.length + b.textContent).join()"
    )
    before = browser.driver.execute_script(shape)
    browser.until(lambda: browser.driver.execute_script(shape) != before)
    assert "Real board" in browser.text()


def test_dark_is_remembered(browser, address):
    """Light and dark are chosen by a button, and the next page knows."""
    browser.open(address)
    button = browser.driver.find_element(By.CSS_SELECTOR, '[aria-label="light or dark"]')
    is_dark = lambda: "body--dark" in browser.driver.find_element(By.TAG_NAME, "body").get_attribute("class")  # noqa: E731
    button.click()
    browser.until(lambda: not is_dark())
    button.click()
    browser.until(is_dark)
    browser.until(lambda: "shade=dark" in browser.driver.execute_script("return document.cookie"))
    browser.open(address + "/watch")
    browser.until(is_dark)
    browser.driver.delete_cookie("shade")


def test_a_whole_mastermind_game_by_clicks(browser, address):
    """Hints and clicks break the code; a peg can be taken back before the guess is sent; a rematch is offered."""
    start(browser, address, "mastermind")
    browser.see("Your turn")
    browser.click("f")
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".q-chip"))
    pegs = lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".board-overlay circle")  # noqa: E731
    browser.until(lambda: len(pegs()) == 1)
    row, first = pegs()[0].rect, browser.driver.find_element(By.XPATH, "//*[local-name()='text'][.='1']").rect
    assert abs(row["y"] + row["height"] / 2 - first["y"] - first["height"] / 2) < 12, (
        "it stands in the row of the guess"
    )
    browser.press("Take back")
    browser.until(lambda: not pegs())
    browser.until(lambda: not browser.driver.find_elements(By.CSS_SELECTOR, ".q-chip"))
    browser.driver.find_element(By.XPATH, "//*[text()='What can be known']").click()
    browser.see("1,296 codes remain")
    guesses = []
    while len(guesses) < 8:
        browser.press("Hint")
        browser.until(lambda: re.search(r"best would play ((?:\w )*\w)\.", browser.text()))
        assert browser.driver.find_elements(By.CSS_SELECTOR, ".board-marks .best")
        assert browser.driver.execute_script(HIDDEN_LABELS) == []
        guess = re.search(r"best would play ((?:\w )*\w)\.", browser.text())[1]
        guesses.append(guess)
        for piece in guess.split():
            chips = len(browser.driver.find_elements(By.CSS_SELECTOR, ".q-chip"))
            browser.click(piece)
            browser.until(
                lambda chips=chips: (
                    len(browser.driver.find_elements(By.CSS_SELECTOR, ".q-chip")) != chips
                    or "game is over" in browser.text()
                )
            )
        browser.until(lambda: "would play" not in browser.text())
        if "game is over" in browser.text():
            break
    browser.see(f"Broken in {len(guesses)} guess")
    assert len(guesses) <= 6
    before = browser.driver.current_url
    browser.press("Rematch")
    browser.until(lambda: browser.driver.current_url != before)
    browser.see("Your turn")


def test_a_dice_wars_turn_with_odds(browser, address):
    """An attack is built by two clicks, its odds stand on the targets; chance answers, then the others play."""
    start(browser, address, "dicewars")
    browser.see("Your turn")
    attacker = next(word for word in open_words(browser) if word != "end")
    browser.click(attacker)
    badges = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".badge-text.tip"))
    assert all(re.fullmatch(r"\d+%", badge.text) for badge in badges)
    target = next(word for word in open_words(browser) if word not in (attacker, "end"))
    label = browser.part(target).get_attribute("aria-label")
    assert re.fullmatch(rf"{target}, \d+, \d+%", label)
    browser.driver.execute_script(
        "arguments[0].dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))", browser.part(target)
    )
    browser.until(lambda: browser.driver.find_element(By.CSS_SELECTOR, ".board-tip").text == label.rpartition(", ")[2])
    assert browser.driver.execute_script(HIDDEN_LABELS) == []
    browser.click(target)
    in_log(browser, f"{attacker} {target}")
    said = browser.until(lambda: browser.driver.find_element(By.CSS_SELECTOR, ".dice-said").text)
    lines = browser.driver.find_element(By.CSS_SELECTOR, ".log").text
    assert re.fullmatch(rf"Player 1: {attacker} {target} (won|lost), \d+ to \d+", said), "one line for all of it"
    assert said.partition(": ")[2] in lines
    sums = [int(each.text) for each in browser.driver.find_elements(By.CSS_SELECTOR, ".dice-sum")]
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".die")) == 6
    assert said.endswith(f"{sums[0]} to {sums[1]}")
    assert browser.driver.find_element(By.CSS_SELECTOR, ".board-tip").text == "", "the odds were of a past position"
    shut = browser.driver.find_elements(By.CSS_SELECTOR, ".board [data-word]:not(.open)")
    assert not any("%" in (part.get_attribute("aria-label") or "") for part in shut)
    log = browser.driver.find_element(By.CSS_SELECTOR, ".log").text
    assert "won" in log or "lost" in log
    assert not browser.button("Undo")
    browser.click("end")
    browser.until(lambda: "Wren 3" in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
    browser.see("Your turn")
    log = browser.driver.find_element(By.CSS_SELECTOR, ".log").text
    assert len(re.findall(r"end, \+\d+ d", log)) == 4, "the dice of each turn's end are one line"


def test_pacman_by_keys(browser, address):
    """Arrow keys and letters build a move unit by unit, Backspace takes a part back, and what is sent is gliding."""
    arrows = {"w": Keys.ARROW_UP, "a": Keys.ARROW_LEFT, "s": Keys.ARROW_DOWN, "d": Keys.ARROW_RIGHT}
    chips = lambda: [chip.text for chip in browser.driver.find_elements(By.CSS_SELECTOR, ".q-chip")]  # noqa: E731
    seats = {"game": "pacman", "seats": ["person", "original-ghosts"], "seed": 1}
    _, match = call(address, "/api/matches", seats)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    ways = sorted(word for word in open_words(browser) if word != "1n")
    assert len(ways) >= 2
    assert {word[0] for word in ways} == {"1"}, "the first unit comes first"
    browser.keys(arrows[ways[0][1]])
    browser.until(lambda: chips() == ways[:1])
    browser.keys(Keys.BACKSPACE)
    browser.until(lambda: chips() == [])
    browser.driver.find_element(By.XPATH, "//*[contains(text(), 'ask before a move')]").click()  # takes no keys away
    browser.keys(ways[1][1])
    browser.until(lambda: chips() == ways[1:2])
    after = next(word for word in open_words(browser) if word[0] == "2" and word != "2n")
    place = "return document.querySelector('[data-key=pacman0]').getAttribute('transform')"
    before = browser.driver.execute_script(place)
    pacman = browser.driver.find_element(By.CSS_SELECTOR, "[data-key=pacman0]")
    browser.keys(arrows[after[1]])
    browser.until(lambda: browser.button("Send"))
    browser.keys(Keys.ENTER)
    in_log(browser, f"{ways[1]} {after}")
    in_log(browser, "2.")
    assert browser.driver.execute_script(place) != before
    assert pacman.is_displayed(), "the same part of the picture has moved"
    browser.see("Your turn")
    assert (
        call(address, f"/api/matches/{match['match']}?key={match['keys'][0]}")[1]["log"][0]["words"]
        == f"{ways[1]} {after}"
    )


def test_a_player_moves_for_a_person(browser, address):
    """In Homeguard a soldier is moved by a click, the other by a player; then both; then all until taken back."""
    _, match = call(address, "/api/matches", {"game": "homeguard:size=15", "seats": ["person", "greedy"], "seed": 3})
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    choose(browser, "ask", "greedy")
    assert open_words(browser) == ["1stay", "1b2"]
    browser.click("1b2")
    browser.until(lambda: {word[0] for word in open_words(browser)} == {"2"})
    browser.press("One unit for me")
    in_log(browser, "1b2 2n14")
    browser.press("Move for me")
    in_log(browser, "3.")
    browser.see("Your turn")
    toggle = next(t for t in browser.driver.find_elements(By.CSS_SELECTOR, ".q-toggle") if "play on" in t.text)
    toggle.click()
    in_log(browser, "7.")
    assert browser.button("Undo")
    toggle.click()
    browser.see("Your turn")
    browser.until(lambda: open_words(browser))


def test_keys_undo_and_a_line_of_play(browser, address):
    """A typed letter moves, undo takes the move and the answer back, a search draws its line on the board."""
    start(browser, address, "connect_four")
    browser.see("Your turn")
    browser.keys("d")
    in_log(browser, "2.")
    browser.see("Your turn")
    browser.press("Undo")
    browser.until(lambda: not browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
    choose(browser, "ask", "negamax — ")
    browser.press("Hint")
    browser.see("would play")
    labels = {node.text for node in browser.driver.find_elements(By.CSS_SELECTOR, ".badge-text")}
    assert {"1", "2"} <= labels
    place = "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()"
    mark = browser.driver.execute_script(place, ".board-marks circle.best")
    column = browser.driver.execute_script(place, '.board [data-word="d"]')
    cell = column["height"] / 6
    above = column["bottom"] - (mark["top"] + mark["height"] / 2)
    assert abs(above - cell / 2) < cell / 4, "the mark is where the stone would land"


def test_advice_tells_why(browser, address):
    """Beside the hint of a player that tells: every choice with its score and parts, the one it plays marked."""
    _, match = call(
        address, "/api/matches", {"game": "tactics:size=12,team=1", "seats": ["person", "static"], "seed": 3}
    )
    place, key = f"/api/matches/{match['match']}", match["keys"][:1]
    _, hint = call(address, place + "/hint", {"key": key, "player": "matrix"})
    assert len(hint["inspection"]["choices"]) == 7
    browser.open(f"{address}/match/{match['match']}/{key[0]}")
    browser.see("Your turn")
    choose(browser, "ask", "matrix")
    browser.press("Hint")
    browser.see(f"matrix would play {hint['words']}.")
    browser.driver.find_element(By.XPATH, "//*[text()='Why']").click()
    browser.see("the magazine of green1 is full")
    played = browser.driver.find_element(By.CSS_SELECTOR, ".why-choice.played").text
    best = max(
        (each for each in hint["inspection"]["choices"] if not each["impossible"]), key=lambda each: each["score"]
    )
    assert best["name"] in played
    assert f"{best['score']:.3f}" in played
    choose(browser, "ask", "random")
    browser.press("Hint")
    browser.see("random would play")
    assert not browser.driver.find_element(By.XPATH, "//*[text()='Why']").is_displayed()


def test_a_reload_and_a_lost_connection_go_on(browser, address):
    """The same link shows the same game after a reload, and after the network was away."""
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "random"]})
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    browser.keys("a")
    in_log(browser, "2.")
    browser.driver.refresh()
    in_log(browser, "2.")
    away = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", away)
    browser.driver.execute_script("window.socket && window.socket.disconnect && window.socket.io.engine.close()")
    time.sleep(0.5)
    back = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", back)
    path = f"/api/matches/{match['match']}/moves"
    call(address, path, {"key": [match["keys"][0]], "move": "b", "wait": 10})
    in_log(browser, "3.")
    browser.errors()  # what it said while the network was away is meant


def test_two_people_in_two_browsers(browser, address, tmp_path):
    """One invites, the other takes the seat once; both see each move, and only who is to move can."""
    browser.open(f"{address}/new/connect_four?seed={SEED}")
    browser.press("A friend, elsewhere")
    browser.press("Start")
    browser.see("Send this link")
    link = browser.driver.find_element(By.CSS_SELECTOR, ".invitation input").get_attribute("value")
    with chromium(tmp_path / "other") as other:
        other.open(link)
        other.press("Take the seat")
        other.see("Waiting for Player 1")
        other.see("None: another person plays")
        browser.click("c")
        other.see("Your turn")
        in_log(other, "c")
        assert open_words(browser) == []
        other.click("d")
        in_log(browser, "2.")
        assert other.errors() == []
        other.open(link)  # who took it comes back by it, and nobody else
        in_log(other, "2.")
        browser.open(link)
        browser.see("has been taken")
        browser.errors()  # that it was refused is told in the console too


def test_nothing_hidden_reaches_the_browser(browser, address):
    """Neither the page, nor what came over the socket, nor the JSON holds the secret or the seed until the end."""
    seed = 761523987
    before, action = next(ts.load("mastermind").start(seed).trail())
    secret = before.words(action)
    _, match = call(address, "/api/matches", {"game": "mastermind", "seats": ["person"], "seed": seed})
    key, place = match["keys"][0], f"/api/matches/{match['match']}"
    browser.frames()
    browser.open(f"{address}/match/{match['match']}/{key}")
    browser.see("Your turn")
    for piece in "aabb":
        browser.click(piece)
        time.sleep(0.2)
    in_log(browser, "a a b b")
    browser.press("Hint")
    browser.see("best would play")
    sent = browser.frames()
    assert any("svg" in frame for frame in sent), "the socket was not read"
    with urllib.request.urlopen(f"{address}/match/{match['match']}/{key}") as answer:
        page = answer.read().decode()
    answers = [call(address, f"{place}{end}?key={key}")[1] for end in ("", "/legal", "/frames")]
    state = json.dumps(answers[0]) + json.dumps(answers[2])
    advice = re.search(r"best would play ((?:\w )*\w)\.", browser.text())[1]
    assert advice != secret, "choose another seed: the advice is the secret by chance"
    for text in (*sent, page, browser.driver.page_source, state):
        assert secret not in text
        assert secret.replace(" ", "") not in re.sub(r"[A-Za-z0-9_-]{11,}", "", text)
        assert str(seed) not in text
    assert call(address, place)[0] == 403


def test_watch_scrub_save_and_open(browser, address, tmp_path):
    """Players play; one scrubs, links to a move, reads the values; the file saved opens again."""
    start(browser, address, "connect_four", "&watching=1")
    browser.see("Position")
    browser.until(lambda: re.search("in a row|the board is full", browser.text(), re.IGNORECASE))
    last = int(re.search(r"Position \d+ of (\d+)", browser.text())[1])
    browser.driver.find_element(By.CSS_SELECTOR, '[aria-label="last"]').click()
    browser.see(f"Position {last} of {last}")
    full = browser.driver.find_element(By.CSS_SELECTOR, ".board-picture").get_attribute("innerHTML")
    slider = browser.driver.find_element(By.CSS_SELECTOR, ".q-slider")
    slider.click()  # the middle
    browser.until(lambda: 0 < int(re.search(r"Position (\d+) of", browser.text())[1]) < last)
    browser.until(
        lambda: browser.driver.find_element(By.CSS_SELECTOR, ".board-picture").get_attribute("innerHTML") != full
    )
    browser.keys(Keys.ARROW_LEFT)
    name = browser.driver.current_url.rpartition("/")[2]
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "canvas"))
    browser.open(f"{address}/watch/{name}?move=3")
    browser.see(f"Position 3 of {last}")
    with urllib.request.urlopen(f"{address}/api/matches/{name}/record") as answer:
        (tmp_path / "match.json").write_bytes(answer.read())
    (tmp_path / "bad.json").write_text('{"turnsmith": "match"}')
    browser.open(address + "/watch")
    browser.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(tmp_path / "bad.json"))
    browser.see("bad.json is not a saved match")
    browser.open(address + "/watch")
    browser.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(tmp_path / "match.json"))
    browser.see(f"of {last}")


def test_an_arena_live(browser, address):
    """An arena is set up, followed, stopped, gone on with and downloaded; its matches can be watched."""
    browser.open(address + "/arena?game=connect_four")
    browser.see("Past arenas")
    browser.see("player 2")
    choose(browser, "player 1", "negamax — ")
    choose(browser, "player 2", "random")
    games = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="games"]')
    games.send_keys(Keys.CONTROL, "a")
    games.send_keys("100000")
    browser.press("Start")
    browser.until(lambda: re.search(r"[1-9][\d,]* of 100,000 games: playing", browser.text()))
    browser.press("Stop")
    browser.see("stopped; start the same again")
    done = int(re.search(r"([\d,]+) of 100,000", browser.text())[1].replace(",", ""))
    assert "negamax" in browser.text()
    assert "95 %" in browser.text()
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "canvas")) >= 2
    browser.press("Start")
    browser.until(lambda: int(re.search(r"([\d,]+) of 100,000", browser.text())[1].replace(",", "")) > done)
    browser.press("Stop")
    browser.see("stopped; start the same again")
    _, runs = call(address, "/api/runs")
    run = next(row for row in runs if row["players"] == ["negamax", "random"])
    _, table = call(address, f"/api/runs/{run['run']}")
    assert table["games"] > done
    with urllib.request.urlopen(f"{address}/api/runs/{run['run']}/csv") as answer:
        assert answer.read().decode().splitlines()[0].startswith("name,games,wins,draws,rate,low,high")
    browser.open(f"{address}/arena/{run['run']}")
    browser.see("Go on")
    browser.open(f"{address}/watch/run/{run['run']}/0?move=2")
    browser.see("Position 2 of")


def test_a_real_board(browser, address):
    """Guesses and answers are entered, what is left and what to play is told, an answer that cannot be is explained."""
    start(browser, address, "mastermind", "&by_hand=1")
    browser.see("Enter the move of Player 1")
    browser.see("would play")
    field = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="or type a move"]')
    for text, expected in (("aabb", "of Player 2"), ("0+0", "256 codes remain"), ("aabb", "of Player 2")):
        browser.until(field.is_enabled)
        field.send_keys(text, Keys.ENTER)
        browser.see(expected)
    field.send_keys("1+0", Keys.ENTER)
    browser.see("no code answers 1+0")
    browser.see("possible there: 0+0")


def test_two_people_at_one_screen(browser, address):
    """Where something is hidden, the board is covered until the one to move says that only they look."""
    seats = {"game": "mastermind:maker=seat", "seats": ["person", "person"]}
    _, match = call(address, "/api/matches", seats)
    browser.open(f"{address}/match/{match['match']}/{'.'.join(match['keys'])}")
    browser.see("Player 1, your turn")
    for piece in "abcd":
        browser.click(piece)
        time.sleep(0.2)
    browser.press("Player 2: press when only you look")
    browser.click("0+0")
    browser.see("Player 1: press when only you look")


def test_wrong_links_and_files(browser, address, tmp_path):
    """A link that leads nowhere says so and leads home; a move beyond the end is the end; a file that is no board is
    refused in a sentence, and the page goes on with the board it had."""
    browser.open(address + "/watch/nothing")
    browser.see("This leads nowhere")
    browser.see("Back to the games")
    browser.errors()  # that a page was not found is told in the console too
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["random", "random"]})
    place = f"/api/matches/{match['match']}"
    last = browser.until(lambda: len(found["log"]) if (found := call(address, place)[1])["over"] else 0)
    browser.open(f"{address}/watch/{match['match']}?move=999")
    browser.see(f"Position {last} of {last}")
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"tiles": 3}')
    browser.open(address + "/new/pacman")
    browser.until(lambda: browser.button("Start") and browser.button("Start").is_enabled())
    browser.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(wrong))
    browser.see("pacman")
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".q-notification"))
    assert "KeyError" not in browser.text()
    assert browser.button("Start").is_enabled()


def test_a_link_is_copied_without_a_clipboard(browser, address):
    """Where pages have no clipboard (plain http) the link is copied in the old way, and if that fails it is told."""
    _, match = call(address, "/api/matches", {"game": "pig", "seats": ["random", "random"]})
    browser.open(f"{address}/watch/{match['match']}?move=3")
    browser.see("Position 3")
    for works, said in ((True, "the link to move 3 is copied"), (False, "does not let pages copy")):
        browser.driver.execute_script(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true});"
            "const works = arguments[0];"
            "document.execCommand = () => { window.copied = document.activeElement.value; return works; }",
            works,
        )
        browser.press("Link to this move")
        browser.see(said)
        assert browser.driver.execute_script("return window.copied") == f"{address}/watch/{match['match']}?move=3"


def test_a_finished_arena_is_shown_as_it_was(browser, address):
    """The bar of a finished arena is full; where nobody wins its table has scores by role; after a reload the form
    shows the arena that ran, not the first game."""
    browser.open(address + "/arena?game=pacman")
    browser.see("player 2")
    choose(browser, "player 1", "random")
    choose(browser, "player 2", "scripted")
    games = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="games"]')
    games.send_keys(Keys.CONTROL, "a")
    games.send_keys("8")
    browser.press("Start")
    browser.see("8 of 8 games: done")
    width = "return document.querySelector(arguments[0]).getBoundingClientRect().width"
    filled, whole = (".q-linear-progress__model", ".q-linear-progress")
    browser.until(lambda: browser.driver.execute_script(width, filled) == browser.driver.execute_script(width, whole))
    browser.see("mean score")
    assert "ghosts" in browser.text()
    assert "wins" not in browser.driver.find_element(By.CSS_SELECTOR, ".q-table").text
    browser.open(address + "/arena")
    browser.see("8 of 8 games: done")
    browser.see("player 2")
    boxes = [box.text for box in browser.driver.find_elements(By.CSS_SELECTOR, ".q-select")]
    assert "Pac-Man" in boxes[0]
    assert any("random" in box for box in boxes)
    assert any("scripted" in box for box in boxes)


def test_charts_have_the_colours_of_the_board(tmp_path):
    """A seat's line is drawn in the colour of its stones, its areas, its side."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    for game, seats, shown in (("connect_four", 2, "#d1495b"), ("dicewars", 4, "#0072b2"), ("othello", 2, "#22262b")):
        match = matches.create(game, ["random"] * seats, SEED)
        match.play_on(5)
        drawn = [line["color"] for line in chart(match, {}, 0)["series"]]
        assert drawn[0] == shown
        assert all(color in match.look(None).picture() for color in drawn[: 1 if game == "connect_four" else seats])


TACTICS = {"game": "tactics:size=8,team=1,turn.rounds=9", "seats": ["person", "static"], "seed": 3}


def test_pointing_at_a_move_of_tactics_draws_it(browser, address):
    """The way and the odds show while one points at a cell; a finger shows them first and moves at the second touch."""
    _, match = call(address, "/api/matches", TACTICS)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    word = next(word for word in open_words(browser) if re.fullmatch(r"[a-h]\d", word))
    drawn = "return document.querySelector('.board-overlay').children.length"

    def does(kind, more=""):
        event = f"new PointerEvent('{kind}', {{bubbles: true, clientX: 300, clientY: 300{more}}})"
        browser.driver.execute_script(f"arguments[0].dispatchEvent({event})", browser.part(word))

    assert browser.driver.execute_script(drawn) == 0
    does("pointermove")
    browser.until(lambda: browser.driver.execute_script(drawn) > 0)
    tip = browser.driver.find_element(By.CSS_SELECTOR, ".board-tip")
    browser.until(lambda: re.match(r"\d+ steps?, \d point", tip.text))
    does("pointerleave")
    browser.driver.execute_script("document.querySelector('.board-picture').dispatchEvent(new Event('pointerleave'))")
    browser.until(lambda: browser.driver.execute_script(drawn) == 0)
    does("click", ", pointerType: 'touch'")
    browser.until(lambda: browser.driver.execute_script(drawn) > 0)
    assert word not in browser.driver.find_element(By.CSS_SELECTOR, ".log").text
    does("click", ", pointerType: 'touch'")
    in_log(browser, word)
    soldier = browser.driver.find_element(By.CSS_SELECTOR, '[data-key="red1"]')
    browser.driver.execute_script(
        "arguments[0].dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))", soldier
    )
    browser.until(lambda: "of 10 hit points" in tip.text)


@pytest.mark.parametrize("path", ["", "/new/dicewars", "/watch", "/arena", "/training", "/match"])
def test_a_phone(window, address, path):
    """On a narrow screen nothing sticks out to the side, and what one needs first is in view."""
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    window.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        if path == "/match":
            _, match = call(address, "/api/matches", {"game": "dicewars", "seats": ["person", "rand", "rand", "rand"]})
            path = f"/match/{match['match']}/{match['keys'][0]}"
        window.open(address + path)
        window.until(lambda: window.driver.find_elements(By.CSS_SELECTOR, ".board-picture > *, .panel"))
        time.sleep(0.5)
        wide, view = window.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= view
    finally:
        size = {"width": 1200, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        window.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
