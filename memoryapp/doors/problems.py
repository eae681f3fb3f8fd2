"""Errors at the REST door: every one a problem document (RFC 9457), none with a stack trace, all with a trace id.

What happens to the storage itself (it is away, or full) is told apart here for every door.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template import loader
from rest_framework import exceptions
from rest_framework.response import Response

from memoryapp.doors import errors, strict
from memoryapp.doors.trace import trace_id

MEDIA_TYPE = "application/problem+json"
UNDER = "/api/"

ASK_AGAIN_SECONDS = 5
"""What `Retry-After` says when the storage is away."""

_FULL = ("database or disk is full", "disk i/o error", "no space left", "file too large")
"""What SQLite says when it could not write; SQLSTATE 53100 is PostgreSQL's word for it."""

log = logging.getLogger(__name__)


class Broken(errors.DomainError):
    """Our fault. What happened is in our log under the trace id, and nothing of it in the answer."""

    status = 500
    title = "Something broke here"


class MethodNotThere(errors.DomainError):
    status = 405
    title = "Method not allowed"


class NotAcceptable(errors.DomainError):
    status = 406
    title = "Not acceptable"


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """What REST framework calls for an exception in a view: always an answer, so that nothing escapes as a page."""
    request = context["request"]._request if "request" in context else None
    problem = as_domain_error(error)
    if problem.status >= 500 and not isinstance(problem, errors.Unavailable | errors.NoRoom):
        log.error("request_broke", exc_info=error, extra={"trace_id": trace_id(request) if request else ""})
    headers = dict(getattr(error, "headers", {}) or {})
    if isinstance(error, exceptions.MethodNotAllowed) and "view" in context:
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    body = problem.as_problem()
    if request is not None:
        body |= {"instance": request.path, "trace_id": trace_id(request)}
    return Response(body, status=problem.status, headers=headers | _headers(problem), content_type=MEDIA_TYPE)


def as_domain_error(error: Exception) -> errors.DomainError:
    """The error in the product's own words."""
    if isinstance(error, errors.DomainError):
        return error
    if isinstance(error, exceptions.APIException):
        return _of_the_framework(error)
    if isinstance(error, Http404):
        return errors.NotFound("There is no such thing here.", code="not_found")
    if isinstance(error, PermissionDenied):
        return errors.Denied("You may not do this.", code="not_allowed")
    if isinstance(error, RequestDataTooBig):
        return strict.too_large()
    if isinstance(error, SuspiciousOperation):
        return errors.Malformed("The request cannot be read.", code="malformed")
    if isinstance(error, IntegrityError):
        log.error("storage_refused", exc_info=error)
        return errors.Conflict("The memory's own rules refuse this. Nothing was stored.", code="storage_refused")
    if isinstance(error, OperationalError | InterfaceError):
        return storage_error(error)
    if isinstance(error, DatabaseError):
        log.error("storage_failed", exc_info=error)
    return Broken("Something broke on our side. Nothing was stored.", code="internal")


def storage_error(error: Exception) -> errors.DomainError:
    """What an operational error of the database means to whoever asked. The transaction it happened in was undone."""
    full = getattr(error.__cause__, "sqlstate", None) == "53100" or any(word in str(error).lower() for word in _FULL)
    log.error("storage_full" if full else "storage_unavailable", exc_info=error)
    if full:
        return errors.NoRoom(
            "The disk of the memory is full. Nothing was stored, and nothing can be until there is room.",
            code="storage_full",
        )
    return errors.Unavailable(
        "The memory cannot be reached now. Nothing was stored; try again.",
        code="storage_unavailable",
        extra={"retry_after": ASK_AGAIN_SECONDS},
    )


def broke(request: HttpRequest) -> HttpResponse:
    """What is shown when a view raised what nobody expected: a page that needs nothing, and says what is known.

    Under /api/ it becomes a problem on its way out.
    """
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        told = storage_error(error)
        page = loader.get_template("503.html").render({"error": told})
        return HttpResponse(page, status=told.status, headers=_headers(told))
    return HttpResponse(loader.get_template("500.html").render(), status=500)


def _of_the_framework(error: exceptions.APIException) -> errors.DomainError:
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return errors.Unauthenticated(
            "Send the agent's key: Authorization: Bearer cpl_…", code=str(error.get_codes() or "no_key")
        )
    if isinstance(error, exceptions.MethodNotAllowed):
        return MethodNotThere(str(error.detail), code="method_not_allowed")
    if isinstance(error, exceptions.NotAcceptable):
        return NotAcceptable("Answers here are application/json.", code="not_acceptable")
    if isinstance(error, exceptions.UnsupportedMediaType):
        return errors.WrongMediaType("Send the body as application/json.", code="wrong_media_type")
    if isinstance(error, exceptions.NotFound):
        return errors.NotFound("There is no such thing here.", code="not_found")
    if isinstance(error, exceptions.PermissionDenied):
        return errors.Denied("You may not do this.", code="not_allowed")
    if error.status_code >= 500:
        return Broken("Something broke on our side. Nothing was stored.", code="internal")
    return errors.Malformed(str(error.detail), code="malformed")


def _headers(problem: errors.DomainError) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    if problem.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="Commonplace"'
    if "retry_after" in problem.extra:
        headers["Retry-After"] = str(problem.extra["retry_after"])
    return headers


class ProblemMiddleware:
    """Turns what fails outside a view under /api/ (a bad host, an address nobody has, a crash) into a problem too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path.startswith(UNDER):
            response.headers.setdefault("Commonplace-Trace", trace_id(request))
            kind = response.headers.get("Content-Type", "")
            if response.status_code >= 400 and not kind.startswith(MEDIA_TYPE):
                return _outside(request, response)
        return response


def _outside(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    status = response.status_code
    phrase = HTTPStatus(status).phrase
    body = {
        "type": f"urn:commonplace:problem:http_{status}",
        "title": phrase,
        "status": status,
        "detail": "Something broke on our side." if status >= 500 else f"{phrase}.",
        "code": f"http_{status}",
        "instance": request.path,
        "trace_id": trace_id(request),
    }
    made = HttpResponse(json.dumps(body), status=status, content_type=MEDIA_TYPE)
    made.headers["Commonplace-Trace"] = trace_id(request)
    return made
