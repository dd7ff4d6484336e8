"""What a first visit costs: every byte that leaves the server, pictures over the socket included."""

import asyncio
import contextlib
import threading
from urllib.parse import urlsplit

from browsing import chromium

import turnsmith as ts

MOST = 600_000


@contextlib.contextmanager
def counted(address):
    """The same server by another port that counts what it says; yields that address and the count."""
    port, said, loop = urlsplit(address).port, [0], asyncio.new_event_loop()

    async def carry(reader, writer, count):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                count[0] += len(data)
                writer.write(data)
                await writer.drain()
        writer.close()

    async def meet(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, back, [0]), carry(there, writer, said))

    listening = loop.run_until_complete(asyncio.start_server(meet, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", said
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def test_a_first_visit_is_light(address, tmp_path):
    with counted(address) as (path, said), chromium(tmp_path / "new") as browser:
        browser.open(path)
        pictures = "return document.querySelectorAll('.cards .board-picture > *').length"
        browser.until(lambda: browser.driver.execute_script(pictures) >= len(ts.games()))
        assert 400_000 < said[0] < MOST
