"""Exported players: every kind of file says the same, compiled and run in its own language, and reads back."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from engines import CSHARP, GODOT, has, replay_csharp, replay_gdscript
from hypothesis import given, settings
from hypothesis import strategies as some

import turnsmith as ts
from turnsmith.adapters import csharp, gdscript
from turnsmith.adapters.export import WinRateMeasure, export, exports
from turnsmith.common.errors import BadInput
from turnsmith.games.tactics import terms
from turnsmith.games.tactics.matrix import COLUMNS, INPUTS, Matrix, read_matrix, write_matrix
from turnsmith.nets.linear_policy import Action, Input, LinearPolicy, Origin, WinRate, json_lines, read_policy
from turnsmith.studies.tactics.exports import policy_of

ROOT = Path(__file__).parent.parent.parent
GAME = ts.load("tactics:size=16,team=2")


def numbers(seed):
    """A matrix of all sizes of numbers, in which every input has a say."""
    draw = np.random.default_rng(seed)
    return draw.normal(size=(18, 7)) * 10.0 ** draw.integers(-2, 2, (18, 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One matrix, exported as everything there is."""
    folder = tmp_path_factory.mktemp("exported")
    write_matrix(folder / "matrix.txt", numbers(5), 0.625)
    player = Matrix(file=str(folder / "matrix.txt"))
    for name, vectors in {"brain.json": 3, "brain.onnx": 3, "brain.txt": 1, "Brain.cs": 210, "brain.gd": 210}.items():
        export(GAME, player, folder / name, vectors=vectors)
    return folder


@pytest.fixture(scope="module")
def golden(folder):
    return json.loads((folder / "brain.golden.json").read_text())


# ---------------------------------------------------------------- golden vectors


def test_golden_vectors_are_what_the_player_does(folder, golden):
    """At least 200 positions of real games, each replayed from its board and number: same inputs, same choice."""
    player, real = Matrix(file=str(folder / "matrix.txt")), [v for v in golden["vectors"] if v["position"]]
    assert len(real) == 210
    assert len({v["action"] for v in real}) >= 4
    assert {False, True} == {can for vector in real for can in vector["possible"]}
    seed = real[0]["position"]["seed"]
    assert golden["boards"][str(seed)] == GAME.describe(seed)
    wanted = {v["position"]["move"]: v for v in real if v["position"]["seed"] == seed}
    seen = 0
    for ply, position in enumerate(ts.play(GAME, [player, player], seed).positions()):
        if ply in wanted:
            vector, seen = wanted[ply], seen + 1
            assert player.act(position).words == vector["words"]
            assert np.dot(vector["inputs"], numbers(5)) == pytest.approx(vector["scores"])
    assert seen == len(wanted) > 0


def test_made_up_vectors_hold_the_ties(golden):
    """Behind the real ones, one an action: all scores equal, and the first possible one wins."""
    made = [vector for vector in golden["vectors"] if vector["position"] is None]
    assert [vector["action"] for vector in made] == list(COLUMNS)
    assert [vector["possible"].index(True) for vector in made] == list(range(7))


def test_the_same_seed_writes_the_same_files(folder, tmp_path):
    """Byte for byte; another seed has other vectors."""
    player = Matrix(file=str(folder / "matrix.txt"))
    written = {}
    for place, seed in (("first", 1), ("again", 1), ("other", 2)):
        (tmp_path / place).mkdir()
        export(GAME, player, tmp_path / place / "brain.gd", vectors=5, seed=seed)
        written[place] = {file.name: file.read_bytes() for file in (tmp_path / place).iterdir()}
    assert sorted(written["first"]) == ["brain.gd", "brain.golden.json", "brain_test.gd"]
    assert written["first"] == written["again"]
    assert written["first"]["brain_test.gd"] != written["other"]["brain_test.gd"]


# ---------------------------------------------------------------- the definitions


def inputs_by_definition(source, place):
    """The inputs from a golden position alone, by the words of ``terms.py``; chances and steps come from tables."""
    board = GAME.build(source)[0]
    side, (me, soldier) = int(board.side), (place["soldier"], place["soldiers"][place["soldier"]])
    units = {name: index for index, name in enumerate(place["soldiers"])}
    cell = {name: each["row"] * side + each["column"] for name, each in place["soldiers"].items()}
    alive = [name for name, each in place["soldiers"].items() if each["hp"] > 0]
    foes = [name for name in alive if name[0] != me[0]]
    pace, points, most, least = int(board.pace[0]), place["points"], int(board.most), int(board.least)

    def chance(start, foe):
        odds = int(board.odds[0, cell[foe], start])
        if odds and place["soldiers"][foe]["taking_cover"]:
            return max(least, odds - int(board.taking))
        return min(most, odds)

    def best(start):
        return max(chance(start, foe) for foe in foes)

    def exposure(there):
        return sum(min(most, int(board.odds[0, there, cell[foe]])) for foe in foes)

    def steps(start, end):
        return int(board.steps[start, end])

    def threat(there):
        walk = pace * (int(board.points) - int(board.shot_points))
        ways = [[c for c in range(side * side) if steps(cell[foe], c) <= walk] for foe in foes]
        return sum(min(most, max(int(board.odds[0, there, c]) for c in cells)) for cells in ways)

    def nearest(start):
        return min(steps(start, cell[foe]) for foe in foes)

    def rank(there):
        row, column = divmod(there, side)
        return there if me.startswith("green") else (side - 1 - column) * side + side - 1 - row

    here, taken = cell[me], {cell[name] for name in alive}
    free = [c for c in range(side * side) if c not in taken and steps(here, c) <= pace * points]
    near = [c for c in free if steps(here, c) <= pace * (points - int(board.shot_points))]
    if any(best(c) for c in near):
        attack = min(near, key=lambda c: (-best(c), steps(here, c), rank(c)))
        balanced = min(near, key=lambda c: (exposure(c) - best(c) * len(foes), rank(c)))
    else:
        attack = balanced = min(near, key=lambda c: (nearest(c), rank(c)), default=None)
    defence = min(free, key=lambda c: (exposure(c), -int(board.cover[c].sum()), nearest(c), rank(c)), default=None)
    share, own, unit = 100 * max(1, len(foes)), len(alive) - len(foes), units[me]
    can_shoot = soldier["ammo"] > 0 and points >= board.shot_points
    heights = [int(height) for height in board.heights]
    x, y = here % side, here // side
    around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    higher = any(0 <= a < side and 0 <= b < side and heights[b * side + a] > heights[here] for a, b in around)
    return {
        "one": 1.0,
        "hp": soldier["hp"] / int(board.hp[unit]),
        "ammo": soldier["ammo"] / int(board.magazine[unit]),
        "points": points / int(board.points),
        "hit now": best(here) / 100 if can_shoot else 0.0,
        "hit after attack move": 0.0 if attack is None else best(attack) / 100,
        "hit after balanced move": 0.0 if balanced is None else best(balanced) / 100,
        "exposure now": exposure(here) / share,
        "exposure at attack cell": exposure(here if attack is None else attack) / share,
        "exposure at defence cell": exposure(here if defence is None else defence) / share,
        "in cover": float(higher),
        "own alive": own / int(board.team),
        "enemies alive": len(foes) / int(board.team),
        "distance": min(1.0, nearest(here) / side),
        "threat now": threat(here) / share,
        "threat at attack cell": threat(here if attack is None else attack) / share,
        "threat at defence cell": threat(here if defence is None else defence) / share,
        "threat at balanced cell": threat(here if balanced is None else balanced) / share,
    }


def test_the_definitions_are_exact(golden):
    """Who computes the inputs of the golden positions by the words of the exported file gets the golden inputs."""
    for vector in [v for v in golden["vectors"] if v["position"]][::5]:
        found = inputs_by_definition(golden["boards"][str(vector["position"]["seed"])], vector["position"])
        assert list(found) == golden["inputs"] == list(INPUTS)
        assert list(found.values()) == pytest.approx(vector["inputs"], abs=1e-12), vector["position"]


def test_programs_and_documentation_share_the_definitions(folder):
    """Every meaning stands in the C# class, in the script, in the JSON and on the page for designers."""
    page = (ROOT / "docs" / "how-to" / "tactics-designers.md").read_text()
    texts = [re.sub(r"\s*\n\s*(///|#|//)?\s+", " ", (folder / name).read_text()) for name in ("Brain.cs", "brain.gd")]
    for name, meaning in {**terms.TERMS, **terms.INPUTS, **terms.ACTIONS}.items():
        assert f"| {name} | {meaning}" in page, f"docs/how-to/tactics-designers.md: {name} should be: {meaning}"
        for text in texts:
            assert meaning in text.replace("&lt;", "<")


# ---------------------------------------------------------------- other languages


def test_the_class_agrees_in_csharp(folder, tmp_path):
    """Compiled and run against its golden vectors; one weight changed, and the program says where it is wrong."""
    text, count = (folder / "Brain.cs").read_text(), 210 + 7
    assert "public double HitAfterAttackMove;" in text
    assert (folder / "BrainTest.cs").read_text().count("        Check(") == count
    first = repr(float(numbers(5)[0, 0]))
    assert text.count(first) == 1
    if has(*CSHARP):
        assert replay_csharp(folder, "Brain") == (0, f"{count} of {count} golden vectors agree")
        (tmp_path / "Brain.cs").write_text(text.replace(first, "999.0"))
        (tmp_path / "BrainTest.cs").write_text((folder / "BrainTest.cs").read_text())
        code, said = replay_csharp(tmp_path, "Brain")
        assert code == 1
        assert said.endswith(f" of {count} golden vectors agree")


def test_the_script_agrees_in_godot(folder, tmp_path):
    """Run against its golden vectors; one weight changed, and the script ends with 1."""
    text, count = (folder / "brain.gd").read_text(), 210 + 7
    assert "\tvar hit_after_attack_move = 0.0" in text
    assert (folder / "brain_test.gd").read_text().count('\n\t["') == count
    first = repr(float(numbers(5)[0, 0]))
    assert text.count(first) == 1
    if has(*GODOT):
        assert replay_gdscript(folder, "brain") == (0, f"{count} of {count} golden vectors agree")
        (tmp_path / "brain.gd").write_text(text.replace(first, "999.0"))
        (tmp_path / "brain_test.gd").write_text((folder / "brain_test.gd").read_text())
        code, said = replay_gdscript(tmp_path, "brain")
        assert code == 1
        assert said.endswith(f" of {count} golden vectors agree")


def test_names_that_a_language_would_not_take_are_changed(tmp_path):
    """Keywords, digits, signs and namesakes among inputs and actions still make programs that compile."""
    inputs = tuple(Input(name, "x < y & */ \" '") for name in ("in", "to array", "Inputs", "2nd", "a-b", "a b", "é"))
    actions = tuple(Action(name, "?") for name in ("class", "1", "class!", "ü"))
    policy = LinearPolicy(inputs, actions, np.full((7, 4), -1e-9), Origin("a game", "a player"))
    from turnsmith.adapters.golden import Vectors, _ties

    vectors = Vectors({}, _ties(policy))
    files = {"Odd.cs": csharp.class_text("Odd", policy), "OddTest.cs": csharp.test_text("Odd", policy, vectors)}
    files |= {"odd.gd": gdscript.script_text("odd", policy), "odd_test.gd": gdscript.test_text("odd", policy, vectors)}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert "public double Inputs_;" in files["Odd.cs"]
    assert "\tvar in_ = 0.0" in files["odd.gd"]
    if has(*CSHARP):
        assert replay_csharp(tmp_path, "Odd") == (0, "4 of 4 golden vectors agree")
    if has(*GODOT):
        assert replay_gdscript(tmp_path, "odd") == (0, "4 of 4 golden vectors agree")


def test_onnx_runtime_gives_the_same_scores_and_actions(folder, golden):
    """Opset 15, in single precision: scores to six digits, the same action everywhere, the first of equals."""
    model = onnx.load(folder / "brain.onnx")
    assert [each.version for each in model.opset_import] == [15]
    session = onnxruntime.InferenceSession(folder / "brain.onnx", providers=["CPUExecutionProvider"])
    vectors = golden["vectors"]
    inputs, possible = (np.array([v[key] for v in vectors], np.float32) for key in ("inputs", "possible"))
    scores, action = session.run(None, {"inputs": inputs, "possible": possible})
    wanted = np.array([v["scores"] for v in vectors])
    assert np.abs(scores - wanted).max() <= 1e-6 * np.abs(wanted).max()
    assert [golden["actions"][place] for place in action] == [v["action"] for v in vectors]
    about = json.loads(model.metadata_props[0].value)
    assert [each["name"] for each in about["inputs"]] == list(INPUTS)


# ---------------------------------------------------------------- JSON and text


def test_json_and_text_play_the_same(folder):
    """matrix:file=brain.json and brain.txt make the same moves as what was exported; the win rate comes along."""
    played = [
        ts.play(GAME, [f"matrix:file={folder / name}", "static"], seed=4).actions
        for name in ("matrix.txt", "brain.txt", "brain.json")
    ]
    assert played[0] == played[1] == played[2]
    assert (folder / "brain.txt").read_bytes() == (folder / "matrix.txt").read_bytes()
    assert read_matrix(folder / "brain.json").winrate == 0.625
    again = policy_of(GAME, Matrix(file=str(folder / "brain.json")))
    assert again.origin.winrate == WinRate(0.625)
    assert len(again.origin.configuration) == 64


def test_the_configuration_has_a_digest(folder, tmp_path):
    """Another number of the rules, another digest."""
    (tmp_path / "rules.toml").write_text("[turn]\nrounds = 41\n")
    other = ts.load(f"tactics:size=16,team=2,config={tmp_path / 'rules.toml'}")
    player = Matrix(file=str(folder / "brain.json"))
    assert policy_of(other, player).origin.configuration != policy_of(GAME, player).origin.configuration


def test_a_win_rate_can_be_measured(folder, tmp_path):
    """With its interval, games and opponent, in the file and in its text form."""
    measure = WinRateMeasure("random", 40)
    done = export(GAME, Matrix(), tmp_path / "brain.txt", measure=measure)
    rate = done.policy.origin.winrate
    assert 0 <= rate.low <= rate.rate <= rate.high <= 1
    assert (rate.games, rate.against) == (40, "random")
    assert read_matrix(tmp_path / "brain.txt").winrate == rate.rate
    assert "games against random" in str(rate)


finite = some.floats(-1e30, 1e30, allow_nan=False)


@settings(max_examples=30, deadline=None)
@given(some.lists(some.lists(finite, min_size=3, max_size=3), min_size=1, max_size=4), some.text(max_size=20))
def test_a_policy_reads_back_bit_for_bit(folder, rows, words):
    """Any matrix and any printable text."""
    words = "".join(sign for sign in words if sign.isprintable()).strip()
    inputs = tuple(Input(f"input {number}", words, -1.0, 2.5) for number in range(len(rows)))
    actions = tuple(Action(f"action {number}", words) for number in range(3))
    origin = Origin("game", words, "digest", "0.1", WinRate(0.5, 0.4, 0.6, 100, 3, "static", 7))
    policy = LinearPolicy(inputs, actions, np.array(rows, np.float64), origin, {"a": words})
    path = folder / "policy.json"
    path.write_text(json_lines(policy.document()), encoding="utf-8")
    found = read_policy(path)
    assert found.matrix.tobytes() == policy.matrix.tobytes()
    assert (found.inputs, found.actions, found.origin, found.terms) == (inputs, actions, origin, {"a": words})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda d: d.pop("matrix"), "matrix is missing"),
        (lambda d: d.update(extra=1), "extra is no key here; there are turnsmith, version, origin"),
        (lambda d: d.update(version=2), "version must be 1, not 2"),
        (lambda d: d.update(turnsmith="match"), '"turnsmith" must be "linear policy"'),
        (lambda d: d["matrix"].pop(), "matrix has 17 rows for 18 inputs"),
        (lambda d: d["matrix"][3].append(1.0), "matrix[3] must be a list of 7 numbers"),
        (lambda d: d["matrix"][3].__setitem__(2, "1"), "matrix[3][2] must be a number from -1e+30 to 1e+30, not 1"),
        (lambda d: d["matrix"][0].__setitem__(0, float("nan")), "matrix[0][0] must be a number"),
        (lambda d: d["matrix"][0].__setitem__(0, True), "matrix[0][0] must be a number"),
        (lambda d: d["matrix"][0].__setitem__(0, 10**400), "matrix[0][0] must be a number"),
        (lambda d: d["inputs"][1].update(name="health"), "inputs[1].name must be 'hp'; it is 'health'"),
        (lambda d: d["inputs"][1].update(name="one"), "inputs has 'one' twice"),
        (lambda d: d["inputs"][1].pop("low"), "inputs[1].low is missing"),
        (lambda d: d["actions"].reverse(), "actions[0].name must be 'reload'; it is 'skip'"),
        (lambda d: d["origin"].update(winrate={"rate": "high"}), "origin.winrate.rate must be a number"),
        (lambda d: d["origin"].update(winrate={"rate": 0.5, "games": -1}), "origin.winrate.games must be a whole"),
        (lambda d: d["origin"].update(player=7), "origin.player must be a text, not 7"),
        (lambda d: d.update(terms=[]), "terms must be an object"),
    ],
)  # fmt: skip
def test_a_broken_json_file_is_refused_by_key(folder, tmp_path, change, complaint):
    """The key, the reason and the file."""
    document = json.loads((folder / "brain.json").read_text())
    change(document)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(document))
    with pytest.raises(BadInput) as refused:
        Matrix(file=str(path)).prepare(GAME, GAME.board())
    assert complaint in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"turnsmith": "linear policy", "turnsmith": "linear policy"}', "the key 'turnsmith' stands twice"),
        (b" " * 1_000_001, "is larger than any policy"),
        (b"[]", "this is no policy"),
    ],
)
def test_what_is_no_policy_is_refused(tmp_path, content, complaint):
    """Empty, binary, endless, doubled or something else."""
    (tmp_path / "b.json").write_bytes(content)
    with pytest.raises(BadInput, match=re.escape(complaint)):
        read_policy(tmp_path / "b.json")


def test_a_matrix_without_preferences_is_exported_with_ties_alone(tmp_path):
    """Where no position is clear there are no vectors of games, and nothing is played on and on."""
    write_matrix(tmp_path / "zero.txt", np.zeros((14, 7)))
    assert export(GAME, Matrix(file=str(tmp_path / "zero.txt")), tmp_path / "zero.gd", vectors=4).vectors == 7


def test_fewer_inputs_leave_as_they_came(tmp_path):
    """A matrix of six rows has six inputs in every file."""
    write_matrix(tmp_path / "short.txt", numbers(1)[:6])
    player = Matrix(file=str(tmp_path / "short.txt"))
    export(GAME, player, tmp_path / "Short.cs", vectors=5)
    export(GAME, player, tmp_path / "short.json", vectors=5)
    assert read_matrix(tmp_path / "short.json").entries.shape == (6, 7)
    assert "ExposureNow" not in (tmp_path / "Short.cs").read_text()
    if has(*CSHARP):
        assert replay_csharp(tmp_path, "Short") == (0, "12 of 12 golden vectors agree")


# ---------------------------------------------------------------- refusals, and files whole or not there


def test_numbers_too_large_for_engines_are_refused(tmp_path):
    """Rather than written as infinities; nothing is left behind."""
    write_matrix(tmp_path / "huge.txt", np.full((14, 7), 1e31))
    with pytest.raises(BadInput, match="an entry beyond 1e\\+30; divide all entries"):
        export(GAME, Matrix(file=str(tmp_path / "huge.txt")), tmp_path / "Brain.cs")
    with pytest.raises(BadInput, match="finite numbers only"):
        write_matrix(tmp_path / "nan.txt", np.full((14, 7), np.nan))
    assert [file.name for file in tmp_path.iterdir()] == ["huge.txt"]


def test_nothing_is_half_written(tmp_path, monkeypatch):
    """A disk that fills up in the middle leaves what was there before, and no part of the new files."""
    (tmp_path / "Brain.cs").write_text("before")
    write, written = Path.write_bytes, []

    def fails_at_last(path, content):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(path.name)
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fails_at_last)
    with pytest.raises(OSError, match="No space"):
        export(GAME, Matrix(), tmp_path / "Brain.cs", vectors=3)
    assert [file.name for file in tmp_path.iterdir()] == ["Brain.cs"]
    assert (tmp_path / "Brain.cs").read_text() == "before"


def test_the_game_of_the_contract_page_exports_its_player(tmp_path):
    """A file of one's own with an `Export`: another game, other inputs and actions, the same proof."""
    pages = [ROOT / "docs" / "tutorials" / "twenty-one.md", ROOT / "docs" / "reference" / "contract.md"]
    pieces = [piece for page in pages for piece in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)]
    (tmp_path / "my_game.py").write_text("\n\n".join(pieces))
    game = ts.load(str(tmp_path / "my_game.py"))
    done = export(game, ts.player("hasty", game), tmp_path / "Hasty.cs", vectors=12)
    assert done.vectors == 12 + 3
    export(game, ts.player("hasty", game), tmp_path / "hasty.gd", vectors=12)
    if has(*CSHARP):
        assert replay_csharp(tmp_path, "Hasty") == (0, "15 of 15 golden vectors agree")
    if has(*GODOT):
        assert replay_gdscript(tmp_path, "hasty") == (0, "15 of 15 golden vectors agree")


def test_what_a_game_declares_is_checked(tmp_path):
    """EXPORTS of the wrong form is refused; none is none."""
    (tmp_path / "odd.py").write_text("EXPORTS = {'matrix': 7}\n")
    with pytest.raises(BadInput, match="EXPORTS must be a dict of Export"):
        exports(str(tmp_path / "odd.py"))
    assert exports("pig") == {}
    assert list(exports("tactics")) == ["matrix"]
