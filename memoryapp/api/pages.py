"""The description of the REST door, for programs and for people. Public: it says what may be asked, never an answer."""

from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from memoryapp.access.endpoints import AlwaysJson


class OpenAPI(SpectacularAPIView):
    """OpenAPI 3.1 of every address under /api/v1/."""

    renderer_classes = [OpenApiJsonRenderer]
    content_negotiation_class = AlwaysJson
    versioning_class = None


class _Page(BaseContentNegotiation):
    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class Documentation(SpectacularSwaggerSplitView):
    """A page to read and try the REST door on. Its script is a file of ours, so that the CSP stays strict."""

    url_name = "api:openapi"
    template_name = "api/docs.html"
    content_negotiation_class = _Page
