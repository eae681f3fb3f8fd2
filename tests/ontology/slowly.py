"""A Celery application like the product's that takes a few rows for very many, and its time over them.

`celery -A tests.ontology.slowly worker` is a process of a test: what a kill does to a change of types is seen on a real
one only.
"""

from __future__ import annotations

from tests.ledger.patient import app as app  # isort: skip
from memoryapp.ontology import staging

staging.AT_ONCE = 0
staging.CHUNK = 4
staging.BREATH_SECONDS = 0.2
