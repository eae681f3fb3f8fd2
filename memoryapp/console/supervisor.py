"""Keeps a group of processes running: one that ends is started again, and all stop together.

Each child leads a session of its own, so that Ctrl-C on the terminal reaches this process alone and it decides in which
order and how politely the others end. Should this process be killed outright, Linux ends the children.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType

POLITE_SECONDS = 12.0
"""How long a child may take to end what it is doing. A job that takes longer is resumed when its lease ends."""
SETTLED_SECONDS = 20.0
LONGEST_PAUSE = 15.0
HOPELESS_AFTER = 8
"""Quick deaths of its own in a row after which starting again is no use. One killed from outside may always return."""
SET_PARENT_DEATH_SIGNAL = 1


@dataclass
class Child:
    """A process to keep running."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    quick_deaths: int = 0
    killed_in_a_row: int = 0
    start_again_at: float = field(default=0.0)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Group:
    """Children that live and end together. `say` is told every start and end, in one line."""

    def __init__(self, children: Sequence[Child], say: Callable[[str], None]) -> None:
        self.children = list(children)
        self.say = say
        self.stopping = False
        self.impatient = False

    def start(self) -> None:
        """Start every child and take over Ctrl-C and SIGTERM. Must be called in the main thread."""
        signal.signal(signal.SIGINT, self._asked_to_stop)
        signal.signal(signal.SIGTERM, self._asked_to_stop)
        for child in self.children:
            self._start(child)

    def watch(self, once: Callable[[], bool]) -> int:
        """Keep the children running until asked to stop. Returns an exit status: 0 when stopped as asked.

        `once` is called every tenth of a second until it returns True.
        """
        hopeless = happened = False
        while not self.stopping and not hopeless:
            time.sleep(0.1)
            hopeless = any([self._look_after(child) for child in self.children])
            happened = happened or once()
        self.stop()
        return 1 if hopeless else 0

    def stop(self) -> None:
        """Ask every child to end, and end those that do not in time. Nothing is left when this returns."""
        self.stopping = True
        for child in self.children:
            self._signal(child, signal.SIGTERM)
        until = time.monotonic() + POLITE_SECONDS
        while any(child.running for child in self.children) and time.monotonic() < until and not self.impatient:
            time.sleep(0.05)
        for child in self.children:
            self._signal(child, signal.SIGKILL)
            if child.process is not None:
                child.process.wait()
        self.say("Everything has stopped.")

    def _start(self, child: Child) -> None:
        child.started_at = time.monotonic()
        child.process = subprocess.Popen(child.command, start_new_session=True, preexec_fn=_end_with(os.getpid()))
        self.say(f"{child.name:<9} started, pid {child.process.pid}")

    def _look_after(self, child: Child) -> bool:
        """Start a child again that has ended. True when it has ended too often to try once more."""
        if child.running:
            return False
        now = time.monotonic()
        if child.process is not None:
            settled = now - child.started_at > SETTLED_SECONDS
            killed = child.process.returncode == -signal.SIGKILL
            child.quick_deaths = 0 if settled else child.quick_deaths + (not killed)
            child.killed_in_a_row = 0 if settled else child.killed_in_a_row + killed
            in_a_row = child.quick_deaths + child.killed_in_a_row
            child.start_again_at = now + (0.0 if settled else min(2.0**in_a_row / 4, LONGEST_PAUSE))
            self.say(f"{child.name:<9} ended with status {child.process.returncode}")
            child.process = None
            if child.quick_deaths >= HOPELESS_AFTER:
                self.say(f"{child.name:<9} keeps ending at once; its messages above say why.")
                return True
        if now >= child.start_again_at:
            self._start(child)
        return False

    def _signal(self, child: Child, number: signal.Signals) -> None:
        if child.process is not None and child.running:
            child.process.send_signal(number)

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.impatient = self.stopping
        self.stopping = True


def _end_with(parent: int) -> Callable[[], None] | None:
    """What a child does before it becomes its program: ask Linux to end it when its parent dies."""
    if not sys.platform.startswith("linux"):
        return None
    control = ctypes.CDLL(None).prctl

    def ask() -> None:
        control(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask
