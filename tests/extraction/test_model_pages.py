"""What the model cost is seen where people look: with the job, in the settings, and over REST."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings

from memoryapp.index.models import ModelCall
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.extraction.test_model import PIER, SAID, model, run_all
from tests.extraction.test_reading import MARCH, say
from tests.modelserver import ModelServer, completion
from tests.visiting import client_of

__all__ = ["model"]
FIGURE = re.compile(r'figure__name">([^<]*)</dt><dd class="figure__number">([^<]*)<')
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_jobs_page_and_the_settings_say_what_the_model_cost(
    curator_agent: Principal, administrator: Principal, workspace: Workspace, model: ModelServer
) -> None:
    model.replies = [completion({"statements": [SAID]}, usage=(1_234, 56))]
    say(curator_agent, ("ines", PIER, MARCH))
    with override_settings(MODEL_PRICE_IN=2_000, MODEL_PRICE_OUT=32_000 / 56):
        job = run_all()
    client = client_of(administrator)
    page = client.get(f"/w/harbour/jobs/{job.pk}/").content.decode()
    assert "What the model cost" in page
    took = ModelCall.objects.get().milliseconds
    spent = [("Calls", "1"), ("Tokens in", "1234"), ("Tokens out", "56"), ("Milliseconds", str(took)), ("Cost", "2.5")]
    assert [one for one in FIGURE.findall(page) if one in spent] == spent
    settings = client.get("/w/harbour/settings/").content.decode()
    assert [one for one in FIGURE.findall(settings) if one in spent] == spent * 3, "today, this month, and in all"
    assert "small-one" in settings
    assert "998710 left today" in settings
    assert "small-vectors" not in settings
    with override_settings(EMBEDDING_URL="http://127.0.0.1:9", EMBEDDING_NAME="small-vectors"):
        both = client.get("/w/harbour/settings/").content.decode()
    assert "small-vectors" in both
    assert "20000000 left today" in both
    told = Caller(workspace, ["curate"], "Clerk").get(f"jobs/{job.pk}").json()
    assert (told["spent"]["calls"], told["spent"]["tokens_in"], told["spent"]["tokens_out"]) == (1, 1_234, 56)


def test_without_a_model_the_pages_say_so_and_show_no_cost(curator_agent: Principal, administrator: Principal) -> None:
    from memoryapp.ledger.models import Job

    say(curator_agent, ("ines", PIER, MARCH))
    client = client_of(administrator)
    page = client.get(f"/w/harbour/jobs/{Job.objects.get().pk}/").content.decode()
    assert "What the model cost" not in page
    assert "None. The rules read what is told" in client.get("/w/harbour/settings/").content.decode()
