"""What a room offers to agents as a tool: an endpoint of its own under a name, with words a model reads.

A tool adds no rule. Who may use it, what it takes, what it does and what it refuses is its endpoint's; the tool server
asks the endpoint exactly as the REST door does. A room lists its tools in `TOOLS` of its `tools.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rest_framework.views import APIView


@dataclass(frozen=True)
class Tool:
    """`verb` of `endpoint`, as an agent sees it.

    `destructive`: it takes something out of sight. `idempotent`: asked for twice, it is done once, with no key.
    `of_caller` says, of the principal that is shown the tool, what its own rules let it do with it.
    """

    name: str
    endpoint: type[APIView]
    verb: str
    title: str
    description: str
    destructive: bool = False
    idempotent: bool = False
    of_caller: Callable[[Any], str] | None = None
