"""The map format of the original Homeguard program."""

from __future__ import annotations

from turnsmith.languages import marked
from turnsmith.maps.files.format import Format

MAP_FORMATS = {
    "iwonmapformat": Format(
        "studies.homeguard.iwonmapformat",
        (".iwonmapformat",),
        marked("the original Homeguard program's maps"),
        many=True,
        recognised=True,
    )
}
