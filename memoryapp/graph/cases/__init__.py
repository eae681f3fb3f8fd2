"""What the graph puts before a person, and what each verdict does."""

from memoryapp.graph.cases import asked, conflicts, fallen, identities, withdrawals


def register() -> None:
    """Let the review room know the kinds of case of this room, and what they are about."""
    identities.register()
    conflicts.register()
    withdrawals.register()
    asked.register()
    fallen.register()
