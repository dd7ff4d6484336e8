"""`turnsmith maps rate`: a session in a pipe, gone on with, and what is refused."""

import io

import pytest

from turnsmith.cli import main
from turnsmith.maps.taste.taste import Taste


def rate(monkeypatch, capsys, lines, *words):
    """The code, output and complaints of a session in which these lines are typed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    with pytest.raises(SystemExit) as end:
        main(["maps", "rate", *words])
    return end.value.code, *capsys.readouterr()


def test_a_session_is_saved_rating_by_rating(monkeypatch, capsys, tmp_path):
    """Ratings, an undo, a word that is none, and the end of the pipe; the next session goes on with the file."""
    path = tmp_path / "taste.json"
    words = ["homeguard", "--taste", str(path), "--seed", "3"]
    code, said, wrong = rate(monkeypatch, capsys, ["2", "why", "−1", "undo", "skip", "7", "wow", "1"], *words)
    assert (code, wrong) == (0, "")
    assert [each.rating for each in Taste.load(path).ratings] == [2, 1]
    assert "like rating 0, which was +2" in said
    assert "rating 7.0 must be" in said
    assert "'wow' is no rating" in said
    assert "blue decides" in said  # the game's own text of the map
    code, said, _ = rate(monkeypatch, capsys, ["help", "-2", "1"], *words, "--maps", "1", "--choice", "play")
    assert (code, "2 rated before" in said, "take back the last rating" in said) == (0, True, True)
    assert [each.rating for each in Taste.load(path).ratings] == [2, 1, -2]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["pig", "--taste", "t.json"], "have no genes"),
        (["homeguard", "--taste", "no/such/t.json"], "there is no folder"),
        (["homeguard", "--taste", "t.json", "--choice", "best"], "is not one of"),
        (["homeguard", "--taste", "t.json", "--predictor", "tarot"], "there is no predictor"),
        (["homeguard", "--taste", "broken.json"], "broken.json"),
        (["pacman", "--taste", "other.json"], "this is a taste of homeguard"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(monkeypatch, capsys, tmp_path, words, reason):
    """And nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    Taste("homeguard").save(tmp_path / "other.json")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, _, wrong = rate(monkeypatch, capsys, ["1"], *words)
    assert (code, reason in wrong, wrong.count("\n")) == (2, True, 1), wrong
    assert sorted(path.name for path in tmp_path.iterdir()) == before
