"""Which identity keys a participant may be known by. The room of declared types registers its check."""

from collections.abc import Callable, Mapping

from memoryapp.doors.errors import Violation
from memoryapp.ledger.models import Workspace

Check = Callable[[Workspace, str, Mapping[str, str], str], list[Violation]]
"""(workspace, node class, identity, path of the identity in the input) -> what is wrong with it."""

_checks: list[Check] = []


def register(check: Check) -> None:
    """Have `check` asked about every identity, also an empty one where one is needed: it names what is accepted."""
    if check not in _checks:
        _checks.append(check)


def violations(workspace: Workspace, node_class: str, identity: Mapping[str, str], path: str) -> list[Violation]:
    """What is wrong with an identity, by every registered check; an empty one is wrong in any case."""
    found = [violation for check in _checks for violation in check(workspace, node_class, identity, path)]
    if not identity and not found:
        message = "A user needs an identity key, so that what they say has an owner."
        found.append(Violation(path, "identity_missing", message, "at least one identity key, such as email"))
    return found
