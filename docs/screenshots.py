"""Take the pictures of the pages web, tactics-designers and maps-studio of docs/how-to/ in a real browser:
``python docs/screenshots.py``, or only some of them: ``python docs/screenshots.py studio photo``.

Needs chromium-driver.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "web"))

from browsing import By, call, chromium, server  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

PAC_MAN = {"game": "pacman", "seats": ["person", "original-ghosts"], "seed": 1}
ARROWS = {
    1: {"1a": Keys.ARROW_LEFT, "1w": Keys.ARROW_UP, "1s": Keys.ARROW_DOWN},
    2: {"2d": Keys.ARROW_RIGHT, "2s": Keys.ARROW_DOWN, "2w": Keys.ARROW_UP},
}
TACTICS = {"game": "tactics", "seats": ["person", "static"], "seed": 4}
TRAINING = ["--generations", "40", "--batch", "6", "--games", "4", "--again", "4", "--proof", "4"]
DICE_WARS = {"game": "dicewars", "seats": ["person", "fast", "strong", "master"], "seed": 4}


def shoot(browser, name):
    """One picture of the window, when things have come to rest."""
    time.sleep(1.0)
    target = HERE / "pictures" / "web" / f"{name}.png"
    target.parent.mkdir(exist_ok=True)
    browser.driver.save_screenshot(str(target))
    sys.stdout.write(f"{target.relative_to(HERE)}\n")


def open_words(browser):
    """What can be clicked now."""
    parts = browser.driver.find_elements(By.CSS_SELECTOR, ".board .open")
    return [part.get_attribute("data-word") for part in parts]


def dark(browser):
    browser.driver.add_cookie({"name": "shade", "value": "dark", "path": "/"})
    browser.driver.refresh()


def point_at(browser, word):
    webdriver.ActionChains(browser.driver).move_to_element(browser.until(lambda: browser.part(word))).perform()


def a_fight(address):
    """A match of Tactics in which somebody can be shot at: its page, and what can be done."""
    _, match = call(address, "/api/matches", TACTICS, timeout=300)
    place, key = f"/api/matches/{match['match']}", match["keys"][:1]
    for number in range(60):
        _, legal = call(address, f"{place}/legal?key={key[0]}")
        words = [each["words"] for each in legal]
        if number > 6 and sum(word.startswith("red") for word in words) > 1:
            break
        _, hint = call(address, f"{place}/hint", {"key": key, "player": "static"})
        call(address, f"{place}/moves", {"key": key, "move": hint["action"], "wait": 10})
    return f"{address}/match/{match['match']}/{key[0]}", words


def tactics(browser, address, name):
    """Pointing at a shot, or on a phone at a move."""
    page, words = a_fight(address)
    browser.open(page)
    browser.see("Your turn")
    enemies = [word for word in words if word.startswith("red")]
    cells = [word for word in words if re.fullmatch(r"[a-x]\d+", word)]
    point_at(browser, enemies[0] if name == "tactics-shot" else cells[len(cells) // 3])
    shoot(browser, name)


def training(browser, address, folder):
    """A short training, looked at while it runs."""
    command = [sys.executable, "-m", "turnsmith", "train", "tactics", "personalities", *TRAINING]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        browser.until(lambda: (folder / "tactics-personalities" / "curve.jsonl").exists())
        browser.open(f"{address}/training/tactics-personalities")
        grown = re.compile(r"2\d points, the last")
        browser.until(lambda: grown.search(browser.text()) or running.poll() is not None, 300)
        shoot(browser, "training")
        running.wait()


def desktop(browser, address):
    browser.open(address)
    browser.until(lambda: "Getting ready" not in browser.text())
    time.sleep(8)
    shoot(browser, "home")

    browser.open(address + "/new/dicewars")
    browser.until(lambda: browser.button("Start") and browser.button("Start").is_enabled())
    shoot(browser, "set-up")

    _, match = call(address, "/api/matches", DICE_WARS)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    browser.click(open_words(browser)[2])
    shoot(browser, "dicewars-attack")

    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "random"], "seed": 4})
    for move in "dc":
        call(address, f"/api/matches/{match['match']}/moves", {"key": match["keys"][:1], "move": move, "wait": 10})
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    browser.press("Hint")
    browser.see("would play")
    shoot(browser, "connect-four-hint")

    _, match = call(address, "/api/matches", PAC_MAN)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    for number in range(7):  # three moves of two pacmans, and the beginning of a fourth
        unit = 1 + number % 2
        word = browser.until(lambda unit=unit: next((w for w in open_words(browser) if w in ARROWS[unit]), None))
        browser.keys(ARROWS[unit][word])
        time.sleep(0.3)
    shoot(browser, "pacman")

    browser.open(address + "/new/mastermind?by_hand=1")
    browser.press("Start")
    browser.see("would play")
    field = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="or type a move"]')
    for text, expected in (("aabb", "of Player 2"), ("1+1", "codes remain"), ("acbd", "of Player 2")):
        field.send_keys(text, "\n")
        browser.see(expected)
        time.sleep(1)
    field.send_keys("4+0", "\n")
    browser.see("no code answers")
    shoot(browser, "mastermind-real-board")

    browser.open(address + "/new/dicewars?watching=1")
    browser.press("Start")
    browser.see("owns every area")
    browser.see("By the game's own estimate")
    time.sleep(6)
    browser.driver.find_element(By.CSS_SELECTOR, ".q-slider").click()
    shoot(browser, "watch")

    browser.open(address + "/watch")
    shoot(browser, "watch-choose")

    asked = {"game": "connect_four", "seats": ["mcts:simulations=300", "negamax:depth=5"], "seed": 3}
    _, match = call(address, "/api/matches", asked)
    browser.until(lambda: call(address, f"/api/matches/{match['match']}")[1]["over"])
    browser.open(f"{address}/watch/{match['match']}?move=6")
    browser.see("It expects a return")
    browser.press("Analyse")
    browser.see("would play")
    time.sleep(1)
    shoot(browser, "replay-analysis")

    browser.open(address + "/arena?game=connect_four")
    browser.see("player 2")
    browser.press("Another player")
    time.sleep(0.5)
    browser.press("Start")
    browser.see("games: done", 90)
    shoot(browser, "arena")
    browser.open(address + "/balance/connect_four")
    browser.see("100 of 100 games")
    time.sleep(2)
    shoot(browser, "balance")

    _, match = call(address, "/api/matches", {"game": "mastermind", "seats": ["person"], "seed": 2})
    place, key = f"/api/matches/{match['match']}", match["keys"][:1]
    while not match["over"]:
        _, hint = call(address, place + "/hint", {"key": key, "player": "knuth"})
        _, match = call(address, place + "/moves", {"key": key, "move": hint["action"]})
    browser.open(f"{address}/match/{match['match']}/{key[0]}")
    dark(browser)
    browser.see("Rematch")
    shoot(browser, "end-dark")

    browser.driver.get(address + "/docs")
    time.sleep(2)
    shoot(browser, "json-api")


def why(browser, address):
    """A matrix of Tactics tells why, some turns into a game of its own."""
    _, match = call(address, "/api/matches", {"game": "tactics", "seats": ["person", "static"], "seed": 3})
    place, key = f"/api/matches/{match['match']}", match["keys"][:1]
    for _ in range(14):
        _, hint = call(address, place + "/hint", {"key": key, "player": "matrix"})
        call(address, place + "/moves", {"key": key, "move": hint["action"], "wait": 20})
    browser.open(f"{address}/match/{match['match']}/{key[0]}")
    browser.see("Your turn")
    browser.driver.find_element(By.CSS_SELECTOR, '[aria-label="ask"]').click()
    listed = "//div[contains(@class, 'q-item')][starts-with(., 'matrix')]"
    browser.until(lambda: browser.driver.find_elements(By.XPATH, listed))
    browser.driver.find_element(By.XPATH, listed).click()
    browser.press("Hint")
    browser.see("would play")
    browser.driver.find_element(By.XPATH, "//*[text()='Why']").click()
    shoot(browser, "tactics-why")


def in_studio(browser, address, game, ratings):
    """A studio in which some maps were rated by the share of something they have."""
    _, studio = call(address, "/api/studios", {"game": game, "seed": 4}, timeout=300)
    place = f"/api/studios/{studio['studio']}"
    for _ in range(ratings):
        (found,) = call(address, place + "/ask", {"count": 1})[1]
        liked = found["measures"]["symmetry"] + found["measures"]["centre_density"] - 0.75
        rating = 2 if liked > 0.25 else 1 if liked > 0 else -1 if liked > -0.25 else -2
        call(address, place + "/ratings", {"map": found["number"], "rating": rating})
    browser.open(address + studio["page"])
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, ".map img")) == 9)


def studio(browser, address):
    """The gallery after some ratings, and more about one map, with cells locked."""
    in_studio(browser, address, "homeguard", 14)
    shoot(browser, "studio")
    browser.keys("m")
    browser.see("the first seat gets")
    shoot(browser, "studio-map")
    browser.driver.find_element(By.XPATH, "//*[text()='Lock cells']").click()
    cells = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "[data-cell]"))
    browser.driver.execute_script("document.querySelector('.paint').scrollIntoView({block: 'center'})")
    time.sleep(0.5)
    stroke = webdriver.ActionChains(browser.driver).click_and_hold(cells[9])
    for cell in (13, 18, 22, 26):
        stroke = stroke.move_to_element(cells[cell])
    stroke.release().perform()
    shoot(browser, "studio-locks")
    in_studio(browser, address, "pacman", 4)
    shoot(browser, "studio-pacman")


def photo(browser, address):
    """A sample photograph, read, with what a peg was read from."""
    browser.open(f"{address}/photo/mastermind")
    browser.press("Try a sample")
    browser.see("most likely code", 300)
    cell = browser.driver.find_elements(By.CSS_SELECTOR, "button.cell")[1]
    webdriver.ActionChains(browser.driver).context_click(cell).perform()
    browser.see("was read from")
    webdriver.ActionChains(browser.driver).move_to_element(browser.button("Go on")).perform()
    shoot(browser, "photo")


def phone_studio(browser, address):
    browser.open(address)
    dark(browser)
    in_studio(browser, address, "homeguard", 6)
    browser.driver.execute_script("document.querySelector('.maps').scrollIntoView()")
    browser.driver.execute_script("scrollBy(0, -120)")
    shoot(browser, "phone-studio-dark")


def phone(browser, address):
    browser.open(address)
    browser.until(lambda: "Getting ready" not in browser.text())
    time.sleep(3)
    shoot(browser, "phone-home")
    _, match = call(address, "/api/matches", DICE_WARS)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    browser.click(open_words(browser)[2])
    shoot(browser, "phone-dicewars")
    _, match = call(address, "/api/matches", PAC_MAN)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("Your turn")
    shoot(browser, "phone-pacman")
    tactics(browser, address, "phone-tactics")
    browser.open(address + "/new/mastermind")
    dark(browser)
    browser.until(lambda: browser.button("Start") and browser.button("Start").is_enabled())
    shoot(browser, "phone-set-up-dark")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["others", "studio", "photo"]
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as address:
        with chromium(Path(folder) / "desktop") as browser:
            if "others" in wanted:
                tactics(browser, address, "tactics-shot")
                training(browser, address, Path(folder))
                desktop(browser, address)
                why(browser, address)
            if "studio" in wanted:
                studio(browser, address)
            if "photo" in wanted:
                photo(browser, address)
        with chromium(Path(folder) / "phone", 390, 844) as browser:
            if "studio" in wanted:
                phone_studio(browser, address)
            if "others" in wanted:
                phone(browser, address)
