"""``turnsmith train mastermind eye``: pictures drawn by us, so that what is on them is known, and a net to read them.

First the corners are learned while the reading nets get boards cut out nearly where they truly are; in the second half
of the epochs they get what the eye itself cut out, and all is trained as one. Every epoch draws new pictures.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.extras import extra
from turnsmith.common.files import write_whole
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.games.mastermind.cameras import MOST_OFFSET, PHOTO, SHAKEN, STILL
from turnsmith.games.mastermind.eye import ANSWERS, COLORS, HEIGHT, WIDTH
from turnsmith.learn import fit
from turnsmith.learn.run import Run
from turnsmith.studies.mastermind.album import samples

if TYPE_CHECKING:
    from turnsmith.studies.mastermind.trainings import EyeSettings

MIXTURE = ((STILL, 0), (STILL, MOST_OFFSET), (SHAKEN, 0), (SHAKEN, 60), (PHOTO, 0), (PHOTO, 0))
"""Cameras that pictures of the training are taken with, and their greatest offsets."""
TESTS = {"clean": (STILL, 0), "offset 100": (STILL, 100), "shaken": (SHAKEN, 0), "photo": (PHOTO, 0)}
TESTED = 512
"""Pictures of each kind after every epoch, at most."""
CHOSEN_ON, TOLD_OF = 2**63, 2**63 + 2**62
"""Seeds of the pictures by which the best epoch is chosen, and of those that the results are of; others have none as
great."""


def train(settings: EyeSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.mastermind.eye_net import Eye

    torch = extra("torch")
    run = Run(work.folder, settings)
    torch.manual_seed(settings.seed)
    eye = Eye()
    how = fit.FittingSettings(
        epochs=settings.epochs, batch=settings.batch, rate=settings.rate, schedule="cycle", seed=settings.seed
    )
    steps = -(-settings.pictures // settings.batch)
    done = [0]

    def loss(chosen: Any) -> Any:
        seeds = torch.randint(2**62, (len(chosen),)).numpy().astype(np.uint64)
        drawn = samples(seeds, MIXTURE)
        seen = eye.scaled(torch.from_numpy(drawn.pictures.reshape(-1, HEIGHT, WIDTH, 3)))
        truth = torch.from_numpy(drawn.corners).float()
        first, second = eye.find(seen)
        off = (first - truth).abs().mean() + (second - truth).abs().mean()
        as_one = done[0] >= settings.epochs * steps // 2
        corners = second if as_one else truth + 0.008 * torch.randn_like(truth)
        done[0] += 1
        pegs, pins = eye.read(eye.cut(seen, corners))
        wrong = torch.nn.functional.cross_entropy
        of_pegs = wrong(pegs.reshape(-1, COLORS + 1), torch.from_numpy(drawn.pegs).reshape(-1))
        return 10.0 * off + of_pegs + wrong(pins.reshape(-1, ANSWERS), torch.from_numpy(drawn.answers).reshape(-1))

    def judge(first: int = CHOSEN_ON) -> dict[str, float]:
        measures: dict[str, float] = {}
        for name, camera in TESTS.items():
            pegs, answers, far = misread(eye, camera, first, min(TESTED, settings.pictures))
            measures |= {f"wrong pegs, {name}": pegs, f"wrong answers, {name}": answers, f"corners off, {name}": far}
        return {
            "wrong": float(np.mean([value for name, value in measures.items() if name.startswith("wrong")])),
            **measures,
        }

    checkpoint = run.path("checkpoint.npz")
    if checkpoint.exists():
        done[0] = steps * fit.read_checkpoint(checkpoint, "eye", how)[0].epoch
    fitted = fit.fit(eye, loss, np.arange(settings.pictures), how, judge, checkpoint, "eye", work.progress)
    for point, measures in enumerate(fitted.history):
        run.note(point, **measures)
    fit.put_best(eye, fitted)
    write_eye(eye, run.path("eye.onnx"))
    with torch.no_grad():
        results = judge(TOLD_OF)
    run.finish("An eye for Mastermind boards", work.command, results)
    text = "\n".join(f"{name}: {value:.4f}" for name, value in results.items())
    return TrainingResult(results, f"{text}\n{run.path('eye.onnx')} is the net")


def misread(eye: Any, camera: tuple[int, int], first: int, many: int) -> tuple[float, float, float]:
    """The shares of pegs and of answers that are read wrongly, of rows that are there, and how far corners are off, as
    a share of the sides; on pictures that nothing was trained on."""
    torch = extra("torch")
    drawn = samples(np.arange(many, dtype=np.uint64) + np.uint64(first), (camera,))
    pegs, answers, corners = eye(torch.from_numpy(drawn.pictures.reshape(-1, HEIGHT, WIDTH, 3)))
    rows = drawn.pegs[:, :, 0] < COLORS
    wrong_pegs = (pegs.argmax(-1).numpy() != drawn.pegs)[rows].mean()
    wrong_answers = (answers.argmax(-1).numpy() != drawn.answers)[rows].mean()
    return float(wrong_pegs), float(wrong_answers), float(np.abs(corners.numpy() - drawn.corners).mean())


def write_eye(eye: Any, path: Path) -> None:
    """The eye as ONNX."""
    torch = extra("torch")
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further library calls itself old
        names = ["pegs", "answers", "corners"]
        torch.onnx.export(
            eye, (torch.zeros(2, HEIGHT, WIDTH, 3, dtype=torch.uint8),), out, dynamo=False, opset_version=17,
            input_names=["pictures"], output_names=names,
            dynamic_axes={name: {0: "rows"} for name in ["pictures", *names]},
        )  # fmt: skip
    write_whole(path, lambda target: target.write(out.getvalue()))
