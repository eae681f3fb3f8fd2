"""The database goes away, or its disk is full, for a while: it is said, nothing is half stored, and all goes on."""

from __future__ import annotations

import uuid

import pytest

from tests.faults.killing import Browser, fresh, memory, told_whole, wait_for_every_job
from tests.faults.storage import Disk, Storage
from tests.faults.wires import throw_out
from tests.house.running import Running

pytestmark = pytest.mark.slow

TOLD = "/api/v1/conversations"


def test_while_the_database_is_away_everything_says_so_and_afterwards_all_goes_on(
    product: Running, storage: Storage
) -> None:
    browser = Browser(product)
    first, second, key = fresh(), fresh(), uuid.uuid4().hex
    assert product.ask("POST", TOLD, first)[0] == 202
    wait_for_every_job(product)

    storage.go()
    for _ in range(3):
        status, told = product.ask("POST", TOLD, second, Idempotency_Key=key)
        assert (status, told["code"]) == (503, "storage_unavailable"), told
        assert "Nothing was stored" in told["detail"]
        assert product.ask("GET", "/api/v1/beliefs")[0] == 503
    status, page = browser.look("/w/harbour/")
    assert status == 503
    assert "The memory cannot be reached now." in page
    assert product.answers("/healthz"), "the process itself lives"
    status, told = product.ask("GET", "/status")
    assert (status, told["status"], told["database"]) == (503, "down", "down")

    storage.come_back()
    product.wait_for(lambda: product.ask("GET", "/api/v1/beliefs")[0] == 200, "the database to be back")
    status, told = product.ask("POST", TOLD, second, Idempotency_Key=key)
    assert status == 202, told
    wait_for_every_job(product)
    assert browser.look("/w/harbour/")[0] == 200
    told_whole(memory(product), first, second)


def test_connections_that_the_server_ends_hurt_nobody_for_longer_than_a_request(
    product: Running, storage: Storage
) -> None:
    said = [fresh() for _ in range(3)]
    for body in said:
        assert product.ask("POST", TOLD, body)[0] == 202
        if storage.line:
            throw_out(storage.line.behind)
        else:
            storage.go()
            storage.come_back()
    assert product.ask("GET", "/api/v1/beliefs")[0] == 200
    wait_for_every_job(product)
    told_whole(memory(product), *said)


def test_on_a_full_disk_nothing_is_stored_and_it_is_said_and_with_room_it_goes_on(product: Running, disk: Disk) -> None:
    first, second, key = fresh(), fresh(), uuid.uuid4().hex
    assert product.ask("POST", TOLD, first)[0] == 202
    wait_for_every_job(product)
    disk.fill()
    try:
        for _ in range(3):
            status, told = product.ask("POST", TOLD, second, Idempotency_Key=key)
            assert (status, told["code"]) == (507, "storage_full"), told
            assert "Nothing was stored" in told["detail"]
    finally:
        disk.empty()
    assert product.ask("GET", "/api/v1/beliefs")[0] == 200
    turns = {row["message_id"] for row in memory(product)["sources.source"]}
    assert not turns & {turn["message_id"] for turn in second["turns"]}
    status, told = product.ask("POST", TOLD, second, Idempotency_Key=key)
    assert status == 202, told
    wait_for_every_job(product)
    told_whole(memory(product), first, second)
    product.command("integrity")
