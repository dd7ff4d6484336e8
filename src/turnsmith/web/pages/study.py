"""Beside a replay: what was thought of a move, what any player would do from here, and variations kept aside."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace

from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.languages import _, retold, worded
from turnsmith.play.player import Decision, player
from turnsmith.play.position import PositionView
from turnsmith.web.host import Host
from turnsmith.web.match.asking import paces
from turnsmith.web.match.live_match import PERSON, LiveMatch
from turnsmith.web.match.people import mover_name, named_picture, people_of
from turnsmith.web.pages.board import best_of
from turnsmith.web.pages.forms import PlayerPick
from turnsmith.web.pages.frame import heading, telling
from turnsmith.web.pages.viewer import Viewer, compile_tips
from turnsmith.web.pages.weighed import why_html
from turnsmith.web.server.bounds import blaming
from turnsmith.web.server.offered import opponents

MOST_VARIATIONS, MOST_MOVES = 50, 1000
SHARES = 6
"""Moves of a policy that are shown with bars."""


@dataclass
class Variation:
    """Moves tried aside: after how many moves of the match they begin, and how many of them are shown."""

    at: int
    actions: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """Of decisions and of chance."""
    stops: list[int] = field(default_factory=lambda: [0])
    """After how many of them somebody decides, or it is over."""
    depth: int = 0

    def look(self, match: LiveMatch) -> PositionView:
        """The position that is shown."""
        return match.look(None, self.at).after(self.actions[: self.depth])

    def fork(self) -> Variation:
        """Another one with the moves up to what is shown."""
        stops = [stop for stop in self.stops if stop <= self.depth]
        return Variation(self.at, self.actions[: self.depth], self.words[: self.depth], stops, self.depth)

    def play(self, match: LiveMatch, move: str | int, chance: Iterator[int] | None = None) -> None:
        """Go on at the end with a move, and with what chance draws, or drew."""
        look = self.look(match)
        action = look.parse(move) if isinstance(move, str) else move
        while True:
            if action not in look.actions:
                raise BadInput(
                    _("a variation cannot go on with the action {action}, which is not legal there").format(
                        action=action
                    )
                )
            if len(self.actions) >= MOST_MOVES:
                raise BadInput(_("a variation may have {most:,} moves; begin another").format(most=MOST_MOVES))
            self.actions.append(int(action))
            self.words.append(look.words(int(action)))
            look.advance(int(action))
            if look.mover != CHANCE:
                break
            drawn = next(chance, None) if chance is not None else None
            action = look.draw_chance(match.seed) if drawn is None else drawn
        self.depth = len(self.actions)
        self.stops.append(self.depth)

    def step(self, by: int) -> bool:
        """Show the position before or after; False where it leaves the variation."""
        beyond = [stop for stop in self.stops if (stop - self.depth) * by > 0]
        if beyond:
            self.depth = min(beyond, key=lambda stop: abs(stop - self.depth))
        return bool(beyond) or by > 0

    @property
    def text(self) -> str:
        """What a link says of it."""
        return ".".join(map(str, self.actions[: self.depth]))


def read_variation(match: LiveMatch, at: int, text: str) -> Variation:
    """The variation that a link tells, checked move by move. To be called in a worker."""
    variation = Variation(min(max(0, at), len(match.position.history)))
    numbers = text.split(".")
    if len(numbers) > MOST_MOVES or not all(number.isdecimal() and len(number) < 10 for number in numbers):
        raise BadInput(
            _("the link's line '{text}' is none; it is numbers of moves with points between them").format(
                text=text[:40]
            )
        )
    given = iter([int(number) for number in numbers])
    for action in given:
        variation.play(match, action, given)
    return variation


def studied(match: LiveMatch, look: PositionView, side: int | None) -> Viewer:
    """A position, seen from a side, on which any legal move may be tried. To be called in a worker."""
    decides = look.mover >= 0
    actions = look.actions.tolist() if decides else []
    compile_tips(match.game, look.board, look.state, actions)
    svg, words = named_picture(look.picture(side=side), people_of(match)), look.legal if decides else ()
    return Viewer(svg, [], None, match.version, None, decides, words, actions, "", look.board, look.state)


def last_decision(match: LiveMatch, ply: int) -> int:
    """The number of the last decision among the first `ply` moves, -1 if there is none."""
    lines = match.log.lines
    return next((at for at in range(min(ply, len(lines)) - 1, -1, -1) if lines[at].mover >= 0), -1)


@dataclass
class Past:
    """A decision that was made: where, which, and whether the position shown is what came of it, without chance."""

    look: PositionView
    action: int
    is_last: bool


def expected(look: PositionView, value: float | None = None) -> dict[int, float]:
    """What seats may expect: at the end the returns; else what the mover expects, and, where two play for one stake,
    the other the opposite."""
    if look.mover == OVER:
        return dict(enumerate(look.returns.tolist()))
    if value is None or look.mover < 0:
        return {}
    board = look.board
    is_one_stake = look.game.goal(board).kind == "highest" and int(board.seats) == 2 and board.low == -board.high
    return {look.mover: value, **({1 - look.mover: -value} if is_one_stake else {})}


def instead_html(who: str, past: Past, best: Decision, after: dict[int, float]) -> str:
    """What a player would have done in the place of who moved last, and what that move cost, if it can tell."""
    bold, played = "<b>{}</b>", past.look.words(past.action)
    sentence = _("{who} would have played {best} instead of {played}.")
    if best.words == played:
        sentence = _("{who} would have played {played}, too.")
    worth = after.get(past.look.mover) if past.is_last and best.words != played else None
    if worth is not None and best.value is not None:
        sentence += " " + _("It expects {best_value} from {best}, and {value} from {played}: a cost of {cost}.")
    cost = max(0.0, (best.value or 0.0) - (worth or 0.0))
    names = {"who": who, "best": worded(best.words), "played": worded(played)}
    values = {"best_value": f"{best.value or 0:+.3g}", "value": f"{worth or 0:+.3g}", "cost": f"{cost:.3g}"}
    shown = {name: bold.format(html.escape(text)) for name, text in {**names, **values}.items()}
    return f"<div>{sentence.format(**shown)}</div>"


def thought_html(decision: Decision) -> str:
    """What a player reports: the value it expects, the shares of its choices, how it expects the game to go on."""
    lines = []
    if decision.value is not None:
        lines.append(
            "<div>" + _("It expects a return of {value}.").format(value=f"<b>{decision.value:+.3g}</b>") + "</div>"
        )
    if decision.policy:
        shares = list(decision.policy.items())[:SHARES]
        rows = [
            f'<span class="{"played" if words == decision.words else ""}">{html.escape(worded(words))}</span>'
            '<span class="bar">'
            f'<span style="width: {100 * min(1.0, share):.0f}%"></span></span><span>{100 * share:.0f} %</span>'
            for words, share in shares
        ]
        lines.append(f'<div class="shares numbers">{"".join(rows)}</div>')
    if len(decision.line) > 1:
        lines.append(
            f"<div>{html.escape(_('It expects {line}.').format(line=', '.join(map(worded, decision.line))))}</div>"
        )
    if decision.note:
        lines.append(f'<div class="small whitespace-pre-line">{html.escape(decision.note)}</div>')
    why = why_html(decision)
    if why:
        lines.append(f"<details><summary>{html.escape(_('Why'))}</summary>{why}</details>")
    return "".join(lines) or f'<div class="small">{html.escape(_("It reports nothing of it."))}</div>'


class ThoughtPanel:
    """What was reported of the last decision before the position shown, or would be if its player were asked again."""

    def __init__(self, host: Host, match: LiveMatch, client: str):
        self.host, self.match, self.client = host, match, client
        self.known: dict[int, Decision] = {}
        """What was asked for here, by the number of moves before."""
        self.at = -1
        with ui.card().classes("panel") as self.card:
            heading(_("The thought behind the move"))
            self.whose = ui.label().classes("font-bold")
            self.said = ui.html("", sanitize=False).classes("thought numbers")
            self.ask = ui.button(_("Ask it again"), icon="psychology", on_click=self.again).props("outline no-caps")

    async def show(self, ply: int) -> None:
        """The last decision among the first `ply` moves."""
        lines = self.match.log.lines
        self.at = last_decision(self.match, ply)
        self.ask.visible = False
        if self.at < 0:
            self.whose.set_text(_("Nobody has decided anything yet."))
            self.said.set_content("")
            return
        at, line = self.at, lines[self.at]
        self.whose.set_text(
            _("{mover} played {truth}").format(
                mover=mover_name(line.mover, people_of(self.match)), truth=worded(line.truth)
            )
        )
        decision = self.known.get(at)
        kept = self.match.thoughts.get(at)
        if decision is None and kept is not None:
            decision = await self.host.do(self.client, lambda: self.with_reasons(at, kept))
            decision = replace(decision, note=retold(decision.note))  # it was made for nobody, in English
            self.known[at] = decision
        if at != self.at:
            return
        who = self.match.seats[line.mover].who
        self.ask.visible = decision is None and who != PERSON
        nothing = _("What people think is theirs.") if who == PERSON else _("What it thought has not been kept.")
        self.said.set_content(thought_html(decision) if decision else f'<div class="small">{nothing}</div>')

    def with_reasons(self, at: int, decision: Decision) -> Decision:
        """With the player's inspection of what its seat saw, which is made when somebody wants it."""
        look = self.match.look(None, at)
        who = player(self.match.decider(look.mover), self.match.game)
        with blaming(f"{who!r} does not tell"):
            inspection = who.inspect(look.seen_by(look.mover))
        return Decision(**{**vars(decision), "inspection": inspection})

    async def again(self) -> None:
        """Ask the player of the seat what it makes of the position in which it moved."""
        at = self.at
        who = self.match.seats[self.match.log.lines[at].mover].who
        self.ask.props("loading")
        with telling():
            self.known[at] = await self.host.study(self.client, self.match, lambda: self.match.look(None, at), who)
        self.ask.props(remove="loading")
        if at == self.at:
            await self.show(at + 1)


class AnalysisPanel:
    """Asks any player about the position shown, and lists the variations that were tried."""

    def __init__(
        self,
        host: Host,
        match: LiveMatch,
        client: str,
        look: Callable[[], PositionView],
        past: Callable[[], Past | None],
        drawn: Callable[[Decision | None], None],
        opened: Callable[[Variation | None], Awaitable[None]],
    ):
        """look: the position shown; past: the decision before it; drawn: to be called with advice; opened: with a
        variation to be shown."""
        self.host, self.match, self.client = host, match, client
        self.look, self.past, self.drawn, self.opened = look, past, drawn, opened
        self.variations: list[Variation] = []
        self.asked = 0
        usual = list(opponents(match.game, match.position.boards).values())[-1]
        with ui.card().classes("panel"):
            heading(_("Analyse from here"))
            self.pick = PlayerPick(match.game, match.position.boards, _("ask"), usual)
            self.button = ui.button(_("Analyse"), icon="query_stats", on_click=self.ask).props("unelevated no-caps")
            self.said = ui.html("", sanitize=False).classes("thought numbers")
            ui.label(_("Or try a move on the board: the match stays as it was played.")).classes("small")
            self.list = ui.column().classes("w-full gap-0")

    def forget(self) -> None:
        """The position has changed."""
        self.asked += 1
        self.said.set_content("")
        self.drawn(None)

    async def ask(self) -> None:
        """What should have been played to come elsewhere, and what to play here."""
        self.asked += 1
        number = self.asked
        self.button.props("loading")
        with telling():
            who = self.pick.value
            self.said.set_content(html.escape(f"{paces.expectation(player(who, self.match.game), self.match.game)} …"))
            look, past = await self.host.do(self.client, lambda: (self.look(), self.past()))
            advice = await self.advised(who, look) if look.mover >= 0 else None
            better = await self.advised(who, past.look) if past else None
            if number == self.asked:
                shown = ""
                if past and better:
                    shown += instead_html(who, past, better, expected(look, advice.value if advice else None))
                if advice:
                    sentence, bold = _("Here {who} would play {words}."), "<b>{}</b>"
                    names = {"who": who, "words": worded(advice.words)}
                    sentence = sentence.format(**{name: bold.format(html.escape(text)) for name, text in names.items()})
                    shown += f"<div>{sentence}</div>" + thought_html(advice)
                self.said.set_content(shown)
                self.drawn(advice)
        self.button.props(remove="loading")

    async def advised(self, who: str, look: PositionView) -> Decision:
        return best_of(await self.host.study(self.client, self.match, lambda: look, who))

    def keep(self, variation: Variation) -> None:
        """List a variation, and all others."""
        if not any(kept is variation for kept in self.variations):
            self.variations = [*self.variations, variation][-MOST_VARIATIONS:]
        self.show(variation)

    def show(self, current: Variation | None) -> None:
        self.list.clear()
        with self.list:
            if current is not None:
                back = ui.button(_("Back to the match"), icon="undo", on_click=lambda: self.opened(None))
                back.props("flat dense no-caps")
            for variation in self.variations:
                with ui.element("div").classes("aside"):
                    text = _("from {at}: {words}").format(at=variation.at, words=worded(" ".join(variation.words)))
                    button = ui.button(text, on_click=lambda variation=variation: self.opened(variation))
                    button.props(f"{'unelevated' if variation is current else 'flat'} dense no-caps align=left")
                    gone = ui.button(icon="close", on_click=lambda variation=variation: self.drop(variation, current))
                    gone.props("flat dense round").props.update(
                        {"aria-label": _("forget the variation {text}").format(text=text)}
                    )

    async def drop(self, variation: Variation, current: Variation | None) -> None:
        self.variations = [kept for kept in self.variations if kept is not variation]
        await self.opened(None if variation is current else current)
