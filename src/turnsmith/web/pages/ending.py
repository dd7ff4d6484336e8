"""The end of a match: who won and why, a little joy, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from turnsmith.contract.outcome import Outcome
from turnsmith.languages import _
from turnsmith.web.host import Host
from turnsmith.web.match.ladder import results_after
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.people import TablePerson, named, people_of
from turnsmith.web.pages.frame import share, telling
from turnsmith.web.pages.panels import save_button
from turnsmith.web.server.remembered import recall, remember

PIECES = 28
"""Of confetti."""


def who_and_why(outcome: Outcome, people: Sequence[TablePerson], mine: Sequence[int] = ()) -> tuple[str, str]:
    """The end for people, in words: who won, and why."""
    why = named(outcome.ending, people)
    if outcome.is_by_score:
        tally = "" if any(sign.isdigit() for sign in why) else outcome.tally()
        return _sentence(why), _sentence(tally)
    return outcome.who_won(mine, [person.name for person in people]), _sentence(why)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_joy(match: LiveMatch, outcome: Outcome, mine: Sequence[int]) -> bool:
    """Whether the reader has something to celebrate: a seat alone at the table, whatever is not the worst."""
    if outcome.is_by_score:
        return len(mine) == 1 == len(match.seats) and outcome.returns[0] > float(match.position.board.low)
    return bool(set(mine) & set(outcome.winners)) and len(outcome.winners) < len(match.seats)


def confetti(people: Sequence[TablePerson]) -> str:
    """Coloured paper that falls once; where motion is not wanted the style sheet leaves it out."""
    colors = [person.color for person in people] + ["#edae49", "#5fbf7f"]
    pieces = "".join(
        f'<i style="left: {(index * 37) % 100}%; background: {colors[index % len(colors)]}; '
        f'animation-delay: {(index * 53) % 700}ms"></i>'
        for index in range(PIECES)
    )
    return f'<div class="confetti" aria-hidden="true">{pieces}</div>'


class EndPanel:
    """How it ended, and another one."""

    def __init__(self, host: Host, match: LiveMatch, keys: Sequence[str], client: str):
        self.host, self.match, self.keys, self.client = host, match, keys, client
        self.mine = match.owned(keys)
        self.celebrated = self.counted = False
        self.card = ui.card().classes("panel end")
        self.card.visible = False

    def show(self) -> None:
        match, outcome, people = self.match, self.match.outcome, people_of(self.match)
        self.card.clear()
        self.card.visible = match.over
        if not match.over or outcome is None:
            return
        who, why = who_and_why(outcome, people, self.mine)
        self.count()
        with self.card:
            if is_joy(match, outcome, self.mine) and not self.celebrated:
                ui.html(confetti(people), sanitize=False)
                self.celebrated = True
            with ui.row().classes("items-center gap-3 w-full"):
                shown = outcome.winners if len(outcome.winners) < len(people) else range(len(people))
                for seat in (shown or self.mine)[:4]:
                    ui.html(people[seat].face, sanitize=False).classes("big-face")
                with ui.column().classes("gap-0 end-said"):
                    ui.label(who).classes("end-who").props("role=status")
                    ui.label(why).classes("lead")
            with ui.row().classes("gap-2"):
                if self.mine:
                    offer = _("Join the rematch") if match.rematch else _("Rematch")
                    button = ui.button(offer, icon="replay", on_click=self.again).props("unelevated no-caps")
                    if len(match.seats) > 1 and not match.by_hand:
                        with button:
                            ui.tooltip(_("Sides are changed"))
                again = f"/watch/{match.name}/{'.'.join(self.keys)}" if self.keys else f"/watch/{match.name}"
                ui.button(_("Replay"), icon="movie", on_click=lambda: ui.navigate.to(again)).props("flat no-caps")
                ui.button(_("Share"), icon="share", on_click=self.share).props("flat no-caps")
                save_button(match, self.keys).props("flat no-caps")
                ui.button(_("Other games"), on_click=lambda: ui.navigate.to("/")).props("flat no-caps")

    def count(self) -> None:
        """Let the browser remember once what the match has brought, for the opponent that adapts."""
        cookie = f"results-{self.match.game.name}"
        known = recall(cookie)
        if self.counted or known.startswith(self.match.name):
            return
        self.counted = True
        results = results_after(self.match, self.mine, known)
        if results is not None:
            remember(cookie, f"{self.match.name} {results}")

    async def share(self) -> None:
        """The link to the replay, without the keys of anybody."""
        request = ui.context.client.request
        await share(f"{request.base_url if request else '/'}watch/{self.match.name}", _("the link to the replay"))

    async def again(self) -> None:
        with telling():
            fresh = await self.host.do(self.client, lambda: self.host.matches.again(self.match))
            self.host.drive(fresh)
            keys = ".".join(fresh.seats[(seat + self.match.shift) % len(fresh.seats)].key for seat in self.mine)
            ui.navigate.to(f"/match/{fresh.name}/{keys}")
