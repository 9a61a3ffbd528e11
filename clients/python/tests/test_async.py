"""The asynchronous client: the same calls, awaited."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from proxy import Proxy
from service import Received, Reply, Service, json_reply
from test_connecting import vault_of

from onward_client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    NotFound,
    RateLimited,
    Settings,
    UsageError,
)
from onward_client.steps import call, stream

LISTING = "/api/v1/listing/7/is-complete"
COMPLETE = json_reply(200, {"data": {"result": True}})


@pytest.fixture(autouse=True)
def scripts(service: Service) -> None:
    service.scripts["/token"] = [json_reply(
        200, {"access_token": "t", "token_type": "Bearer", "expires_in": 600})]
    service.scripts[LISTING] = [COMPLETE]


def run(settings: Settings, use: Callable[[AsyncClient], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with AsyncClient(settings) as client:
            await use(client)
    asyncio.run(main())


def test_both_clients_have_the_same_calls(settings: Settings) -> None:
    async def use(client: AsyncClient) -> None:
        with Client(settings) as other:
            for group in (client, client.listings, client.chains, client.catalogue,
                          client.subscriptions, client.keys):
                members = [(name, member) for base in type(group).__mro__
                           for name, member in vars(base).items()
                           if isinstance(member, (call, stream))]
                assert members
                for name, member in members:
                    assert member.__doc__, name
                    assert "self" not in inspect.signature(getattr(group, name)).parameters
                    assert "self" in inspect.signature(getattr(type(group), name)).parameters
            assert inspect.signature(client.query_uprns) == inspect.signature(other.query_uprns)
    run(settings, use)


def test_tasks_share_one_token(service: Service, settings: Settings) -> None:
    async def use(client: AsyncClient) -> None:
        found = await asyncio.gather(*(client.listings.is_complete(7) for _ in range(4)))
        assert found == [True] * 4
    run(settings, use)
    assert (len(service.asked("/token")), len(service.asked(LISTING))) == (1, 4)


def test_errors_and_repetitions_are_the_same(service: Service, settings: Settings) -> None:
    service.scripts[LISTING] = [Reply(None), Reply(503), COMPLETE]

    async def use(client: AsyncClient) -> None:
        assert await client.listings.is_complete(7)
        service.scripts[LISTING] = [json_reply(429, {"message": "m"}, Retry_After="60")]
        with pytest.raises(RateLimited) as caught:
            await client.listings.is_complete(7)
        assert caught.value.retry_after_seconds == 60
        service.scripts[LISTING] = [Reply(None)]
        with pytest.raises(ConnectionFailed):
            await client.listings.is_complete(7)
    run(settings, use)


def test_a_cancelled_call_frees_the_lock_of_tokens(service: Service, settings: Settings) -> None:
    async def use(client: AsyncClient) -> None:
        asked = asyncio.Event()
        loop = asyncio.get_running_loop()

        def hold(_: Received) -> Reply:
            loop.call_soon_threadsafe(asked.set)
            return Reply(None)

        service.scripts["/token"] = hold
        waiting = asyncio.create_task(client.listings.is_complete(7))
        await asked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        service.scripts["/token"] = [json_reply(
            200, {"access_token": "t", "token_type": "Bearer", "expires_in": 600})]
        assert await asyncio.wait_for(client.listings.is_complete(7), 5)
    run(dataclasses.replace(settings, retry=dataclasses.replace(
        settings.retry, first_pause_seconds=5)), use)


def test_a_signer_may_be_a_coroutine_function(service: Service, settings: Settings,
                                              folder: Path) -> None:
    sign, _ = vault_of(folder / "assertion.key")

    async def ask_the_vault(message: bytes) -> bytes:
        await asyncio.sleep(0)
        return sign(message)

    async def use(client: AsyncClient) -> None:
        assert await client.listings.is_complete(7)

    for signer in (ask_the_vault, sign):
        run(dataclasses.replace(settings, assertion_key_file=None, assertion_signer=signer,
                                assertion_algorithm="ES256"), use)
    assert len(service.asked("/token")) == 2


def test_a_proxy_and_a_closed_client(settings: Settings) -> None:
    proxy = Proxy()
    try:
        async def use(client: AsyncClient) -> None:
            assert await client.listings.is_complete(7)
            await client.close()
            with pytest.raises(UsageError, match="closed"):
                await client.listings.is_complete(7)
        run(dataclasses.replace(settings, proxy=f"http://127.0.0.1:{proxy.port}"), use)
    finally:
        proxy.stop()
    assert proxy.lines


def test_a_service(sandbox_file: Path, samples: dict[str, Any]) -> None:
    async def collect(items: AsyncIterator[Any]) -> list[Any]:
        return [item async for item in items]

    async def main() -> None:
        async with AsyncClient.from_sandbox(sandbox_file, "Example Platform") as client:
            uprns = [samples["uprn_in_chain"], samples["uprn_alone"], samples["uprn_split"]]
            answer = await client.query_uprns(uprns)
            assert len(answer.chains) == 3
            with pytest.raises(NotFound):
                await client.query_uprns([1])
            pages = await collect(client.pages_of_uprns(uprns, rows=2))
            assert [len(page.chains) for page in pages] == [2, 1]
            batches = await collect(client.batches_of_uprns([*uprns, *range(1, 151)]))
            assert [(len(batch.chains), len(batch.not_found)) for batch in batches] == [
                (3, 97), (0, 53)]
            total = (await client.listings.list()).total
            assert len(await collect(client.listings.all())) >= total
            assert (await client.listings.get(samples["listing_id"], ["milestones"])).milestones
            assert len(await client.subscriptions.list()) >= 0
            assert await client.participants()
    asyncio.run(main())
