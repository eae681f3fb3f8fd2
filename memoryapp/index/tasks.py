"""What the scheduler can ask of the index."""

from celery import shared_task

from memoryapp.index.embedding import making


@shared_task(name="index.embed", ignore_result=True)  # type: ignore[untyped-decorator]
def embed() -> None:
    """Ask for the vectors that are missing. Harmless at any time."""
    making.catch_up()
