"""The graph as tools: what is held, why, and writing it down."""

from memoryapp.doors.tools import Tool
from memoryapp.graph.api.asking import Asking
from memoryapp.graph.api.beliefs import Beliefs
from memoryapp.graph.api.edges import Disconnect, Edges
from memoryapp.graph.api.explaining import Why
from memoryapp.graph.api.merging import Merge
from memoryapp.graph.api.nodes import Nodes, OneNode
from memoryapp.graph.api.relations import Relations
from memoryapp.graph.api.withdrawing import WithdrawSource

TOOLS = [
    Tool(
        "memory_current",
        Beliefs,
        "get",
        "What is held now",
        "Lists beliefs that are current, newest first: by owner, kind, subject. Past times, other statuses and the "
        "history only when asked for.",
    ),
    Tool(
        "memory_why",
        Why,
        "get",
        "Why is this there?",
        "For the id of a belief, relation, node or source: the quoted words it stands on, what it replaced and what "
        "replaced it, conflicts and decisions, its history.",
    ),
    Tool(
        "memory_remember",
        Beliefs,
        "post",
        "Remember",
        "Writes down statements with the exact words each stands on, all or none. One that contradicts what is held "
        "waits for a person (`resolving`); the older one stays.",
        idempotent=True,
    ),
    Tool(
        "memory_relate",
        Relations,
        "post",
        "Relate",
        "Stores relations of declared kinds among beliefs, nodes and sources, all or none.",
    ),
    Tool(
        "memory_withdraw",
        WithdrawSource,
        "post",
        "Take a source back",
        "Nothing stands on the source any more: what rests on it alone is archived, what others confirm stays, what a "
        "person confirmed waits for a person. It can be undone.",
        destructive=True,
    ),
    Tool(
        "graph_find",
        Nodes,
        "get",
        "Find people and things",
        "Nodes by class, by name or by identity key (`email:ines@ferro.example`). Gives the ids that other tools take.",
    ),
    Tool(
        "graph_get",
        OneNode,
        "get",
        "Read a person or thing",
        "One node with what is believed of it now, or as of another time.",
    ),
    Tool(
        "graph_query",
        Asking,
        "post",
        "Ask the graph",
        "Nodes by conditions over what is held of them and how they are related, with what leads on from each. "
        'Such as {"class": "person", "where": {"related": {"relationship": "worksAt", "where": {"name": "Acme"}}}}.',
    ),
    Tool(
        "graph_upsert",
        Nodes,
        "post",
        "Find or create people and things",
        "Nodes by their identity keys: found when there, created when not, all or none.",
        idempotent=True,
    ),
    Tool(
        "graph_connect",
        Edges,
        "post",
        "Connect",
        "Stores edges of declared relationships between nodes, with what each stands on, all or none.",
        idempotent=True,
    ),
    Tool(
        "graph_disconnect",
        Disconnect,
        "post",
        "Disconnect",
        "Says that an edge is over. It stays in the history.",
        destructive=True,
    ),
    Tool(
        "graph_merge",
        Merge,
        "post",
        "Make two nodes one",
        "For two nodes that are certainly one person or thing: the folded one's id leads to this one for ever. A "
        "person can take it back. `lock` is that of the node to keep.",
        destructive=True,
    ),
]
