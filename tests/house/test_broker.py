"""The filesystem broker: a message is seen whole or not at all."""

import shutil
import threading
from pathlib import Path
from queue import Empty

import pytest
from kombu.connection import Connection
from kombu.exceptions import ChannelError

from memoryapp import broker


def test_readers_never_meet_half_a_message(tmp_path: Path) -> None:
    """Two readers poll while four writers put messages of every length: each message comes out once and whole."""
    broker.use()
    options = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path)}
    with Connection("filesystem://", transport_options=options) as connection:
        channels = [connection.channel() for _ in range(6)]
        assert isinstance(channels[0], broker.Channel)
        taken: list[str] = []
        writing = threading.Event()
        errors: list[BaseException] = []

        def put(channel: broker.Channel, writer: int) -> None:
            for number in range(50):
                channel._put("jobs", {"body": f"{writer}-{number}", "filler": "x" * (number * 400)})

        def take(channel: broker.Channel) -> None:
            while True:
                last = writing.is_set()
                try:
                    taken.append(channel._get("jobs")["body"])
                except Empty:
                    if last:
                        return
                except BaseException as error:
                    errors.append(error)
                    return

        readers = [threading.Thread(target=take, args=(channel,)) for channel in channels[:2]]
        writers = [threading.Thread(target=put, args=(channel, at)) for at, channel in enumerate(channels[2:])]
        for thread in [*readers, *writers]:
            thread.start()
        for thread in writers:
            thread.join()
        writing.set()
        for thread in readers:
            thread.join()
    assert errors == []
    assert sorted(taken) == sorted(f"{writer}-{number}" for writer in range(4) for number in range(50))


def test_a_folder_that_goes_loses_its_messages_and_is_made_again(tmp_path: Path) -> None:
    broker.use()
    folder = tmp_path / "messages"
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(tmp_path)}
    with Connection("filesystem://", transport_options=options) as connection:
        channel = connection.channel()
        for _ in range(2):
            channel.queue_declare("celery")
            channel._put("celery", {"body": "one"})
            assert channel._size("celery") == 1
            assert channel._get("celery") == {"body": "one"}
            channel._put("celery", {"body": "two"})
            shutil.rmtree(folder)
            with pytest.raises(Empty):
                channel._get("celery")
        folder.write_text("not a folder")
        with pytest.raises(Empty):
            channel._get("celery")
        with pytest.raises(ChannelError):
            channel._put("celery", {"body": "three"})
        with pytest.raises(ChannelError):
            channel._size("celery")
