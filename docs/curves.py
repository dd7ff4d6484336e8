"""Draw a number of several training runs into one picture: ``python docs/curves.py TO.svg NUMBER TITLE FOLDER=NAME…``.

Each run is a folder with settings.json and curve.jsonl; across are the guesses made, if it has legs, or its rounds. A
number in place of a folder is a dotted line.
"""

import json
import sys
from pathlib import Path

from turnsmith.learn.run import figure_svg


def main(to, number, title, *runs):
    def draw(figure):
        panel = figure.subplots()
        for run in runs:
            folder, _, name = run.rpartition("=")
            if folder.replace(".", "", 1).isdecimal():
                panel.axhline(float(folder), linewidth=1.0, linestyle=":", color="black")
                panel.annotate(name, (0.99, float(folder)), xycoords=("axes fraction", "data"), ha="right", va="top")
                continue
            points = [json.loads(line) for line in (Path(folder) / "curve.jsonl").read_text("utf-8").splitlines()]
            leg = json.loads((Path(folder) / "settings.json").read_text("utf-8")).get("leg")
            told = [((leg or 1) * (each["point"] + 1), each[number]) for each in points if number in each]
            panel.plot(*zip(*told, strict=True), label=name, linewidth=1.2)
        panel.set_title(title)
        panel.set_xlabel("guesses made while learning" if leg else "rounds")
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.locator_params("x", nbins=6)
        panel.set_ylabel(number)
        panel.grid(alpha=0.3)
        panel.legend()

    Path(to).write_bytes(figure_svg(7.0, 4.0, draw))


if __name__ == "__main__":
    main(*sys.argv[1:])
