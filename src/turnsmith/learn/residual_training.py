"""The convolutional net of AlphaZero as a torch module, and how it is written for playing; ``residual`` runs it without
torch.

One that is made for boards of all sizes reads its answer off the board as a whole: the mean and the greatest of every
channel, and its mean over the cells that each plane marks, so that it knows what is around a mover whose cell is
marked. One for a single size also sees where a cell is, and reads its answer off all cells.

While it is trained, a net also foretells the planes as they will be at the end of the game: which stones will stand
where, which dots will be eaten. That teaches it more from every game; the nets that play have no such part.
"""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.nets.files import write_whole
from turnsmith.nets.residual import read_planes_net

torch: Any = extra("torch")
nn: Any = torch.nn
READ, SQUEEZED = 128, 16
"""Numbers between the board and the answer, and channels that are read off every cell."""


class Pool(nn.Module):
    """What a board is like as a whole: the mean and the greatest of every channel."""

    def forward(self, seen: Any) -> Any:
        return torch.cat([seen.mean((2, 3)), seen.amax((2, 3))], 1)


class ResidualBlock(nn.Module):
    def __init__(self, channels: int, pools: bool) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.whole = nn.Sequential(Pool(), nn.Linear(2 * channels, channels)) if pools else None
        nn.init.zeros_(self.second.weight)  # blocks do nothing at first, so no norms are needed
        nn.init.zeros_(self.second.bias)

    def forward(self, seen: Any) -> Any:
        inner = torch.relu(self.first(seen))
        if self.whole is not None:
            inner = inner + self.whole(inner)[:, :, None, None]
        return torch.relu(seen + self.second(inner))


class Residual(nn.Module):
    """Called with uint8[rows, planes, height, width]; `size` is height and width, or None for any."""

    def __init__(
        self, planes: int, size: tuple[int, int] | None, channels: int, blocks: int, actions: int, values: int
    ) -> None:
        super().__init__()
        self.sized = size is not None
        self.register_buffer("scale", torch.ones(planes, 1, 1))  # what makes of every plane numbers up to 1
        places = 0 if size is None else 3
        if size is not None:
            down, across = (torch.linspace(-1.0, 1.0, many) for many in size)
            checked = (torch.arange(size[0]) % 2).float()[:, None].expand(size)
            stacked = torch.stack([down[:, None].expand(size), across[None].expand(size), checked])
            self.register_buffer("places", stacked[None])
        self.stem = nn.Conv2d(planes + places, channels, 3, padding=1)
        self.blocks = nn.ModuleList(ResidualBlock(channels, number % 2 == 1) for number in range(blocks))
        self.ends = nn.Conv2d(channels, planes, 1)
        self.pool = Pool()
        if size is None:
            self.read = nn.Linear((2 + planes) * channels, READ)
        else:
            self.squeeze = nn.Conv2d(channels, SQUEEZED, 1)
            self.read = nn.Linear(2 * channels + SQUEEZED * size[0] * size[1], READ)
        self.say = nn.Linear(READ, actions + values)
        with torch.no_grad():
            self.say.weight.mul_(0.1)
            self.say.bias.zero_()

    def trunk(self, scaled: Any) -> Any:
        if self.sized:
            scaled = torch.cat([scaled, self.places.expand(scaled.shape[0], -1, -1, -1)], 1)
        seen = torch.relu(self.stem(scaled))
        for block in self.blocks:
            seen = block(seen)
        return seen

    def head(self, seen: Any, scaled: Any) -> Any:
        if not self.sized:  # the mean of each channel over the cells that each plane marks
            marked = torch.einsum("nphw,nchw->npc", scaled, seen)
            marked = marked / (scaled.sum((2, 3)) + 1e-3)[:, :, None]
            pooled = torch.cat([self.pool(seen), marked.flatten(1)], 1)
        else:
            pooled = torch.cat([self.pool(seen), torch.relu(self.squeeze(seen)).flatten(1)], 1)
        return self.say(torch.relu(self.read(pooled)))

    def forward(self, given: Any) -> Any:
        scaled = given.float() * self.scale
        return self.head(self.trunk(scaled), scaled)

    def teach(self, given: Any) -> tuple[Any, Any]:
        """The same, and scores of the planes at the end."""
        scaled = given.float() * self.scale
        seen = self.trunk(scaled)
        return self.head(seen, scaled), self.ends(seen)


def begin_with(net: Residual, path: Path) -> None:
    """Give a fresh net the parameters of one in a file; what only training needs is not in there and stays fresh."""
    import onnx

    graph = onnx.load_model_from_string(read_planes_net(path).content).graph
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:  # of equal parts, as a net has that learned nothing, the file keeps one
        if node.op_type == "Identity" and node.input[0] in weights:
            weights[node.output[0]] = weights[node.input[0]]
    own = net.state_dict()
    wanted = {name: part for name, part in own.items() if not name.startswith("ends.")}
    for name, part in wanted.items():
        if name not in weights or weights[name].shape != tuple(part.shape):
            raise BadInput(f"{path} holds a net of another shape ({name}); give the same channels, blocks and planes")
        own[name] = torch.from_numpy(weights[name].copy())
    net.load_state_dict(own)


def export(net: Residual, path: Path, shape: tuple[int, ...], title: str, about: dict[str, Any]) -> None:
    """Write a net for playing as ONNX; `shape` is that of the planes."""
    import onnx

    free = {0: "rows"} if net.sized else {0: "rows", 2: "height", 3: "width"}
    written = io.BytesIO()
    net.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its exporter's age
        torch.onnx.export(
            net, (torch.zeros(2, *shape, dtype=torch.uint8),), written, input_names=["planes"], output_names=["said"],
            dynamic_axes={"planes": free, "said": {0: "rows"}}, dynamo=False, opset_version=17,
        )  # fmt: skip
    model = onnx.load_model_from_string(written.getvalue())
    model.doc_string = title
    onnx.helper.set_model_props(model, {"turnsmith": json.dumps(about)})
    onnx.checker.check_model(model)
    write_whole(path, lambda target: target.write(model.SerializeToString()))
