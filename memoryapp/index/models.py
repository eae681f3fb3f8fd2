"""What is searched: a projection, which can be thrown away and built again from the rooms it was read from."""

from django.db import models
from django.db.models import F, Q

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Job, WorkspaceRow, Write

EVERYONE = "workspace"
"""The audience of a row that every reader of the workspace may be served; only such rows enter statistics."""


class IndexEntry(WorkspaceRow):
    """One searched text with its target and what a search may be narrowed by.

    Numbered locally (the number is the row of the engine's index file) and never shown; nothing refers to it. The row
    is fresh when `built_sequence` equals `wanted_sequence`, stale when it is less, missing when it is empty: sequence
    numbers of the workspace's writes, never clocks.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]
    target_type = models.CharField(max_length=20)
    target_id = models.UUIDField()
    part = models.PositiveIntegerField(default=0, help_text="Passage number within a long text.")
    kind = models.CharField(max_length=200, blank=True, help_text="Kinds from the root, e.g. memory/preference.")
    section = models.CharField(max_length=64, blank=True, help_text="What it is a turn or passage of.")
    place = models.CharField(max_length=80, blank=True, help_text="Section and position: how neighbours are found.")
    position = models.PositiveIntegerField(null=True, blank=True)
    label = models.TextField(blank=True, help_text="Who and when, searched with the text.")
    text = models.TextField(blank=True)
    speaker = models.CharField(max_length=300, blank=True)
    said_at = models.DateTimeField(null=True, blank=True)
    day = models.CharField(max_length=10, blank=True, help_text="The day it was said where it was said.")
    audience = models.CharField(max_length=20, default=EVERYONE)
    digest = models.CharField(max_length=32, blank=True, help_text="Of label and text; orders equal scores.")
    terms = models.TextField(blank=True, help_text="Signs of the searched words; holds no readable word.")
    length = models.PositiveIntegerField(default=0, help_text="Searched words.")
    wanted_sequence = models.BigIntegerField()
    built_sequence = models.BigIntegerField(null=True, blank=True)

    guard = Guard(
        mutable=("wanted_sequence", "built_sequence"), erasable=("label", "text", "speaker", "terms"), deletable=True
    )

    class Meta:
        verbose_name_plural = "index entries"
        indexes = [
            models.Index(fields=["workspace", "place"], name="index_place"),
            models.Index(
                fields=["workspace", "target_type"],
                name="index_not_fresh",
                condition=Q(built_sequence__isnull=True) | Q(built_sequence__lt=F("wanted_sequence")),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "target_type", "target_id", "part"], name="index_target_once"),
            models.CheckConstraint(condition=~Q(target_type="") & ~Q(audience=""), name="index_entry_says_whose"),
        ]

    def __str__(self) -> str:
        return f"{self.target_type} {self.target_id} ({self.state})"

    @property
    def state(self) -> str:
        if self.built_sequence is None:
            return "missing"
        return "stale" if self.built_sequence < self.wanted_sequence else "fresh"


class Term(WorkspaceRow):
    """A word of the workspace. `documents` counts rows that every reader may be served; `entries` counts all.

    A stem carries the document frequency of the score; a written form is what a misspelt word is compared with. A row
    goes when the last entry that holds the word goes.
    """

    class Form(models.TextChoices):
        STEM = "stem"
        WRITTEN = "written"

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]
    form = models.CharField(max_length=7, choices=Form.choices)
    text = models.CharField(max_length=80)
    stem = models.CharField(max_length=80)
    length = models.PositiveSmallIntegerField()
    documents = models.IntegerField()
    entries = models.IntegerField()

    guard = Guard(mutable=("documents", "entries"), erasable=("text", "stem"), deletable=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "form", "text"], name="index_term_once"),
            models.CheckConstraint(condition=Q(form__in=["stem", "written"]), name="index_term_form"),
        ]
        indexes = [
            models.Index(fields=["workspace", "length"], name="index_term_written", condition=Q(form="written")),
        ]

    def __str__(self) -> str:
        return self.text


class Statistics(WorkspaceRow):
    """What the score needs to know of a workspace, over the rows that every reader may be served."""

    documents = models.IntegerField(default=0)
    total_length = models.BigIntegerField(default=0)
    entries = models.IntegerField(default=0)
    analysis = models.PositiveSmallIntegerField(help_text="Edition of the analysis that made the words.")

    guard = Guard(mutable=("documents", "total_length", "entries", "analysis"), deletable=True)

    class Meta:
        verbose_name_plural = "statistics"
        constraints = [models.UniqueConstraint(fields=["workspace"], name="index_statistics_once")]

    def __str__(self) -> str:
        return f"{self.documents} documents"


class VectorModel(WorkspaceRow):
    """A model that makes vectors in this workspace, and how long they are. Vectors of two models are never compared."""

    name = models.CharField(max_length=200)
    dimensions = models.PositiveIntegerField()

    guard = Guard(deletable=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="index_vector_model_once"),
            models.CheckConstraint(condition=Q(dimensions__gt=0) & ~Q(name=""), name="index_vector_model_dimensions"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.dimensions} dimensions"


class Embedding(WorkspaceRow):
    """The vector of an entry by a model: little-endian float32. The database refuses one of another length."""

    entry = models.ForeignKey(IndexEntry, on_delete=models.CASCADE, related_name="embeddings")
    model = models.ForeignKey(VectorModel, on_delete=models.CASCADE, related_name="embeddings")
    vector = models.BinaryField()

    guard = Guard(erasable=("vector",), deletable=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "entry"], name="index_embedding_once")]

    def __str__(self) -> str:
        return f"{self.entry_id} by {self.model_id}"


class ModelCall(WorkspaceRow):
    """One question put to the language model on behalf of a job: what it cost and what it was good for.

    Costs are millionths of the unit in which the prices are given. `raw` is what came back when it could not be used.
    """

    class Outcome(models.TextChoices):
        USED = "used"
        BAD = "bad"
        NONE = "none"

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="model_calls")
    purpose = models.CharField(max_length=40)
    part = models.PositiveIntegerField(default=0, help_text="Which part of the job's material.")
    model = models.CharField(max_length=200)
    prompt_version = models.CharField(max_length=100)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    code = models.CharField(max_length=60, blank=True, help_text="What was wrong, when something was.")
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The server's HTTP status.")
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveIntegerField(default=0)
    cost_micros = models.PositiveBigIntegerField(default=0)
    raw = models.TextField(blank=True)
    at = models.DateTimeField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(erasable=("raw",))

    class Meta:
        indexes = [models.Index(fields=["workspace", "at"], name="model_call_at")]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=["used", "bad", "none"]), name="model_call_outcome"),
            models.UniqueConstraint(
                fields=["job", "purpose", "part"], condition=Q(outcome="used"), name="model_call_used_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}"
