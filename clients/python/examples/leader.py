"""Leads, tells who leads, and resigns: `leader.py UNIX_SOCKET`."""

import asyncio
import contextlib
import sys

from ringleader_client import AsyncClient


async def main(socket: str) -> None:
    async with AsyncClient([f"unix:{socket}"]) as client:
        async with client.campaign("main", "here", priority=1, timeout=10) as held:
            async with contextlib.aclosing(client.observe("main")) as events:
                event = await anext(events)
                print(f"{event['value']} leads with fence {event['fence']}")
            work = asyncio.ensure_future(asyncio.sleep(0.1))
            lost = asyncio.ensure_future(held.lost.wait())
            await asyncio.wait([work, lost], return_when=asyncio.FIRST_COMPLETED)
            print("still leads" if held.held else "leads no more")
            lost.cancel()


asyncio.run(main(sys.argv[1]))
