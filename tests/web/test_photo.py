"""A photograph of a board on the page: read, put right, gone on with."""

import base64

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import turnsmith as ts
from turnsmith.contract import photo
from turnsmith.games.mastermind.photo import PHOTO
from turnsmith.maps.raster import encode


def cells(browser, row):
    found = browser.driver.find_elements(By.CSS_SELECTOR, "button.cell")[5 * row : 5 * row + 5]
    return [cell.get_attribute("aria-label") for cell in found]


def test_a_photograph_is_read_put_right_and_gone_on_with(browser, address, tmp_path):
    """A file as a telephone would give it: every peg with its certainty; a click corrects, a right click tells why."""
    picture = PHOTO.sample(11)
    (tmp_path / "board.png").write_bytes(encode(picture.repeat(3, axis=0).repeat(3, axis=1)))
    browser.open(f"{address}/photo/mastermind")
    browser.until(lambda: browser.driver.find_elements(By.ID, "photograph"))
    browser.driver.find_element(By.ID, "photograph").send_keys(str(tmp_path / "board.png"))
    browser.see("most likely code")
    sheet = PHOTO.read(picture)
    for place, cell in enumerate(sheet.rows[0]):
        assert cells(browser, 0)[place].startswith(f"{cell.name}: {cell.choices[cell.best]}, ")
        assert cells(browser, 0)[place].endswith("%")
    first = browser.driver.find_elements(By.CSS_SELECTOR, "button.cell")[0]
    ActionChains(browser.driver).context_click(first).perform()
    browser.see("what guess 1, peg 1 was read from")
    peg = sheet.rows[0][0]
    for turn in range(1, len(peg.choices) + 1):  # once around, and it is as it was read
        browser.driver.find_elements(By.CSS_SELECTOR, "button.cell")[0].click()
        choice = (peg.best + turn) % len(peg.choices)
        said = f"{peg.name}: {peg.choices[choice]}, " + (
            f"{peg.chances[choice]:.0%}" if choice == peg.best else "yours"
        )
        browser.until(lambda said=said: cells(browser, 0)[0] == said)
    moves = PHOTO.moves(sheet, [[cell.best for cell in row] for row in sheet.rows])
    browser.press("Go on from here")
    browser.see(moves[-2])
    browser.see("What can be known")


@pytest.fixture(scope="module")
def astray():
    """A board at the edge of a large picture, where the eye does not find it; and its corners, as shares."""
    board = PHOTO.sample(9)
    corners = np.array(PHOTO.read(board).corners)
    large = board.repeat(2, axis=0).repeat(2, axis=1)
    (tall, wide), picture = large.shape[:2], np.full((480, 480, 3), 120, np.uint8)
    picture[470 - tall : 470, 10 : 10 + wide] = large
    return picture, (corners * (wide, tall) + (10, 470 - tall)) / 480


def test_a_board_that_is_not_found_is_not_read(astray):
    """Nothing is believed of pictures without a board, or with one that was not found; cut out at its corners it is
    read as if it had been found."""
    picture, corners = astray
    random = np.random.default_rng(0)
    for other in (picture, np.zeros((200, 120, 3), np.uint8), random.integers(0, 256, (200, 120, 3), np.uint8)):
        assert not PHOTO.read(other).is_found
    known, cut = PHOTO.read(PHOTO.sample(9)), PHOTO.read(PHOTO.cut(picture, corners))
    assert known.is_found
    assert cut.is_found
    read, again = ([[cell.best for cell in row] for row in sheet.rows] for sheet in (known, cut))
    assert PHOTO.moves(known, read) == PHOTO.moves(cut, again)


def test_the_corners_of_a_board_are_tapped(browser, address, tmp_path, astray):
    """Where the board is not found no peg is shown; with its four corners, in any order, it is read."""
    picture, corners = astray
    (tmp_path / "board.png").write_bytes(encode(picture))
    browser.open(f"{address}/photo/mastermind")
    browser.until(lambda: browser.driver.find_elements(By.ID, "photograph"))
    browser.driver.find_element(By.ID, "photograph").send_keys(str(tmp_path / "board.png"))
    browser.see("The board was not found in this picture")
    assert not browser.driver.find_elements(By.CSS_SELECTOR, "button.cell")
    tap = """const image = document.querySelector(".photograph img"), box = image.getBoundingClientRect();
    const [x, y] = [box.left + box.width * arguments[0], box.top + box.height * arguments[1]];
    const at = {bubbles: true, clientX: x, clientY: y};
    image.dispatchEvent(new MouseEvent("click", at));"""
    for number, place in enumerate((2, 0, 3, 1), start=1):
        browser.driver.execute_script(tap, *corners[place].tolist())
        if number < 4:
            drawn = "return document.querySelectorAll('.photograph circle').length"
            browser.until(lambda number=number, drawn=drawn: browser.driver.execute_script(drawn) == number)
    browser.see("most likely code")


def test_a_file_that_is_no_picture_is_refused_and_a_sample_read(browser, address, tmp_path):
    """The browser says that it cannot open it; there are samples to try."""
    (tmp_path / "board.txt").write_text("no picture")
    browser.open(f"{address}/photo/mastermind")
    browser.until(lambda: browser.driver.find_elements(By.ID, "photograph"))
    browser.driver.find_element(By.ID, "photograph").send_keys(str(tmp_path / "board.txt"))
    browser.see("choose a photograph")
    browser.press("Try a sample")
    browser.see("most likely code")


@pytest.mark.parametrize(("given", "why"), [
    (None, "two whole numbers and a text"),
    ({"width": 20, "height": 20.0, "pixels": ""}, "two whole numbers and a text"),
    ({"width": 8, "height": 20, "pixels": ""}, "sides of 16 to 480 pixels, not 8 x 20"),
    ({"width": 20, "height": 10**9, "pixels": ""}, "sides of 16 to 480"),
    ({"width": 20, "height": 20, "pixels": "?"}, "no base64"),
    ({"width": 20, "height": 20, "pixels": base64.b64encode(bytes(9)).decode()}, "9 bytes; 20 x 20 need 1,200"),
])  # fmt: skip
def test_wrong_pixels_are_refused(given, why):
    with pytest.raises(ts.BadInput, match=why):
        photo.picture_in(given)


def test_choices_that_are_none_are_refused():
    sheet = PHOTO.read(np.zeros((60, 40, 3), np.uint8))
    choices = [[cell.best for cell in row] for row in sheet.rows]
    assert photo.checked_choices(sheet, choices) == choices
    for wrong in (None, choices[:3], [choices[0][:2], *choices[1:]], [[99, 0, 0, 0, 0], *choices[1:]]):
        with pytest.raises(ts.BadInput, match=r"choices|choice"):
            photo.checked_choices(sheet, wrong)
