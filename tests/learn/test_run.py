"""A training run: steps made once, a curve that people and TensorBoard read, a card."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from tensorboardX.proto.event_pb2 import Event

import turnsmith as ts
from turnsmith.learn.run import EVENTS, Run


@dataclass(frozen=True)
class Settings:
    sizes: tuple[int, ...] = (3, 2)
    rounds: int = 2


def go(folder, rounds=2, dies_at=None):
    """A run of a few steps; returns how many of them were made now."""
    made = []
    run = Run(folder, Settings(rounds=rounds), free=("rounds",), code="abc")
    for number in range(rounds):
        drawn = run.arrays(f"draw-{number}.npz", lambda n=number: made.append(n) or {"numbers": np.arange(n + 3)})
        total = run.json(f"sum-{number}.json", lambda drawn=drawn: {"sum": int(drawn["numbers"].sum())})
        if number == dies_at:
            raise KeyboardInterrupt
        run.note(number, loss=1 / (1 + total["sum"]), games=number)
    run.finish("A small run", f"turnsmith train small nim --rounds {rounds}", {"wins": 0.123456})
    return len(made)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_that_was_cut_off_ends_with_the_same_files(tmp_path):
    """Steps that are there are not made again; curve, events, plot and card are those of an undisturbed run."""
    assert go(tmp_path / "whole") == 2
    for dies_at in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            go(tmp_path / "cut", dies_at=dies_at)
    assert go(tmp_path / "cut") == 0
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert set(files(tmp_path / "cut")) >= {"curve.jsonl", "curve.svg", "card.md", f"tensorboard/{EVENTS}"}


def test_curve_and_card_say_what_happened(tmp_path):
    """Every point is in the JSON lines and in TensorBoard's events; the card has the command, settings and results."""
    go(tmp_path)
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert curve == [{"point": 0, "loss": 0.25, "games": 0.0}, {"point": 1, "loss": 0.142857, "games": 1.0}]
    raw, events = (tmp_path / "tensorboard" / EVENTS).read_bytes(), []
    while raw:  # length, its checksum, the event, its checksum
        length = int.from_bytes(raw[:8], "little")
        events.append(Event.FromString(raw[12 : 12 + length]))
        raw = raw[16 + length :]
    assert [(e.step, v.tag, round(v.simple_value, 6)) for e in events for v in e.summary.value] == [
        (0, "loss", 0.25), (0, "games", 0.0), (1, "loss", 0.142857), (1, "games", 1.0),
    ]  # fmt: skip
    card = (tmp_path / "card.md").read_text()
    for part in ("# A small run", "$ turnsmith train small nim --rounds 2", "| sizes | (3, 2) |", "| wins | 0.1235 |"):
        assert part in card


def test_a_moving_average_stands_beside_its_number(tmp_path):
    """The mean of the last points, fewer at first, the same after a stop, drawn over the number in one panel."""
    for points in (3, 5):  # the second goes on
        run = Run(tmp_path, Settings(), smooth={"rate": 3})
        for point in range(points):
            run.note(point, rate=float(point), games=7)
    run.finish("Averages", "turnsmith", {})
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [each["rate, moving average"] for each in curve] == [0.0, 0.5, 1.0, 2.0, 3.0]
    assert (tmp_path / "curve.svg").read_text().count("<!-- rate -->") == 1
    assert "moving average" not in (tmp_path / "curve.svg").read_text()


def test_a_card_of_many_points_lists_some(tmp_path):
    """Evenly spread, the first and the last among them."""
    run = Run(tmp_path, Settings())
    run.curve = [{"point": point, "loss": 0.5} for point in range(1001)]
    run.finish("Long", "turnsmith", {})
    rows = [line for line in (tmp_path / "card.md").read_text().splitlines() if line.endswith("| 0.5 |")]
    assert [rows[0], rows[1], rows[-1]] == ["| 0 | 0.5 |", "| 6 | 0.5 |", "| 1000 | 0.5 |"]
    assert len(rows) <= 202


def test_a_folder_of_another_run_is_refused(tmp_path):
    """Other settings or other code are named; more rounds are no other run."""
    go(tmp_path)
    assert go(tmp_path, rounds=3) == 1
    with pytest.raises(ts.BadInput, match=r"begun with sizes=\[3, 2\]"):
        Run(tmp_path, Settings(sizes=(4,)), free=("rounds",), code="abc")
    with pytest.raises(ts.BadInput, match="begun with code=abc"):
        Run(tmp_path, Settings(), free=("rounds",), code="other")


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    """Somebody's own card.md is not written over; what a killed run has left of a step is no such file."""
    (tmp_path / "card.md").write_text("mine")
    with pytest.raises(ts.BadInput, match=r"holds card.md and no work to go on with; name a new or an empty folder"):
        go(tmp_path)
    assert files(tmp_path) == {"card.md": b"mine"}
    (tmp_path / "card.md").rename(tmp_path / ".card.md.1.2.part")
    assert go(tmp_path) == 2
