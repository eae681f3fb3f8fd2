"""The timeline as tools: what happened, when and with whom, and writing it down."""

from memoryapp.doors.tools import Tool
from memoryapp.timeline.api.episodes import Episodes, Timeline
from memoryapp.timeline.api.revising import Amend
from memoryapp.timeline.api.searching import EpisodeSearch

TOOLS = [
    Tool(
        "timeline_find",
        Episodes,
        "get",
        "What happened",
        "Episodes, the latest first: by kind, by who took part, by window, by `where` of "
        'properties, such as location:Porto or {"amount": {"gt": 12}}. `connected` asks for anyone connected so, such '
        "as worksAt:Acme.",
    ),
    Tool(
        "timeline_between",
        Timeline,
        "get",
        "What happened between",
        "Everything that overlaps a window, in the order in which it happened.",
    ),
    Tool(
        "timeline_search",
        EpisodeSearch,
        "post",
        "Search what happened",
        "Episodes that answer a question in words, best first; the more recent a little before the older. `where` is a "
        "condition over properties, with the operators of graph_query.",
    ),
    Tool(
        "timeline_record",
        Episodes,
        "post",
        "Record what happened",
        "Writes down episodes with who took part and when, all or none. Conversations that are told are there already.",
        idempotent=True,
    ),
    Tool(
        "timeline_amend",
        Amend,
        "post",
        "Amend what happened",
        "Says something else of an episode, with the reason. What was said before stays readable.",
    ),
]
