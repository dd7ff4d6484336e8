"""The eye as a torch module: a picture in, chances of every peg and of every answer out. ``eye`` uses it without torch.

It looks twice where the board is: a small convolutional net tells the four corners, the board is cut out along them,
the same net looks at what was cut out and tells how far it was off, and it is cut out again. Then one small net reads
every place of a peg, another every row's pins; both are told what colour wood and bar have in this picture, so that
they can do without true colours. All of it can be followed backwards, so it is trained as one.
"""

from __future__ import annotations

from typing import Any

from turnsmith.common.extras import extra
from turnsmith.games.mastermind.eye import ANSWERS, COLORS, HEIGHT, PEGS, TRIES, WIDTH
from turnsmith.games.mastermind.pixels import LEFT, PITCH, ROW, TOP

torch: Any = extra("torch")
nn: Any = torch.nn
HIDDEN = 96


class Corners(nn.Module):
    """Where the board is: how far its corners are from those of the picture, as shares of its sides."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.AvgPool2d(2),
            nn.Conv2d(5, 24, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(48, 64, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1, padding=1), nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * 9 * 5, 128), nn.ReLU(),
            nn.Linear(128, 8),
        )  # fmt: skip
        with torch.no_grad():
            self.layers[-1].weight.mul_(0.1)
            self.layers[-1].bias.zero_()
        y, x = torch.meshgrid(torch.linspace(-0.5, 0.5, HEIGHT), torch.linspace(-0.5, 0.5, WIDTH), indexing="ij")
        self.register_buffer("places", torch.stack([x, y])[None], persistent=False)

    def forward(self, pictures: Any) -> Any:
        places = self.places.expand(pictures.shape[0], -1, -1, -1)
        return self.layers(torch.cat([pictures, places], dim=1)).view(-1, 4, 2)


class PlacesNet(nn.Module):
    """What is on every place of a kind: each is a window of the board, read by the same net."""

    def __init__(self, columns: int, classes: int) -> None:
        super().__init__()
        self.look = nn.Conv2d(3, HIDDEN, (14, 13), stride=(ROW, PITCH))
        self.light = nn.Linear(12, HIDDEN)
        self.think = nn.Sequential(nn.ReLU(), nn.Conv2d(HIDDEN, 64, 1), nn.ReLU(), nn.Conv2d(64, classes, 1))

    def forward(self, windows: Any, colours: Any) -> Any:
        seen = self.look(windows) + self.light(colours)[:, :, None, None]
        return self.think(seen).permute(0, 2, 3, 1)


class Eye(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.corners = Corners()
        self.pegs, self.pins = PlacesNet(PEGS, COLORS + 1), PlacesNet(1, ANSWERS)
        square = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        self.register_buffer("square", square[None], persistent=False)
        t, s = torch.meshgrid((torch.arange(HEIGHT) + 0.5) / HEIGHT, (torch.arange(WIDTH) + 0.5) / WIDTH, indexing="ij")
        self.register_buffer("grid", torch.stack([s.reshape(-1), t.reshape(-1)], dim=1)[None], persistent=False)

    def forward(self, pictures: Any) -> tuple[Any, Any, Any]:
        """uint8 or float [n, HEIGHT, WIDTH, 3] of 0..255 -> chances [n, TRIES, PEGS, COLORS + 1] (the last: empty),
        [n, TRIES, ANSWERS], and the corners [n, 4, 2]."""
        seen = self.scaled(pictures)
        _, corners = self.find(seen)
        pegs, pins = self.read(self.cut(seen, corners))
        return pegs.softmax(-1), pins.softmax(-1), corners

    def scaled(self, pictures: Any) -> Any:
        return pictures.float().permute(0, 3, 1, 2) / 255.0 - 0.5

    def find(self, seen: Any) -> tuple[Any, Any]:
        """The corners at the first and at the second look."""
        first = self.square + self.corners(seen)
        off = self.corners(self.cut(seen, first))
        return first, projected(first, self.square + off)

    def cut(self, seen: Any, corners: Any) -> Any:
        """The board between these corners, upright and as large as a picture of it alone."""
        where = 2.0 * projected(corners, self.grid.expand(seen.shape[0], -1, -1)) - 1.0
        return nn.functional.grid_sample(seen, where.view(-1, HEIGHT, WIDTH, 2), align_corners=False)

    def read(self, boards: Any) -> tuple[Any, Any]:
        """What stands where, before the last function."""
        colours = torch.cat(
            [
                boards[:, :, 5:12, 8:-8].mean((2, 3)), boards[:, :, 17:-4, 3:7].mean((2, 3)),
                boards[:, :, 14:17, 4:-4].mean((2, 3)), boards[:, :, -4:-1, 4:-4].mean((2, 3)),
            ],
            dim=1,
        )  # fmt: skip
        top, foot = TOP - 7, TOP - 7 + ROW * (TRIES - 1) + 14
        left, pins = LEFT - 6, LEFT + PITCH * PEGS - 6
        pegs = self.pegs(boards[:, :, top:foot, left : left + PITCH * (PEGS - 1) + 13], colours)
        return pegs, self.pins(boards[:, :, top:foot, pins : pins + 13], colours)[:, :, 0]


def projected(corners: Any, points: Any) -> Any:
    """Where points of the unit square [n, k, 2] come to be when its corners come to these [n, 4, 2]."""
    x, y = corners[:, :, 0], corners[:, :, 1]
    dx1, dy1, dx2, dy2 = x[:, 1] - x[:, 2], y[:, 1] - y[:, 2], x[:, 3] - x[:, 2], y[:, 3] - y[:, 2]
    sx, sy = x[:, 0] - x[:, 1] + x[:, 2] - x[:, 3], y[:, 0] - y[:, 1] + y[:, 2] - y[:, 3]
    area = dx1 * dy2 - dx2 * dy1
    area = torch.where(area.abs() < 0.01, torch.full_like(area, 0.01), area)  # a bad guess must not divide by nothing
    g, h = (sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area
    s, t = points[:, :, 0], points[:, :, 1]
    far = (g[:, None] * s + h[:, None] * t + 1.0).clamp(min=0.1)
    across = (x[:, 1] - x[:, 0] + g * x[:, 1])[:, None] * s + (x[:, 3] - x[:, 0] + h * x[:, 3])[:, None] * t + x[:, :1]
    down = (y[:, 1] - y[:, 0] + g * y[:, 1])[:, None] * s + (y[:, 3] - y[:, 0] + h * y[:, 3])[:, None] * t + y[:, :1]
    return torch.stack([across / far, down / far], dim=2)
