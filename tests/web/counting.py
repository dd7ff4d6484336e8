"""turnsmith with counts of what tables do: how often they look, how often they read a match, who listens to it."""

from collections import Counter

from turnsmith.cli import main
from turnsmith.web import app
from turnsmith.web.pages import table

counts = Counter()
watch, viewer_of, api = table.TablePage.watch, table.viewer_of, app.api


async def counted_watch(self):
    counts["looks"] += 1
    await watch(self)


def counted_viewer_of(match, keys):
    counts["views"] += 1
    return viewer_of(match, keys)


def counted_api(host, *given):
    found = api(host, *given)

    @found.get("/counts/{name}")
    def counted(name: str):
        match = host.matches.held(name)
        return {"looks": counts["looks"], "views": counts["views"], "listeners": len(match.changes)}

    return found


if __name__ == "__main__":
    table.TablePage.watch, table.viewer_of, app.api = counted_watch, counted_viewer_of, counted_api
    main()
