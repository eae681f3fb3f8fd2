"""What a caller hands to the services of this room: plain values, read once by the door that received them."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from formsengine.models import Audience
from memoryapp.graph.statements import NodeReference


@dataclass(frozen=True)
class Opening:
    """A response to be opened: of which form, about whom, and what is known before anything is asked.

    `launch` holds answers by name that the form may take from where it was opened; `values` are answers given at once.
    """

    form: str
    subject: NodeReference | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    launch: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""
    zone: str = ""
    audience: str = Audience.WORKSPACE
    readers: tuple[uuid.UUID, ...] = ()
    assigned_to: uuid.UUID | None = None
    due_at: dt.datetime | None = None


@dataclass(frozen=True)
class Answers:
    """A patch: any operations on any fields. `base` is the commit that the writer saw, `key` makes twice the same as
    once, `after` is the key of the write that this device made before, `device` the device, which has seen its own.
    """

    ops: Sequence[Mapping[str, Any]]
    base: int | None = None
    key: str = ""
    after: str = ""
    device: str = ""
    late: bool = False
    language: str = ""
    locale: str | None = None
    evidence: Sequence[Mapping[str, Any]] = ()
    strict: bool = False
