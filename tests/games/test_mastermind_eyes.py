"""Boards as pictures: drawn, badly photographed, read again; and the player that sees nothing else."""

import math

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.evaluate import evaluate
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.mastermind import cameras, eye, eyes, photo
from turnsmith.games.mastermind.picture import FILLS, HOLE, RED, WHITE, WOOD
from turnsmith.games.mastermind.pixels import draw_all, rgb, shape_of
from turnsmith.studies.mastermind import album, eye_training
from turnsmith.studies.mastermind.trainings import EyeSettings

GAME = ts.load("mastermind")
BOARDS = GAME.board()


def position(*turns, secret=None):
    """A view after guesses (texts) and answers (red, white)."""
    at = ts.Position(ts.load("mastermind:maker=seat"))
    for guess, answer in turns:
        at.push(" ".join(guess))
        at.push(answer)
    views = np.zeros(1, GAME.State)
    for name in GAME.State.names:
        views[name] = at.state[name]
    views["dealt"] = 1
    views["secret"] = -1 if secret is None else secret
    return views


def drawn(views, boards=BOARDS):
    tall, wide = shape_of(int(boards[0].pegs), int(boards[0].tries))
    out = np.zeros((len(views), tall, 3 * wide), np.uint8)
    compiled(draw_all)(boards, views, out)
    return out.reshape(len(views), tall, wide, 3)


def test_pegs_and_pins_have_the_pages_colours_in_their_middles():
    """Rows from the top, pegs from the left, pins red first; empty places are holes."""
    picture = drawn(position(("abcd", "1+2"), ("ffee", "0+0")))[0]
    for turn, guess in enumerate(("abcd", "ffee")):
        middles = picture[22 + 12 * turn, 15:59:11][:4]
        assert middles.tolist() == [rgb(FILLS["abcdef".index(letter)]).tolist() for letter in guess]
    pins = [picture[22 + above, 57 + column].tolist() for above in (-3, 3) for column in (0, 5)]
    assert pins == [rgb(colour).tolist() for colour in (RED, WHITE, WHITE, HOLE)]
    assert picture[22 + 24, 15].tolist() == rgb(HOLE).tolist()
    assert picture[0, 0].tolist() == rgb(WOOD).tolist()


def test_compiled_and_interpreted_draw_the_same_on_any_board():
    """Small boards and large ones; what is hidden is not drawn, what came out at the end is."""
    for text in ("mastermind:colors=4,pegs=2,tries=6", "mastermind:colors=12,pegs=6,tries=12"):
        game = ts.load(text)
        boards, views = game.board(), np.zeros(2, game.State)
        views["turns"], views["guesses"], views["secret"] = [3, 2], 7, [-1, 5]
        one, two = drawn(views, boards), np.zeros_like(drawn(views, boards))
        draw_all(boards, views, two.reshape(2, two.shape[1], -1))
        assert np.array_equal(one, two)
        assert not np.array_equal(one[0, 2:14], one[1, 2:14])


def test_a_picture_tells_nothing_of_a_hidden_secret():
    """What the breaker sees is drawn from its view."""
    starts = [GAME.start(seed=seed) for seed in range(5)]
    assert len({int(at.state["secret"]) for at in starts}) > 1
    assert len({drawn(at.view(0)).tobytes() for at in starts}) == 1


# ---------------------------------------------------------------- cameras


def test_a_board_is_found_where_its_corners_are():
    """Cut out of a shaken picture along its corners, a board is nearly as it was drawn."""
    picture = drawn(position(("abcd", "1+2"), ("ffee", "0+0")))[0].reshape(eye.HEIGHT, -1)
    spare, corners, out, back = np.zeros_like(picture), np.zeros((4, 2)), np.zeros_like(picture), np.zeros_like(picture)
    for seed in range(5):
        compiled(cameras.shoot)(picture, cameras.SHAKEN, 0, spare, corners, out, stream(seed))
        compiled(cameras.rectify)(out, corners, back)
        inner = np.s_[4:-4, 12:-12]
        assert np.abs(back[inner].astype(float) - picture[inner]).mean() < 6
        assert np.abs(out.astype(float) - picture).mean() > 20
        sides = np.hypot(*((corners[[1, 2]] - corners[[0, 1]]) * [eye.WIDTH, eye.HEIGHT]).T)
        assert sides[1] / sides[0] == pytest.approx(eye.HEIGHT / eye.WIDTH)  # nothing is tilted
        assert 0.7 * eye.WIDTH <= sides[0] <= 0.95 * eye.WIDTH


def test_offsets_move_whole_channels_and_are_cut():
    """Each channel by one number, at most as large as allowed, both ways."""
    picture = drawn(position())[0].reshape(eye.HEIGHT, -1)
    found = []
    for seed in range(40):
        out = picture.copy()
        compiled(cameras.add_offsets)(out, 100, stream(seed))
        moved = (out.astype(int) - picture).reshape(eye.HEIGHT, eye.WIDTH, 3)
        uncut = (out > 0) & (out < 255)
        for channel in range(3):
            kept = moved[:, :, channel][uncut.reshape(eye.HEIGHT, eye.WIDTH, 3)[:, :, channel]]
            found += set(kept.tolist())
            assert len(set(kept.tolist())) <= 1
    assert -100 <= min(found) < -60
    assert 60 < max(found) <= 100


def test_projections_take_the_square_to_the_corners_and_back():
    corners = np.array([[0.1, 0.0], [0.9, 0.1], [1.0, 0.8], [0.0, 0.9]])
    there, back = np.zeros((3, 3)), np.zeros((3, 3))
    cameras.to_quad(corners, there)
    cameras.turn_back(there, back)
    for point, corner in zip([(0, 0), (1, 0), (1, 1), (0, 1)], corners, strict=True):
        x, y, far = there @ [*point, 1]
        assert np.allclose([x / far, y / far], corner)
        x, y, far = back @ [*corner, 1]
        assert np.allclose([x / far, y / far], point)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(("camera", "pegs", "answers"), [
    ((cameras.STILL, 0), 0.0, 0.001), ((cameras.SHAKEN, 0), 0.005, 0.02), ((cameras.STILL, 60), 0.03, 0.03),
])  # fmt: skip
def test_the_shipped_eye_reads_boards_it_never_saw(camera, pegs, answers):
    """Wrongly read at most so many of 200 new boards; a telephone's pictures are harder, see the documents."""
    made = album.samples(np.arange(200, dtype=np.uint64) + np.uint64(2**62 + 7), (camera,))
    read = eye.read(made.pictures)
    rows = made.pegs[:, :, 0] < eye.COLORS
    assert (np.stack([each.pegs.argmax(-1) for each in read]) != made.pegs)[rows].mean() <= pegs
    assert (np.stack([each.answers.argmax(-1) for each in read]) != made.answers)[rows].mean() <= answers


def test_a_small_training_makes_an_eye_that_plays(tmp_path):
    """Two epochs teach next to nothing, but the file is an eye, its curve and card are there, and it goes on."""
    settings = EyeSettings(epochs=2, pictures=64, batch=32)
    done = eye_training.train(settings, TrainingContext(tmp_path, command="turnsmith train mastermind eye"))
    assert done.document["wrong"] > 0.3
    (reading,) = eye.read(np.zeros((1, eye.HEIGHT, 3 * eye.WIDTH), np.uint8), tmp_path / "eye.onnx")
    assert reading.pegs.shape == (10, 4, 7)
    assert np.allclose(reading.pegs.sum(axis=2), 1.0, atol=1e-5)
    before = (tmp_path / "eye.onnx").read_bytes()
    (tmp_path / "eye.onnx").unlink()
    eye_training.train(settings, TrainingContext(tmp_path, command="turnsmith train mastermind eye"))
    assert (tmp_path / "eye.onnx").read_bytes() == before
    (tmp_path / "none.onnx").write_text("no net")
    with pytest.raises(ts.BadInput, match=r"is no net of ours.*turnsmith train mastermind eye"):
        eye.read(np.zeros((1, eye.HEIGHT, 3 * eye.WIDTH), np.uint8), tmp_path / "none.onnx")


def test_chances_are_weighed_where_a_picture_leaves_something_open():
    """A peg that may be one of two colours leaves what fits either; a certain reading leaves what the rules leave."""
    table, *_ = eyes._model(eye.SHIPPED.stat().st_mtime_ns)
    pegs, answers = np.zeros((10, 4, 7)), np.zeros((10, 14))
    pegs[0, [0, 1, 2, 3], [0, 0, 1, 1]] = 1.0
    answers[0, 13] = 1.0  # all red
    weights = np.zeros(1296)
    compiled(eyes.believe)(BOARDS[0:1][0], table, pegs, answers, 1, weights)
    code = 0 * 216 + 0 * 36 + 1 * 6 + 1
    assert weights[code] > 0.5
    pegs[0, 0, :2] = 0.5
    compiled(eyes.believe)(BOARDS[0:1][0], table, pegs, answers, 1, weights)
    assert weights[code] == pytest.approx(weights[code + 216])
    assert math.isclose(weights.sum(), 1.0)


def test_it_breaks_codes_from_pictures_alone():
    """Twenty codes with a good camera, as well as who reads perfectly; at the largest offset nobody could."""
    good = evaluate("mastermind", "eyes", games=20, seed=3)
    best = evaluate("mastermind", "eyes:perfect=true", games=100, seed=3)
    assert abs(good.evaluation.mean - best.evaluation.mean) < 0.6
    assert best.evaluation.mean < 4.7
    blind = evaluate("mastermind", "eyes:perfect=true,offset=250", games=100, seed=3)
    assert blind.evaluation.mean > best.evaluation.mean


@pytest.mark.parametrize(("game", "who", "why"), [
    ("mastermind:colors=4,pegs=2", "eyes", "6 colors, 4 pegs and 10 tries"),
    ("mastermind", "eyes:perfect=true,distortion=2", "distortion=0 and 1"),
])  # fmt: skip
def test_it_says_what_it_cannot_read(game, who, why):
    with pytest.raises(ts.BadInput, match=why):
        evaluate(game, who, games=1)


def test_it_answers_too_and_leaves_the_most_codes():
    """Against `optimal`, as the maker; its answers are legal, and the code takes as long as the best maker makes it."""
    game = ts.load("mastermind:maker=seat")
    played = ts.play(game, ["optimal", "eyes"], seed=1)
    assert 5 <= len(played.actions) // 2 <= 7


# ---------------------------------------------------------------- photographs of people


def test_a_photograph_becomes_moves_and_advice():
    """Any size and proportion; what is misread can be put right, what cannot be is refused with the row."""
    views = position(("aabb", "1+0"), ("abcd", "0+2"))
    picture = drawn(views)[0].repeat(3, axis=0).repeat(3, axis=1)
    wide = np.zeros((picture.shape[0], picture.shape[1] + 100, 3), np.uint8)
    wide[:, 50:-50] = picture
    sheet = photo.read(wide)
    choices = [[cell.best for cell in row] for row in sheet.rows]
    assert photo.moves(sheet, choices) == ["a a b b", "1+0", "a b c d", "0+2"]
    assert photo.advice(sheet, choices).startswith("guess ")
    xs = [x for x, _ in sheet.corners]
    assert min(xs) == pytest.approx(50 / wide.shape[1], abs=0.03)
    choices[0][0] = photo.EMPTY
    with pytest.raises(ts.BadInput, match="guess 1 has 1 empty places"):
        photo.moves(sheet, choices)
    choices[0][:4] = [photo.EMPTY] * 4
    with pytest.raises(ts.BadInput, match="guess 2 comes after an empty row"):
        photo.advice(sheet, choices)


def test_what_a_peg_is_read_from_is_where_it_is():
    """Covering the third peg of the first row changes how it is read more than covering any other part."""
    picture = drawn(position(("abcd", "1+2")))[0]
    heat = photo.heat(picture, 0, 2)
    y, x = np.unravel_index(heat.argmax(), heat.shape)
    assert abs(y - 22) < 14
    assert abs(x - 37) < 14
