"""The files room as tools: the tree as a model knows trees, and writing in it."""

from memoryapp.access import paths
from memoryapp.doors.tools import Tool
from memoryapp.files.api.finding import GlobFiles, Grep, LinksFor, SearchFiles
from memoryapp.files.api.moving import MoveFile, RemoveFile
from memoryapp.files.api.reading import ReadFile, Stat
from memoryapp.files.api.writing import EditFile, MakeDirectory, Metadata, WriteFiles
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology


def _seen(by: Principal) -> str:
    """The caller's path policy in words, when it has one."""
    policy = paths.of(by)
    return policy.in_words() if policy != paths.OPEN else ""


def _written(by: Principal) -> str:
    """The roots within which an agent writes, and its path policy."""
    roots = ", ".join(sorted(current_ontology(by).document.file_roots))
    return f"Roots: {roots or 'none'}. {_seen(by)}".rstrip()


TOOLS = [
    Tool(
        "files_ls",
        WriteFiles,
        "get",
        "List a directory",
        "What is in a directory, or everything below it, by path.",
        of_caller=_seen,
    ),
    Tool(
        "files_read",
        ReadFile,
        "get",
        "Read a file",
        "Lines of a file, the first fifty unless told; `last` -1 reads to the end. Says the lock that a change names.",
    ),
    Tool("files_stat", Stat, "get", "What is at a path", "A file or directory without its text: size, tags, links."),
    Tool(
        "files_grep",
        Grep,
        "get",
        "Find lines",
        "Lines that hold a text, or match an expression of RE2, with lines around them.",
    ),
    Tool("files_glob", GlobFiles, "get", "Find paths", "Paths that match a pattern such as /notes/**/*.md"),
    Tool(
        "files_search",
        SearchFiles,
        "post",
        "Search files",
        "Files that answer a question in words, best first: where are my notes on the contract?",
    ),
    Tool("files_links_for", LinksFor, "get", "What leads to it", "Files that lead to a path, node, belief or episode."),
    Tool(
        "files_write",
        WriteFiles,
        "post",
        "Write files",
        "Writes files whole, all or none, within the declared roots. To replace one, name the lock you read.",
        idempotent=True,
        of_caller=_written,
    ),
    Tool(
        "files_edit",
        EditFile,
        "post",
        "Edit a file",
        "Replaces a text that stands in a file exactly once. Add what stands around it where it is there more often.",
    ),
    Tool(
        "files_mkdir",
        MakeDirectory,
        "post",
        "Make a directory",
        "Makes a directory, with those above it.",
        idempotent=True,
    ),
    Tool(
        "files_move",
        MoveFile,
        "post",
        "Move a file",
        "Moves a file or directory to where nothing is; history stays, links follow.",
    ),
    Tool(
        "files_remove",
        RemoveFile,
        "post",
        "Remove a file",
        "Takes a file or directory away. It can be restored.",
        destructive=True,
    ),
    Tool(
        "files_set_metadata",
        Metadata,
        "post",
        "Describe a file",
        "Summary, tags, free keys and links of a file, each whole; what is left out stays.",
        idempotent=True,
    ),
]
