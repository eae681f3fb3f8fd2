"""Every write of the timeline. Each function needs the open transaction of a `Write` and never opens its own."""

from memoryapp.timeline.services.learning import learned_from
from memoryapp.timeline.services.recording import Recorded, record_episode, record_episodes
from memoryapp.timeline.services.revising import amend, reinstate, retract

__all__ = ["Recorded", "amend", "learned_from", "record_episode", "record_episodes", "reinstate", "retract"]
