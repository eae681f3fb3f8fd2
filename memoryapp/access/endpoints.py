"""The base of every REST endpoint: who may call it, what it takes, and how its writes and answers go.

An endpoint declares, for each verb it has, the capability a caller needs (`needs`), its parameters and its body. What
is not declared is refused: a verb without a capability stops the product from starting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memoryapp.access import refusals
from memoryapp.access.authentication import AgentKeyAuthentication, as_told
from memoryapp.access.capabilities import BY_NAME
from memoryapp.access.models import AgentKey
from memoryapp.doors import etags, paging, problems, strict
from memoryapp.doors.errors import DomainError, Malformed, NotFound, WrongMediaType
from memoryapp.doors.fields import Body, Parameters, read_body
from memoryapp.ledger import idempotency
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal

ANY_KEY = "any key"
"""In `needs`: whoever has a valid key."""

_OF_PAGING = ("cursor", "page_size", "time_zone")
_OF_THE_CALLER = ("run", "model", "rationale", "time_zone")

VERBS = ("get", "post", "put", "patch", "delete")


def described(name: str, fields: dict[str, Any], **options: Any) -> serializers.Serializer[Any]:
    """An answer as the schema describes it. `fields` may be shared; a class takes its fields out of what it gets."""
    return inline_serializer(name, dict(fields), **options)


def page_of(name: str, item: dict[str, Any]) -> serializers.Serializer[Any]:
    """How a page of items is described in the schema: the items, and the cursor of the next page."""
    many = described(name, item, many=True)
    return described(f"{name}Page", {"items": many, "next": serializers.CharField(allow_null=True)})


def items_of(name: str, item: dict[str, Any]) -> serializers.Serializer[Any]:
    """How the answer to one or many told in one request is described in the schema: an item for each, in order."""
    return described(f"{name}Items", {"items": described(name, item, many=True)})


class AlwaysJson(BaseContentNegotiation):
    """There is one form of answer, whatever the Accept header says."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class NoParameters(Parameters):
    """An endpoint that takes none."""


NOTED = "Commonplace-Served"
"""The header in which an answer names its row of the served log."""


class Endpoint(APIView):
    """A REST endpoint of the memory. Within a verb: `by` is who calls, `asked` the parameters, `told` the body."""

    needs: ClassVar[dict[str, str]] = {}
    parameters: ClassVar[dict[str, type[Parameters]]] = {}
    body: ClassVar[dict[str, type[Body]]] = {}
    locked: ClassVar[tuple[str, ...]] = ()
    """Verbs that change a head and therefore must name its lock in If-Match."""
    instead: ClassVar[str] = ""
    """What to do instead of a verb that is not there, in a sentence."""
    reads_by_post: ClassVar[bool] = False
    """POST asks a question and stores nothing that a repeat would store again."""
    channel: str = "rest"
    """The door it is asked through."""
    given: dict[str, Any] | None = None
    """Its parameters as JSON values, from a door that has no query string."""
    refusal: DomainError | None = None
    """What a door already found wrong with the request; said once it is known who asks, and that they may."""

    authentication_classes = [AgentKeyAuthentication]
    permission_classes = []
    renderer_classes = [JSONRenderer]
    parser_classes = [JSONParser]
    content_negotiation_class = AlwaysJson
    metadata_class = None

    key: AgentKey
    by: Principal
    asked: dict[str, Any]
    told: dict[str, Any]
    lock: int
    """The lock that If-Match names, for a verb in `locked`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for verb in VERBS:
            needed = cls.needs.get(verb)
            if hasattr(cls, verb) and needed != ANY_KEY and needed not in BY_NAME:
                raise TypeError(f"{cls.__name__}.{verb} declares no capability.")
            if verb in cls.needs and not hasattr(cls, verb):
                raise TypeError(f"{cls.__name__} has no {verb}, and declares what it needs.")

    def get_exception_handler(self) -> Callable[..., Response]:
        return problems.handle

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who, then whether, then what: a caller without the right learns nothing of what the input should be."""
        self.perform_authentication(request)
        self.key, self.by = request.user, request.auth.through(channel=self.channel)  # type: ignore[assignment, union-attr]
        verb = (request.method or "").lower().replace("head", "get")
        if verb not in self.needs:
            return
        needed = self.needs[verb]
        if needed != ANY_KEY:
            self.by.require(needed)
        if self.refusal is not None:
            raise self.refusal
        context = {"zones": {"workspace": self.by.workspace.time_zone}}
        parameters = self.parameters.get(verb, NoParameters)
        if self.given is not None:
            self.asked = parameters.of(self.given, context)
        else:
            self.asked = parameters.read(request.META.get("QUERY_STRING", ""), context)
        self.told = self._read_body(request, verb, {"zones": dict(context["zones"])})
        if verb in self.locked:
            self.lock = etags.named_lock(request.headers.get("If-Match"))
        self.by = as_told(self.by, self.told)

    def http_method_not_allowed(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        said = f"There is no {request.method} here. {self.instead}".strip()
        raise MethodNotAllowed(request.method or "", detail=said)

    @property
    def filters(self) -> dict[str, Any]:
        """The parameters but for those of paging and of reading times."""
        return {name: value for name, value in self.asked.items() if name not in _OF_PAGING}

    @property
    def content(self) -> dict[str, Any]:
        """The body but for what it says of the agent's own doing and of reading times."""
        return {name: value for name, value in self.told.items() if name not in _OF_THE_CALLER}

    @property
    def paging_asked(self) -> dict[str, Any]:
        """Which page is asked for, of which question."""
        return {
            "size": self.asked.get("page_size", paging.USUAL_SIZE),
            "cursor": self.asked.get("cursor"),
            "question": [str(self.by.workspace.pk), str(self.by.actor.pk), self.request.path, self.filters],
        }

    def write(self, action: str, act: Callable[[Write], Answer]) -> Response:
        """Do a write once, in one transaction with its answer, and answer."""
        try:
            answer = idempotency.once(
                self.by,
                action,
                act,
                key=self._key_of_repeats(),
                request_digest=self._digest(),
                rationale=self.told.get("rationale", ""),
            )
        except DomainError as error:
            refusals.tell(self, action, error)
            raise
        return self._answered(answer)

    def write_each(self, action: str, act: Callable[[str], Any]) -> Response:
        """Do several writes, each once and by itself, and answer what became of them.

        `act` opens its writes itself and gives the body of the answer. It gets the key that names them, empty where a
        repeat is another request: what was done under that key before it must not do again.
        """
        key = self._key_of_repeats()
        if key is None:
            return Response(act(""))
        done = idempotency.answered(self.by, key, self._digest())
        if done is not None:
            return self._answered(done)
        body = act(key)
        return self.write(action, lambda write: Answer(body))

    def _key_of_repeats(self) -> str | None:
        key = self.request.headers.get("Idempotency-Key") if self.request.method == "POST" else None
        return idempotency.checked(key) if key is not None else None

    def _digest(self) -> str:
        return idempotency.digest(self.request.method, self.request.get_full_path(), self._raw)

    def _answered(self, answer: Answer) -> Response:
        response = Response(answer.body, status=answer.status, headers=dict(answer.headers))
        if answer.replayed:
            response["Idempotency-Replayed"] = "true"
        return response

    def page(
        self, rows: QuerySet[Any], *, order: tuple[str, ...], shape: Callable[[Any], dict[str, Any]], **also: Any
    ) -> Response:
        """One page of rows, shaped; `also` is added beside the items."""
        found: paging.Page[Model] = paging.page(rows, order=order, **self.paging_asked)
        return Response(found.shaped(shape) | also)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Every answer says which workspace it is about, and is kept by nobody on the way."""
        final: Response = super().finalize_response(request, response, *args, **kwargs)
        by = getattr(self, "by", None)
        if by is not None:
            final.headers.setdefault("Commonplace-Workspace", by.workspace.slug)
        final.headers.setdefault("Cache-Control", "no-store")
        return final

    def _read_body(self, request: Request, verb: str, context: dict[str, Any]) -> dict[str, Any]:
        self._raw: Any = None
        raw = _bytes(request)
        fields = self.body.get(verb)
        if fields is None:
            if raw:
                raise Malformed("No body is taken here.", code="body_not_taken")
            return {}
        kind = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        if raw and kind != "application/json":
            raise WrongMediaType("Send the body as application/json.", code="wrong_media_type")
        self._raw = strict.read(raw) if raw else {}
        if not isinstance(self._raw, dict):
            raise Malformed.at("/", "wrong_type", "The body must be an object.", ", ".join(fields().fields))
        return read_body(fields, self._raw, context)


def _bytes(request: Request) -> bytes:
    """The body, however it was sent (a chunked one names no length). Never more than the largest is held."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > strict.LARGEST_BODY:
        raise strict.too_large()
    raw = request._request.read(strict.LARGEST_BODY + 1)
    if len(raw) > strict.LARGEST_BODY:
        raise strict.too_large()
    return raw


class NoSuchEndpoint(Endpoint):
    """Every address under /api/ that is not one: a problem, and only for who has a key."""

    needs = {verb: ANY_KEY for verb in VERBS}
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.perform_authentication(request)
        self.by = request.auth  # type: ignore[assignment]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        raise NotFound("There is no such address. What there is: /api/v1/openapi.json", code="no_such_endpoint")

    post = put = patch = delete = get
