"""The filesystem broker, with messages that appear whole.

kombu's own writes a message in place, so a worker that looks at the wrong instant reads an empty file and dies. Here
a message is written beside and renamed.
"""

import os
import uuid
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):  # type: ignore[misc]
    """Puts a message so that a reader sees all of it or nothing."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        name = os.path.join(self.data_folder_out, f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg")
        try:
            with open(name + ".part", "wb") as message:
                message.write(dumps(payload).encode())
            os.replace(name + ".part", name)
        except OSError as error:
            raise ChannelError(f"Cannot add {name} to the broker's folder") from error


class Transport(filesystem.Transport):  # type: ignore[misc]
    Channel = Channel


def use() -> None:
    """Let `filesystem://` mean this transport."""
    TRANSPORT_ALIASES["filesystem"] = "memoryapp.broker:Transport"
