"""The studio: rated in a real browser, kept over reloads and restarts, asked by programs, bounded."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sqlalchemy as sql
from browsing import COMPILING, By, call, chromium, server, webdriver
from selenium.webdriver.common.keys import Keys

from turnsmith.arena.store import Store
from turnsmith.maps.files import FORMATS, load
from turnsmith.maps.making.maker import Maker, MakerSettings
from turnsmith.maps.record import GameMap
from turnsmith.maps.taste.taste import Taste
from turnsmith.web.pages import studio as studio_page
from turnsmith.web.pages.studio_cards import Scales
from turnsmith.web.pages.studio_sheet import fairness
from turnsmith.web.server.bounds import NotFound
from turnsmith.web.server.offered import known_game
from turnsmith.web.studio import studios
from turnsmith.web.studio.studios import Studios

ROOT = Path(__file__).parent.parent.parent
QUICK = {"evaluations": 1024, "niches": 100, "memory": 200}
"""So that tests need not wait."""


def new_studio(address, game="homeguard", **more):
    status, found = call(address, "/api/studios", {"game": game, "settings": QUICK, **more}, timeout=COMPILING)
    assert status == 201, found
    return found, f"/api/studios/{found['studio']}"


def pictures(browser):
    """Where the pictures of the gallery are, in order; none while one is being made."""
    found = browser.driver.find_elements(By.CSS_SELECTOR, ".maps .map")
    shown = [card.find_elements(By.TAG_NAME, "img") for card in found]
    return [each[0].get_attribute("src") for each in shown] if found and all(shown) else []


def labelled(browser, label):
    """The button of an accessible name."""
    return browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, f'button[aria-label="{label}"]'))[0]


def by_label(browser, label):
    button = labelled(browser, label)
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", button)


def has_rated(browser, count):
    """Wait until the page knows of so many ratings."""
    told = "return document.querySelector('.tools')?.textContent || ''"
    browser.until(lambda: f"{count} rated" in browser.driver.execute_script(told))


def press(browser, text):
    """Press a button of the studio: there are hundreds, so it is not looked for among all of them."""
    found = f"//button[not(@disabled)][.//span[text()='{text}']]"
    button = browser.until(lambda: next(iter(browser.driver.find_elements(By.XPATH, found)), None))
    browser.until(button.is_displayed)
    browser.driver.execute_script("arguments[0].click()", button)


def number_of(picture):
    return int(re.search(r"maps/(\d+)/picture", picture)[1])


def test_a_person_in_the_studio(browser, address, tmp_path):
    """Ten maps are rated by keys and faces and others come; undo, a rating changed and one removed, cells locked by
    painting, a file saved, nothing lost by a reload, and one map played."""
    first, place = new_studio(address, seed=2)
    browser.open(address + first["page"])
    before = browser.until(lambda: pictures(browser))
    assert len(before) == 9
    for rated in range(1, 11):
        shown = browser.until(lambda: pictures(browser))
        if rated % 2:
            browser.keys(str(1 + rated % 5), Keys.ARROW_RIGHT)
        else:
            by_label(browser, f"map {number_of(shown[rated % 9])}: like very much")
        has_rated(browser, rated)
    now = browser.until(lambda: pictures(browser))
    assert len(set(now) - set(before)) >= 5
    browser.see("± ")

    press(browser, "Undo")
    has_rated(browser, 9)
    browser.until(lambda: len(pictures(browser)) == 9)
    by_label(browser, "rating 0: dislike very much")
    browser.until(lambda: labelled(browser, "rating 0: dislike very much").get_attribute("aria-pressed") == "true")
    assert call(address, place)[1]["ratings"][0]["rating"] == -2
    by_label(browser, "remove rating 0")
    has_rated(browser, 8)

    browser.keys("m")
    browser.see("Why this map")
    browser.see("like the map you rated")
    browser.until(lambda: "the first seat gets" in browser.text())
    number = int(re.search(r"Map (\d+)", browser.text())[1])
    browser.driver.find_element(By.XPATH, "//*[text()='Lock cells']").click()
    cells = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "[data-cell]"))
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", cells[20])
    time.sleep(0.4)  # the panel slides open
    webdriver.ActionChains(browser.driver).click_and_hold(cells[20]).move_to_element(cells[21]).release().perform()
    browser.see("2 cells locked")
    locked = browser.until(lambda: call(address, place)[1]["settings"]["locked"])
    genes = call(address, f"{place}/maps/{number}")[1]["genes"]
    assert locked == [[gene, genes[gene]] for gene in (20, 21)]

    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    by_label(browser, "save as json")
    file = tmp_path / f"homeguard-{number}.json"
    browser.until(file.exists)
    assert load(file)[0].source == call(address, f"{place}/maps/{number}")[1]["source"]

    by_label(browser, "close")
    browser.driver.refresh()
    has_rated(browser, 8)
    again = browser.until(lambda: pictures(browser))
    press(browser, "Show others")
    fresh = browser.until(lambda: pictures(browser) if pictures(browser) != again else None)
    for picture in fresh:
        found = call(address, f"{place}/maps/{number_of(picture)}")[1]["genes"]
        assert [found[gene] for gene, _ in locked] == [value for _, value in locked]

    named = "return [...document.querySelectorAll('button')].filter(b => !b.ariaLabel && !b.querySelector('.block'))"
    assert browser.driver.execute_script(named + ".map(b => b.outerHTML)") == []
    by_label(browser, f"play map {number_of(fresh[1])}")
    browser.see("Your turn")
    source = call(address, f"{place}/maps/{number_of(fresh[1])}")[1]["source"]
    match, key = re.search(r"/match/(.+)/(.+)", browser.driver.current_url).groups()
    picture = call(address, f"/api/matches/{match}?key={key}")[1]["picture"]
    _, frames = call(address, "/api/frames", {"game": "homeguard", "actions": [], "source": source, "viewer": 0})
    assert frames["frames"][0] == picture


def test_best_maps_stop_and_the_arena(browser, address):
    """The best maps are made and saved in one file; long breeding is stopped; an arena is played on one map."""
    found, place = new_studio(address, seed=1)
    for number, each in enumerate(call(address, place + "/ask", {"count": 4})[1]):
        call(address, place + "/ratings", {"map": each["number"], "rating": 2 - number})
    browser.open(address + found["page"])
    browser.until(lambda: pictures(browser))
    press(browser, "Best maps")
    browser.see("The best maps")
    browser.until(lambda: len(pictures(browser)) == 19)
    held = "const at = document.activeElement; return [at.innerText.split('\\n')[0], at.getBoundingClientRect().top]"
    browser.until(lambda: browser.driver.execute_script(held)[1] < 450)
    assert browser.driver.execute_script(held)[0] == "The best maps", "they are led to"
    best = call(address, place)[1]["best"]
    with urllib.request.urlopen(f"{address}{place}/best?format=json") as answer:
        assert len(json.loads(answer.read())["maps"]) == len(best) == 10
    call(address, place + "/evolve", {"evaluations": 1_000_000})
    browser.see("breeding")
    press(browser, "Stop")
    browser.until(lambda: not call(address, place)[1]["doing"])
    browser.open(f"{address}/arena?studio={found['studio']}&map={best[0]}")
    browser.see("player 2")
    games = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="games"]')
    games.send_keys(Keys.CONTROL, "a", Keys.NULL, "20", Keys.TAB)
    browser.press("Start")
    browser.see("20 games: done")
    run = next(each["run"] for each in call(address, "/api/runs")[1] if each["game"] == "homeguard")
    browser.open(f"{address}/arena/{run}")
    browser.press("Go on")
    browser.see("40 games: done")
    assert len([each for each in call(address, "/api/runs")[1] if each["game"] == "homeguard"]) == 1


def test_a_narrow_and_dark_studio(address, tmp_path):
    """On a phone nothing sticks out to the side."""
    found, _ = new_studio(address)
    with chromium(tmp_path, 390, 844) as phone:
        for path in ("/maps", "/maps/homeguard", found["page"]):
            phone.open(address + path)
            phone.driver.add_cookie({"name": "shade", "value": "dark", "path": "/"})
            phone.until(lambda: phone.driver.find_elements(By.CSS_SELECTOR, ".map-picture, .panel"))
            time.sleep(0.5)
            wide, view = phone.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
            assert wide <= view
        phone.until(lambda: pictures(phone))
        assert phone.errors() == []


@pytest.mark.parametrize(("game", "mirrors"), [("pacman:map=small", 3), ("dicewars", 2), ("tactics", 5)])
def test_every_game_with_genes_has_its_studio(browser, address, game, mirrors):
    """What maps of a game cannot be is not offered."""
    found = call(
        address, "/api/studios", {"game": game, "seed": 1, "settings": {"evaluations": 1024}}, timeout=COMPILING
    )[1]
    browser.open(address + found["page"])
    browser.until(lambda: pictures(browser))
    browser.driver.find_element(By.CSS_SELECTOR, '[aria-label="symmetry"]').click()
    options = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "[role=option]"))
    assert len(options) == 1 + mirrors


# ---------------------------------------------------------------- programs


def test_a_program_asks_and_rates(address, tmp_path):
    """Maps with all that is known of them, ratings by number and by description, undo, the best maps, every format."""
    found, place = new_studio(address, "homeguard:size=11", seed=5)
    maps = call(address, place + "/ask", {"count": 3})[1]
    assert len(maps) == 3
    assert set(maps[0]["measures"]) == set(found["measures"])
    with urllib.request.urlopen(address + maps[0]["picture"]) as answer:
        assert answer.read().startswith(b"<svg")
    assert call(address, place + "/ratings", {"map": maps[0]["number"], "rating": 2})[0] == 201
    own = known_game("homeguard:size=11").describe(77)
    _, now = call(address, place + "/ratings", {"source": own, "rating": -1, "weight": 0.5})
    assert [(each["rating"], each["weight"]) for each in now["ratings"]] == [(2, 1), (-1, 0.5)]
    assert [each["rating"] for each in call(address, place + "/undo", {})[1]["ratings"]] == [2]
    why = call(address, place + "/ask", {"count": 1})[1][0]["why"]
    assert [(each["rating"], each["value"]) for each in why] == [(0, 2)]
    best = call(address, place + "/make", {"count": 4})[1]
    assert len({json.dumps(each["source"]) for each in best}) == 4
    for name, form in FORMATS.items():
        with urllib.request.urlopen(f"{address}{place}/maps/{best[0]['number']}/file?format={name}") as answer:
            file = re.search('"(.*)"', answer.headers["Content-Disposition"])[1]
            (tmp_path / file).write_bytes(answer.read())
        assert file.endswith((*form.endings, ".zip"))
    (again,) = load(tmp_path / f"homeguard-{best[0]['number']}.ldtk")
    assert again.source == best[0]["source"]
    taste = call(address, place + "/taste")[1]
    other, _ = new_studio(address, "homeguard:size=11", seed=5, taste=taste)
    assert [each["rating"] for each in other["ratings"]] == [2]
    assert Taste.from_dict(taste).ratings[0].rating == 2


def test_the_same_seed_and_ratings_give_the_same_maps(address):
    """Two studios in which the same is asked and told show the same."""
    told = []
    for _ in range(2):
        _, place = new_studio(address, seed=9)
        for rating in (2, -2, 1):
            (one,) = call(address, place + "/ask", {"count": 1})[1]
            call(address, place + "/ratings", {"map": one["number"], "rating": rating})
        told.append([each["genes"] for each in call(address, place + "/make", {"count": 3})[1]])
    assert told[0] == told[1]


def test_bad_requests_are_refused_in_a_sentence(address):
    """Whatever is wrong is answered with the right status, and changes nothing."""
    found, place = new_studio(address)
    taste = call(address, place + "/taste")[1]
    far = {"map": {"game": "pacman", "options": {"map": "/etc/motd.txt"}, "source": {"rows": []}}, "rating": 1}
    asked = [
        ("/api/studios", {"game": "pig"}, 400, "there are"),
        ("/api/studios", {"game": "./evil.py"}, 400, "there is no game"),
        ("/api/studios", {"game": "pacman:map=/etc/motd.txt"}, 400, "files are not read here"),
        ("/api/studios", {"game": "homeguard", "settings": {"choise": "play"}}, 400, "did you mean 'choice'"),
        ("/api/studios", {"game": "homeguard", "settings": {"niches": 10**6}}, 400, "at most here"),
        ("/api/studios", {"game": "homeguard", "settings": {"locked": [[999, 0]]}}, 400, "locked"),
        ("/api/studios", {"game": "homeguard", "taste": {"ratings": 3}}, 400, "this is no taste"),
        ("/api/studios", {"game": "pacman", "taste": {**taste, "ratings": [far]}}, 400, "files are not read here"),
        ("/api/studios", {"game": "homeguard", "count": 99}, 422, "body.count"),
        (place + "/ask", {"count": 0}, 422, "body.count"),
        (place + "/ratings", {"map": 10**6, "rating": 1}, 404, "has no map"),
        (place + "/ratings", {"map": 0, "rating": 3}, 422, "body.rating"),
        (place + "/ratings", {"rating": 1}, 400, "say which map"),
        (place + "/ratings", {"source": {"rows": ["?"]}, "rating": 1}, 400, "no board of homeguard"),
        (place + "/undo", {}, 400, "nothing has been rated"),
        (place + "/settings", {"predictor": "crystal ball"}, 400, "there is no predictor"),
        (place + "/settings", {"behaviour": "beauty,truth"}, 400, "there is no measure"),
        (place + "/settings", {"symmetry": "odd"}, 400, "is not one of"),
        ("/api/studios/nothing/ask", {"count": 1}, 404, "the link is wrong"),
    ]
    for path, body, expected, text in asked:
        status, answer = call(address, path, body, timeout=COMPILING)
        assert (status, text in answer["error"]) == (expected, True), (path, body, status, answer)
    for path in ("/maps/99/picture", "/maps/0/file?format=doc", "/ratings/0/picture", "/best"):
        assert call(address, place + path)[0] in (400, 404)
    after = call(address, place)[1]
    assert (after["settings"], after["ratings"]) == (found["settings"], [])
    assert call(address, place + "/ask", {"count": 1})[0] == 200


def test_the_page_on_it_is_true(address, tmp_path):
    """The requests of docs/how-to/maps-studio.md are answered, and its client's maps have what its person likes."""
    page = (ROOT / "docs" / "how-to" / "maps-studio.md").read_text()
    (lines,), (client,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.S) for kind in ("bash", "javascript"))
    command = ["bash", "-euc", lines]
    ran = subprocess.run(command, cwd=tmp_path, env={**os.environ, "A": address}, capture_output=True, text=True)
    assert (ran.returncode, "error" in ran.stdout) == (0, False), ran
    assert (tmp_path / "map.zip").read_bytes()[:2] == b"PK"
    assert len(Taste.load(tmp_path / "taste.json")) == 2
    (tmp_path / "client.mjs").write_text(client)
    ran = subprocess.run(["node", "client.mjs", address], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert np.mean(json.loads(ran.stdout)) > 0.5
    for path in re.findall(r"\]\(\.\./(pictures/[^)]*)\)", page):
        assert (ROOT / "docs" / path).is_file(), path


# ---------------------------------------------------------------- bounds


def test_studios_are_bounded(tmp_path, monkeypatch):
    """Few are held in memory, the others come back from the store; unused ones go after a day, and some if too many."""
    monkeypatch.setattr(studios, "MOST_HELD", 1)
    store = Store(f"sqlite:///{tmp_path}/store.db")
    kept = Studios(store)
    names = []
    for seed in range(3):
        studio = kept.create("homeguard", seed, QUICK)
        studio.maker.evolve()
        studio.maker.tell(studio.ask(1)[0].number, 2)
        kept.keep(studio)
        names.append(studio.name)
    del studio
    assert kept.held(names[0]) is None
    assert kept.get(names[0]).maker.seed == 0
    unused = kept.create("homeguard", 7, QUICK).name
    later = time.time() + 2 * 86_400
    monkeypatch.setattr(studios.time, "time", lambda: later)
    kept.tidy()
    with pytest.raises(NotFound, match="the link is wrong"):
        kept._take(unused)
    assert kept._take(names[1]).maker.seed == 1
    monkeypatch.setattr(studios, "MOST_KEPT", 1)
    kept.tidy()
    for name in names[:2]:
        with pytest.raises(NotFound):
            kept._take(name)
    assert kept._take(names[2]).maker.seed == 2
    store.close()


@pytest.mark.parametrize(
    "spoilt", [lambda state: state[:-3], lambda state: b"junk", lambda state: state[:-9] + b"x" * 9]
)
def test_a_damaged_studio_is_refused_by_its_name(tmp_path, spoilt):
    """A row that is not what was written is no mistake of the server's."""
    with contextlib.closing(Store(f"sqlite:///{tmp_path}/store.db")) as store:
        name = Studios(store).create("homeguard", 1, QUICK).name
        rows = sql.table("studios", sql.column("studio"), sql.column("state"))
        with store.engine.begin() as db:
            state = db.execute(sql.select(rows.c.state).where(rows.c.studio == name)).scalar()
            db.execute(rows.update().values(state=spoilt(state)))
        with pytest.raises(NotFound, match=f"{name}.*damaged"):
            Studios(store).get(name)


def test_breeding_is_stopped_within_a_slice(tmp_path):
    """Whenever it is said: what is left is given up, and what was found stays."""
    store = Store(f"sqlite:///{tmp_path}/store.db")
    studio = Studios(store).create("homeguard", 1, QUICK)
    studio.maker.tell(studio.maker.ask(1)[0], 2)
    studio.breed(1_000_000)
    evolve = studio.maker.evolve

    def interrupted(evaluations):
        studio.stop()  # in the middle of a slice
        return evolve(evaluations)

    studio.maker.evolve = interrupted
    before = studio.maker.bred
    studio.step()
    assert (studio.doing, studio.left) == ("", 0)
    assert 0 < studio.maker.bred - before < 10_000
    store.close()


def test_bars_are_drawn_to_one_scale():
    """Of two shares the greater has the longer bar, however much maps usually differ in them."""
    scales = Scales({"cover": (0.2, 0.34), "openness": (0.36, 0.9), "length": (3.0, 12.0), "gain": (-0.5, 0.5)})
    assert scales.share("openness", 0.38) > scales.share("cover", 0.33)
    assert [scales.share("length", value) for value in (0.0, 6.0, 12.0)] == [0.0, 0.5, 1.0]
    assert scales.share("gain", 0.25) == 0.5


@pytest.mark.parametrize(("key", "says"), [("1", 1), ("s", 1), ("x", 0)])
def test_a_key_for_a_map_that_is_still_made_says_so(monkeypatch, key, says):
    """Nothing is rated unseen, and nobody presses a key in vain without being told."""
    told = []
    monkeypatch.setattr(studio_page.ui, "notify", lambda text, **how: told.append(text))
    gallery = object.__new__(studio_page.Gallery)
    gallery.sheet = SimpleNamespace(is_open=False, number=None)
    gallery.cards, gallery.selected = [SimpleNamespace(number=None)], 0
    plain = SimpleNamespace(ctrl=False, alt=False, meta=False)
    event = SimpleNamespace(action=SimpleNamespace(keydown=True), modifiers=plain, key=SimpleNamespace(name=key))
    asyncio.run(gallery.key(event))
    assert told == ["The next map is still being made: rate it when you see it."] * says


def test_an_unfair_map_is_warned_of():
    """Measures that leave no doubt are warned of, others are only told; scores of different roles are not compared."""
    maker = Maker(known_game("homeguard"), settings=MakerSettings(**QUICK))
    found = GameMap("homeguard", known_game("homeguard").describe(1))
    names = ("seat_advantage", "seat_advantage_low", "seat_advantage_high")

    def told(*numbers, maker=maker):
        maker.playing._kept[json.dumps(found.source, sort_keys=True)] = dict(zip(names, numbers, strict=True))
        return fairness(maker, found)[1:]

    assert told(0.5, 0.3, 0.7)[1]
    assert told(0.5, 0.3, 0.7)[0].startswith("⚠ Not fair: the first seat gets +0.50")
    assert not told(0.5, -0.1, 1.1)[1]
    scores = Maker(known_game("pacman:map=tiny"), settings=MakerSettings(**QUICK))
    assert not told(0.5, 0.3, 0.7, maker=scores)[1]


GENES = """

def genes(source):
    return np.array([int(count) - 1 for count in source["piles"].split("-")])


def gene_values(source):
    return np.full(len(source["piles"].split("-")), MOST_MATCHES)


def with_genes(source, genes):
    return {**source, "piles": "-".join(str(int(gene) + 1) for gene in genes)}
"""


def test_a_restarted_server_knows_its_studios(tmp_path):
    """Ratings, settings and maps are as they were, and what comes next is what would have come; of a file, too, which
    is known by its name alone."""
    heaps = tmp_path / "heaps.py"
    heaps.write_text((ROOT / "examples" / "nim.py").read_text() + GENES)
    places, before = [], []
    with server(tmp_path, "heaps.py") as address:
        for game in ("homeguard", "heaps:piles=3-4-5"):
            _, place = new_studio(address, game, seed=3)
            for each in call(address, place + "/ask", {"count": 3})[1]:
                assert (
                    call(address, place + "/ratings", {"map": each["number"], "rating": 1 - each["number"]})[0] == 201
                )
            call(address, place + "/settings", {"choice": "play"})
            places.append(place)
            before.append(call(address, place)[1])
        status, refused = call(address, "/api/studios", {"game": "heaps", "taste": call(address, place + "/taste")[1]})
        assert (status, "turnsmith check" in refused["error"]) == (400, True)
        with urllib.request.urlopen(f"{address}{place}/maps/0/file?format=svg") as answer:
            assert str(tmp_path) not in answer.read().decode()
    with server(tmp_path, "heaps.py") as address:
        assert [call(address, place)[1] for place in places] == before
        assert call(address, places[0] + "/ask", {"count": 1})[1][0]["why"]
    assert "Traceback" not in (tmp_path / "server.log").read_text()
