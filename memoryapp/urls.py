"""Every address of the product: the console at the root, agents under /api/, operators under /admin/."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from memoryapp.console.pages import operators_sign_in

handler500 = "memoryapp.doors.problems.broke"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/login/", operators_sign_in),
    path("admin/", admin.site.urls),
    path("api/", include("memoryapp.api.urls")),
    path("", include("memoryapp.ledger.urls")),
    path("w/<slug:workspace>/", include("memoryapp.review.urls")),
    path("w/<slug:workspace>/", include("memoryapp.access.urls")),
    path("w/<slug:workspace>/", include("memoryapp.sources.urls")),
    path("w/<slug:workspace>/", include("memoryapp.ontology.urls")),
    path("w/<slug:workspace>/", include("memoryapp.graph.urls")),
    path("w/<slug:workspace>/", include("memoryapp.timeline.urls")),
    path("w/<slug:workspace>/", include("memoryapp.context.urls")),
    path("w/<slug:workspace>/", include("memoryapp.files.urls")),
    path("w/<slug:workspace>/", include("memoryapp.recall.urls")),
    path("w/<slug:workspace>/", include("memoryapp.extraction.urls")),
    path("w/<slug:workspace>/", include("formsengine.urls")),
    path("", include("memoryapp.console.urls")),
]
