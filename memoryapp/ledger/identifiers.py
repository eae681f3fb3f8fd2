"""Identifiers of everything stored: UUIDv7, so that ids sort by the time they were made."""

import uuid

import uuid_utils


def new_id() -> uuid.UUID:
    return uuid.UUID(int=uuid_utils.uuid7().int)
