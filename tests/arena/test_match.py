"""One match: played, saved, read again, and refused when damaged."""

import json

import pytest

import turnsmith as ts


def test_save_and_load(tmp_path):
    """A saved match is equal to the one that was played, and replays to its returns."""
    match = ts.play("connect_four", ["random", "random"], seed=3)
    match.save(tmp_path / "m.json")
    again = ts.load_match(tmp_path / "m.json")
    assert again == match
    assert list(list(again.positions())[-1].outcome.returns) == match.returns


def test_same_seed_same_match():
    """A seed names a match; another seed, another."""
    one, same, other = (ts.play("pig:target=30", ["random", "random"], seed=s).actions for s in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("content", ["", "{", "[]", '{"turnsmith": "match"}', '{"turnsmith": "map"}', '"x"'])
def test_damaged_files_are_refused(tmp_path, content):
    """Anything that is not a whole saved match gets one line."""
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(ts.BadInput, match="not a saved match"):
        ts.load_match(tmp_path / "m.json")


def test_an_illegal_move_in_a_file_is_named(tmp_path):
    """A tampered match says which move is wrong."""
    ts.play("connect_four", ["random", "random"], seed=3).save(tmp_path / "m.json")
    found = json.loads((tmp_path / "m.json").read_text())
    found["actions"][4] = 99
    (tmp_path / "m.json").write_text(json.dumps(found))
    with pytest.raises(ts.BadInput, match="move 5 of the match"):
        list(ts.load_match(tmp_path / "m.json").positions())


def test_a_match_does_not_run_a_file_unasked(tmp_path):
    """A match that names a file as its game is read only by those who say that they trust it."""
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'harm')!r}, 'w').close()\n")
    ts.play("connect_four", ["random", "random"], seed=3).save(tmp_path / "m.json")
    found = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps({**found, "game": f"{tmp_path / 'evil.py'}:width=7"}))
    with pytest.raises(ts.BadInput, match=r"m\.json would run .*evil\.py:width=7.*if you trust it, say so"):
        ts.load_match(tmp_path / "m.json")
    assert not (tmp_path / "harm").exists()
    with pytest.raises(ts.BadInput, match="is not a game yet"):
        list(ts.load_match(tmp_path / "m.json", trust=True).positions())
    assert (tmp_path / "harm").exists()


def test_wrong_number_of_players():
    """A table with too few players is refused with the number of seats."""
    with pytest.raises(ts.BadInput, match="2 seats"):
        ts.play("connect_four", ["random"])
