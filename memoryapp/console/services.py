"""What the console keeps for an account. Not memory: no write of a workspace is made."""

from memoryapp.access.models import User
from memoryapp.doors.errors import Invalid

PREFERENCES = {"theme": ("system", "light", "dark"), "shortcuts": ("on", "off")}


def keep_preference(*, user: User, name: str, value: str) -> None:
    """Remember how an account wants its console. Raises Invalid for a preference or value that does not exist."""
    accepted = PREFERENCES.get(name)
    if accepted is None:
        raise Invalid.at(name, "unknown_preference", f"There is no preference “{name}”.", ", ".join(PREFERENCES))
    if value not in accepted:
        raise Invalid.at(name, "unknown_value", f"“{value}” is not a choice for {name}.", ", ".join(accepted))
    user.preferences = {**user.preferences, name: value}
    user.save(update_fields=["preferences"])
