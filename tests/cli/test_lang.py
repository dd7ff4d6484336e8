"""Terminal play in other languages: --lang, the terminal's locale, and what stays English for programs and files."""

import json

import pytest
from typed import turnsmith


def test_play_in_czech_and_slovak(tmp_path):
    """A game is played in the language that is asked for; moves are typed as ever."""
    words = ("play", "tic_tac_toe", "--vs", "random", "--seed", "1", "--lang")
    said = {
        code: turnsmith(*words, code, cwd=tmp_path, answers="help\nb2\nsave g.json\n").stdout for code in ("cs", "sk")
    }
    assert "Napiš tah slovy." in said["cs"]
    assert "hraje" in said["cs"]
    assert "uloženo v g.json" in said["cs"]
    assert "Na shledanou." in said["cs"]
    assert "Napíš ťah slovami." in said["sk"]
    assert "uložené v g.json" in said["sk"]


def test_the_terminals_locale_speaks_unless_told(tmp_path, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "sk")
    words = ("play", "tic_tac_toe", "--vs", "random", "--seed", "1")
    assert "Dovidenia." in turnsmith(*words, cwd=tmp_path).stdout
    assert "Goodbye." in turnsmith(*words, "--lang", "en", cwd=tmp_path).stdout


def test_watch_and_replay_tell_how_it_ended(tmp_path):
    """In the reader's language; the file and --json are for everybody, in English."""
    words = ("watch", "connect_four", "--players", "random,random", "--seed", "2")
    told = turnsmith(*words, "--replay", "m.json", "--lang", "cs", cwd=tmp_path).stdout
    assert "vyhrává: 4 v řadě" in told
    assert "4 in a row" in (tmp_path / "m.json").read_text()
    again = turnsmith("replay", "m.json", "--lang", "sk", cwd=tmp_path).stdout
    assert "vyhráva: 4 v rade" in again
    document = json.loads(turnsmith(*words, "--json", "--lang", "cs", cwd=tmp_path).stdout)
    assert document["ending"] == "4 in a row"


@pytest.mark.parametrize("words", [("play", "pig"), ("watch", "pig", "--players", "random,random"), ("serve",)])
def test_a_language_nobody_speaks(tmp_path, words):
    answer = turnsmith(*words, "--lang", "xx", cwd=tmp_path)
    assert answer.returncode == 2
    assert answer.stderr == (
        "turnsmith: --lang 'xx' is none that turnsmith speaks; choose one of en (English), cs (Čeština), "
        "sk (Slovenčina)\n"
    )
    assert answer.stdout == ""
