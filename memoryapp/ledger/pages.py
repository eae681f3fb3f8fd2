"""How the product itself is doing, for load balancers, monitors and operators. No sign-in: nothing of a workspace."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memoryapp.ledger import queries


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers. It asks nothing of the database, so that a slow one does not get processes killed."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def status(request: HttpRequest) -> HttpResponse:
    """A page for a browser, JSON for everything else; 503 only when the memory cannot be read or written."""
    found = queries.status()
    code = 503 if found.word == "down" else 200
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", ""):
        return render(request, "ledger/status.html", {"status": found}, status=code)
    return JsonResponse(found.as_dict(), status=code)
