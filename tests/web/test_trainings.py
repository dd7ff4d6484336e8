"""Trainings on the page: curves grow while they run, damage is left out, and nothing but run folders is read."""

import json
import os
import urllib.error
import urllib.request

import pytest
from browsing import By
from hypothesis import given
from hypothesis import strategies as st

from turnsmith.cli import run
from turnsmith.common.errors import BadInput
from turnsmith.learn.run import Run
from turnsmith.web.jobs import trainings
from turnsmith.web.jobs.trainings import Trainings, read_curve, read_settings
from turnsmith.web.server.bounds import NotFound


def made(folder, name, lines, card=""):
    """A run folder by hand."""
    (folder / name).mkdir()
    (folder / name / "settings.json").write_text('{"seed": 3}')
    (folder / name / "curve.jsonl").write_text(lines)
    if card:
        (folder / name / "card.md").write_text(card)
    return folder / name


def test_a_run_is_read_as_it_grows(tmp_path):
    """What `Run` writes is found: points, settings, and the card when it is done."""
    training, known = Run(tmp_path / "mine", {"seed": 7, "games": 20}), Trainings(tmp_path)
    assert known.all() == [], "there is no point yet"
    training.note(0, loss=2.0, accuracy=0.5)
    training.note(1, loss=1.0)
    found = known.get("mine")
    assert (found.count, found.latest, found.card) == (2, {"loss": 1.0, "accuracy": 0.5}, "")
    assert found.settings == {"seed": "7", "games": "20"}
    assert known.get("mine") is found, "what has not changed is not read again"
    training.note(2, loss=0.5)
    training.finish("A title", "turnsmith train x", {})
    found = known.get("mine")
    assert found.panels[0].points == [0, 1, 2]
    assert found.panels[0].average == pytest.approx([2.0, 1.5, 3.5 / 3])
    assert found.card.startswith("# A title")
    assert [each.name for each in known.all()] == ["mine"]


def test_only_run_folders_are_read(tmp_path):
    """No path, no link, no hidden folder, no folder that lacks a file; and none at all where none was named."""
    home = tmp_path / "home"
    home.mkdir()
    outside = made(tmp_path, "outside", '{"point": 0, "a": 1}\n')
    made(home, ".hidden", '{"point": 0, "a": 1}\n')
    (home / "half").mkdir()
    (home / "half" / "settings.json").write_text("{}")
    (home / "linked").symlink_to(outside)
    (home / "file").write_text("x")
    sly = made(home, "sly", "")
    (sly / "curve.jsonl").unlink()
    (sly / "curve.jsonl").symlink_to(outside / "curve.jsonl")
    told = made(home, "told", '{"point": 0, "a": 1}\n')
    (told / "card.md").symlink_to(outside / "settings.json")
    known = Trainings(home)
    assert [(each.name, each.card) for each in known.all()] == [("told", "")]
    for name in ("../outside", "linked", ".hidden", "half", "sly", "", ".", "told/", "/etc", "x" * 5000, "a\0b"):
        with pytest.raises(NotFound):
            known.get(name)
    assert Trainings(None).all() == []
    assert Trainings(tmp_path / "none").all() == []
    with pytest.raises(NotFound):
        Trainings(None).get("told")


def test_damaged_lines_are_left_out_and_counted():
    """A torn end, other JSON, numbers that are none; the rest is shown."""
    torn = '{"point": 0, "a": 1}\n[1]\n{"a": 2}\n\x00\n{"point": 1, "a": "x", "b": NaN}\n'
    torn += '{"point": 2, "a": 3, "c": true}\n{"po'
    count, panels, damaged = read_curve(torn)
    assert (count, damaged) == (3, 4)
    assert [(panel.name, panel.points, panel.values) for panel in panels] == [("a", [0, 2], [1, 3])]
    assert read_curve('{"point": 0, "a": 1e999, "b": ' + "9" * 400 + "}")[1] == []
    assert read_settings("[" * 100_000) == {}


@given(st.text(), st.lists(st.dictionaries(st.text(max_size=5), st.floats() | st.integers() | st.none())))
def test_nonsense_never_breaks_the_page(text, points):
    """Whatever is in a curve, every panel has as many averages as values, and all are finite."""
    lines = "\n".join(json.dumps({**each, "point": place}) for place, each in enumerate(points))
    for panel in read_curve(f"{lines}\n{text}")[1]:
        assert len(panel.points) == len(panel.values) == len(panel.average) > 0
        json.dumps(panel.values + panel.average, allow_nan=False)


def test_long_curves_are_bounded(tmp_path, monkeypatch):
    """Of a huge file the end is read, of many points some are drawn, the last among them; own averages stay."""
    monkeypatch.setattr(trainings, "LIMITS", (10_000, 100, 100))
    lines = [json.dumps({"point": place, "a": 2.0, "a, moving average": 7.0}) for place in range(2000)]
    folder = made(tmp_path, "long", "\n".join(lines) + "\n", "c" * 1000 + "\n" + "d" * 50)
    found = Trainings(tmp_path).get("long")
    assert 100 < found.count < 2000
    assert found.damaged == 0
    assert found.panels[0].points[-1] == 1999
    assert (len(found.panels), set(found.panels[0].average)) == (1, {7.0})
    assert found.card == "d" * 50
    monkeypatch.undo()
    os.utime(folder / "curve.jsonl", ns=(1, 1))
    found = Trainings(tmp_path).get("long")
    assert found.count == 2000
    assert len(found.panels[0].points) <= trainings.MOST_SHOWN + 1
    assert found.panels[0].points[-1] == 1999


def test_a_folder_that_is_none_is_refused(tmp_path):
    """Before anything is served."""
    with pytest.raises(BadInput, match=r"--runs .* is no folder"):
        run(["serve", "--runs", str(tmp_path / "none"), "--no-open"])


def test_a_curve_grows_in_the_browser(browser, address, server_folder):
    """The list finds a training, its page draws new points by itself, and the card is text and no page."""
    training = Run(server_folder / "growing", {"seed": 1})
    training.note(0, loss=2.0)
    browser.open(f"{address}/training")
    browser.see("growing")
    browser.open(f"{address}/training/growing")
    browser.see("1 point,")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "canvas")) == 1
    for point in range(1, 6):
        training.note(point, loss=2.0 - 0.1 * point, accuracy=0.1 * point)
    browser.see("6 points,")
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, "canvas")) == 2)
    script = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    training.finish(script, "turnsmith train", {})
    browser.see("finished, 6 points")
    browser.see("<script>document.title")
    assert "taken" not in browser.driver.title


def test_other_folders_lead_nowhere(address, server_folder):
    """A name that is no training is answered with 404, whatever it looks like."""
    for name in ("none", "..%2F..%2Fetc", "%2e%2e", ".hidden"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/training/{name}")
        assert refused.value.code == 404
