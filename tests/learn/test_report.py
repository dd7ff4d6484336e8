"""Reports on predictions: one function for chances and for numbers, by quarter, with intervals."""

import numpy as np
import pytest

from turnsmith.learn.report import counted, report, shown
from turnsmith.learn.scores import losses, reach


@pytest.fixture(scope="module")
def rows():
    """800 rows of 200 starts, four alike each: counts of two classes, who won, and the quarter."""
    random = np.random.default_rng(3)
    counts = np.repeat(random.integers(0, 30, (200, 2)), 4, axis=0)
    chances = counted(counts, (counts[:, 1] > counts[:, 0]).astype(int), counts * 0.1)
    truth = (random.random(800) < chances[:, 1]).astype(int)
    return counts, chances, truth, np.repeat(np.arange(200), 4), np.tile(np.arange(4), 200)


def test_chances_are_scored_all_and_by_quarter(rows):
    """Scores are means over the rows, intervals know the starts, quarters partition the rows."""
    _, chances, truth, starts, quarter = rows
    found = report({"true": chances, "even": np.full((800, 2), 0.5)}, truth, starts, quarter)
    assert (found["rows"], found["starts"]) == (800, 200)
    assert found["true"]["log_loss"] == pytest.approx(losses(chances, truth).mean())
    assert found["true"]["log_loss_reach"] == reach(losses(chances, truth), starts)
    assert found["true"]["log_loss"] < found["even"]["log_loss"] == pytest.approx(np.log(2))
    assert found["even"]["accuracy"] == 0.5  # ties share the credit
    means = [each["accuracy"] for each in found["true"]["quarters"]]
    assert np.mean(means) == pytest.approx(found["true"]["accuracy"])
    assert sum(each["rows"] for each in found["true"]["reliability"]) == 800


def test_a_baseline_of_counts_is_fitted(rows):
    """A count predicts as surely as it deserves: on its own rows no other sharpness has a smaller loss."""
    counts, _, truth, *_ = rows
    fitted = counted(counts, truth, counts)
    loss = losses(fitted, truth).mean()
    for scale in (0.9, 1.1):
        raised = fitted**scale
        assert loss <= losses(raised / raised.sum(axis=1, keepdims=True), truth).mean()


def test_numbers_are_scored_by_their_square(rows):
    """Predicted returns have squared errors; a quarter without rows is left empty, in Markdown too."""
    _, _, truth, starts, quarter = rows
    found = report({"mean": np.full(800, 0.5)}, truth.astype(float), starts, np.minimum(quarter, 2))
    assert found["mean"]["squared_error"] == pytest.approx(0.25)
    assert found["mean"]["quarters"][3] == {}
    assert shown(found).splitlines()[0] == "| squared error | all | 1st quarter | 2nd | 3rd | 4th |"
    assert shown(found).splitlines()[-1] == "| mean | 0.250 ± 0.000 | 0.250 | 0.250 | 0.250 |  |"


def test_markdown_has_a_table_a_measure(rows):
    """Three measures and the reliability, each with a row a predictor; the title says of what."""
    _, chances, truth, starts, quarter = rows
    text = shown(report({"true": chances}, truth, starts, quarter), "by game: ")
    assert text.count("| true |") == 4
    assert "| by game: log-loss | all | 1st quarter |" in text
    assert "| by game: % right (of positions) when so sure | 50–60 |" in text
