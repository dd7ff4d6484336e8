"""How friends reach this server: its address in the local network, links for them, and codes for their cameras."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

import segno

from turnsmith.languages import _

ANYWHERE = ("0.0.0.0", "::", "")
"""Addresses that mean all of a machine's."""
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of nobody, kept free for documents: to find by which of its own the machine would go out."""


def is_loopback(name: str) -> bool:
    """Whether a name or an address leads to the machine that asks for it."""
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def own_address(kind: socket.AddressFamily = socket.AF_INET) -> str | None:
    """The machine's address in its network, None if it is in none. Nothing is sent for it."""
    with socket.socket(kind, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((ELSEWHERE[kind], 9))
            address = str(asking.getsockname()[0])
        except OSError:
            return None
    return None if is_loopback(address) or address in ANYWHERE else address


@dataclass(frozen=True)
class Reach:
    """Where a server listens: an address and a port."""

    address: str = "127.0.0.1"
    port: int = 8080

    @property
    def is_open(self) -> bool:
        """Whether other machines are let in."""
        return not is_loopback(self.address)

    @property
    def shared(self) -> str | None:
        """What friends in the same network type, None if they are not let in or there is no network."""
        address: str | None = self.address
        if self.address in ANYWHERE:
            address = own_address(socket.AF_INET6 if ":" in self.address else socket.AF_INET)
        if not self.is_open or address is None:
            return None
        return f"http://{f'[{address}]' if ':' in address else address}:{self.port}"

    def link(self, base: str, path: str) -> tuple[str, bool]:
        """A link for others, and whether they can use it. `base` is how the visitor sees the server, which others can
        use as well unless it leads to the visitor's own machine."""
        if not is_loopback(urlsplit(base).hostname or ""):
            return f"{base.rstrip('/')}/{path}", True
        shared = self.shared
        return f"{shared or base.rstrip('/')}/{path}", shared is not None

    @property
    def hint(self) -> str:
        """How to let friends in, where they are not."""
        if self.is_open:
            return _("This machine is in no network at the moment; join one, and look here again.")
        port = "" if self.port == 8080 else f" --port {self.port}"
        command = f"turnsmith serve --host 0.0.0.0{port}"
        return _(
            "Only this machine is let in. For friends in your network stop the server and start it with {command}; "
            "what is being played goes on."
        ).format(command=command)


def qr_code(text: str) -> str:
    """A text as a QR code, black on white whatever the page looks like: SVG."""
    code = segno.make(text, error="m", micro=False)
    return str(code.svg_inline(border=3, dark="#000000", light="#ffffff", omitsize=True, svgclass="qr", lineclass=None))
