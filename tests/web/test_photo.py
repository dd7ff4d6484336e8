"""A photograph of a board on the page: read, put right, gone on with."""

import base64

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import turnsmith as ts
from turnsmith import photo
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
