"""Games of one's own on the page: files that the command line names, and nothing that a client could name."""

import shutil
from pathlib import Path

import pytest
from browsing import call, server
from selenium.webdriver.common.by import By

from turnsmith.common.errors import BadInput
from turnsmith.contract import first_use
from turnsmith.nets.dense import Net, fresh
from turnsmith.play.observe import observer
from turnsmith.search import value
from turnsmith.web.server import offered
from turnsmith.web.server.bounds import known_player, source_of
from turnsmith.web.server.offered import known_game, offer

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def nim(tmp_path):
    """A file of one's own, offered with other piles than it has by itself; forgotten afterwards."""
    file = tmp_path / "our_nim.py"
    shutil.copy(EXAMPLES / "nim.py", file)
    offer([f"{file}:piles=2-3"])
    yield file
    offered._files.clear()
    offered.offered.cache_clear()
    known_game.cache_clear()


def test_a_file_is_known_by_its_name_alone(nim):
    """Its options are those it is served with unless others are given, and its texts lead back to the same game."""
    assert offered.offered()["our_nim"].startswith("Nim: ")
    for text, piles, misere in [
        ("our_nim", "2-3", False),
        ("our_nim:misere=true", "2-3", True),
        ("our_nim:piles=1-3-5-7", "1-3-5-7", False),
    ]:
        game = known_game(text)
        assert (game.text_name, game.options.piles, game.options.misere) == (text, piles, misere)
        assert known_game(game.text_name).options == game.options
    for bad in (str(nim), f"./{nim.name}", "our_nim.py", "nim"):
        with pytest.raises(BadInput, match="there is no game"):
            known_game(bad)
    with pytest.raises(BadInput, match="piles=0 must be"):
        known_game("our_nim:piles=0")


def test_what_cannot_be_offered_is_refused(nim, tmp_path):
    """No two games have one name, a name is plain, a file is one, and its rules are tried."""
    shutil.copy(nim, tmp_path / "pig.py")
    shutil.copy(nim, tmp_path / "our nim.py")
    (tmp_path / "broken.py").write_text(nim.read_text().replace("def legal(", "def legal_("))
    for text, why in [
        (str(nim), "there is a game 'our_nim' on the page already"),
        (str(tmp_path / "pig.py"), "there is a game 'pig' on the page already"),
        (str(tmp_path / "our nim.py"), "must be called by letters"),
        (str(tmp_path / "broken.py"), "it lacks legal"),
        ("connect_four:width=5", "is no file"),
    ]:
        with pytest.raises(BadInput, match=why):
            offer([text])


def test_boards_of_strangers_are_for_checked_games(nim, tmp_path, monkeypatch):
    """A description from outside reaches the tables of a file only if the file has passed `turnsmith check`."""
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(first_use, "_passed", set())
    game, other = known_game("our_nim"), {"piles": [1, 1], "misere": False}
    assert source_of(game, 0, game.describe(0)) == game.describe(0)
    with pytest.raises(BadInput, match="boards of your own are not taken for our_nim until"):
        source_of(game, 0, other)
    first_use.remember(game, "checked")
    assert source_of(game, 0, other) == other


def test_a_file_is_played_on_the_page_and_by_programs(tmp_path, browser):
    """A served file is listed, described, played and watched like our games; its path is told to nobody."""
    file = tmp_path / "our_nim.py"
    shutil.copy(EXAMPLES / "nim.py", file)
    with server(tmp_path, f"{file}:piles=1-2") as address:
        assert [each["name"] for each in call(address, "/api/games")[1]][-1] == "our_nim"
        about = call(address, "/api/games/our_nim")[1]
        assert about["options"][0]["default"] == "1-2"
        match = call(address, "/api/matches", {"game": "our_nim", "seats": ["person", "random"], "seed": 1})[1]
        key, place = match["keys"][0], f"/api/matches/{match['match']}"
        while not match["over"]:
            legal = call(address, f"{place}/legal?key={key}")[1]
            match = call(address, f"{place}/moves", {"key": [key], "move": legal[0]["words"], "wait": 30})[1]
        record = call(address, f"{place}/record?key={key}")[1]
        assert record["game"] == "our_nim"
        assert str(tmp_path) not in str([about, match, record])
        for text in (str(file), "./our_nim.py", str(EXAMPLES / "nim.py")):
            assert call(address, "/api/best", {"game": text, "actions": []})[0] == 400
        browser.open(f"{address}/new/our_nim?seed=1")
        browser.press("Start")
        browser.click("a")
        browser.click("1")
        browser.until(lambda: "a 1" in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
        browser.driver.get("about:blank")  # or the page would look for the server that is gone


def test_a_game_of_openspiel_is_played_on_the_page(tmp_path, browser):
    """Its text is the picture, a button is a move, and the other's card is not to be seen."""
    with server(tmp_path, "openspiel:leduc_poker") as address:
        browser.open(f"{address}/new/openspiel_leduc_poker?seed=1")
        browser.press("Start")
        browser.click("Call")
        browser.until(lambda: "Call" in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
        shown = browser.driver.find_element(By.CSS_SELECTOR, ".board").text
        assert "Observer: 0" in shown
        assert "Private: -" not in shown
        browser.driver.get("about:blank")  # or the page would look for the server that is gone


def test_a_trained_file_is_an_opponent_by_its_name(nim, tmp_path):
    """It stands among the opponents of the game it was trained for, plays there, and no client can name another."""
    game = known_game("our_nim")
    seen = observer(game, game.board())
    about = {"kind": "value", "game": "our_nim", "sees": seen.described()}
    net = Net(fresh((*seen.shape, 4, 1), 1), "Sigmoid", about)
    for name in ("sharp", "other"):
        net.write(tmp_path / f"{name}.onnx", "a test")
    offered.offer_values([str(tmp_path / "sharp.onnx")])
    try:
        text = offered.opponents(game, game.board())["trained: sharp"]
        assert text == "negamax:depth=4,value=sharp"
        assert known_player(text, game).act(game.start()).words
        assert "trained: sharp" not in offered.opponents(known_game("pig"), known_game("pig").board())
        with pytest.raises(BadInput, match="files are not read here; there are sharp"):
            known_player(f"negamax:depth=4,value={tmp_path}/other.onnx", game)
        with pytest.raises(BadInput, match="there is no file"):
            offered.offer_values([str(tmp_path / "missing.onnx")])
    finally:
        value.named.clear()
