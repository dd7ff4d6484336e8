"""One server and one browser for all tests of the web."""

import random

import pytest
from browsing import SEED, chromium, server


@pytest.fixture(autouse=True)
def _known_seeds(monkeypatch):
    """A match that is begun here without a seed has the same one every time."""
    monkeypatch.setattr("secrets.randbelow", random.Random(SEED).randrange)


@pytest.fixture(scope="session")
def server_folder(tmp_path_factory):
    """Where the server was started."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="session")
def address(server_folder):
    with server(server_folder, "--think", "2") as found:
        yield found
    complaints = (server_folder / "server.log").read_text()
    assert "Traceback" not in complaints, complaints


@pytest.fixture(scope="session")
def window(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def browser(window):
    """The browser, which must have nothing to complain about when a test is over."""
    window.errors()
    for name in ("nickname", "last", "sound", "dots", "confirm"):  # what another test has made it remember
        window.driver.execute_cdp_cmd("Network.deleteCookies", {"name": name, "domain": "127.0.0.1"})
    yield window
    complaints = window.errors()
    window.driver.get("about:blank")  # a page left open would look for a server that another fixture stops
    assert complaints == []
