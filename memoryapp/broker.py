"""The filesystem broker, with messages that appear whole, in a folder that may go and come back.

kombu's own writes a message in place, so a worker that looks at the wrong instant reads an empty file and dies; and it
keeps in a file which queue is bound to which exchange, which a killed process may leave empty. Here a message is
written beside and renamed, the one queue is bound by its name, and a folder that is gone holds no message and is made
again.
"""

import os
import uuid
from queue import Empty
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

Bindings = list[tuple[str, str, str]]


class Channel(filesystem.Channel):  # type: ignore[misc]
    """Puts a message so that a reader sees all of it or nothing."""

    def get_table(self, exchange: str) -> Bindings:
        return [(exchange, "", exchange)]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        """Nothing to keep: a queue, its exchange and its routing key have one name."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        self._make_folder()
        name = os.path.join(self.data_folder_out, f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg")
        try:
            with open(name + ".part", "wb") as message:
                message.write(dumps(payload).encode())
            os.replace(name + ".part", name)
        except OSError as error:
            raise ChannelError(f"Cannot add {name} to the broker's folder") from error

    def _get(self, queue: str) -> Any:
        try:
            return super()._get(queue)
        except (FileNotFoundError, NotADirectoryError, ChannelError):
            raise Empty from None

    def _size(self, queue: str) -> int:
        self._make_folder()
        return int(super()._size(queue))

    def _make_folder(self) -> None:
        try:
            os.makedirs(self.data_folder_out, exist_ok=True)
        except OSError as error:
            raise ChannelError("The broker's folder is not there and cannot be made.") from error


class Transport(filesystem.Transport):  # type: ignore[misc]
    Channel = Channel


def use() -> None:
    """Let `filesystem://` mean this transport."""
    TRANSPORT_ALIASES["filesystem"] = "memoryapp.broker:Transport"
