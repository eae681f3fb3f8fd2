"""Addresses of the declared types and of proposals, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.ontology.pages import one_type, proposals, types

app_name = "ontology"
urlpatterns: list[URLPattern] = [
    path("ontology/", types.types, name="types"),
    path("ontology/compare/", types.compare, name="compare"),
    path("ontology/export/", types.export, name="export"),
    path("ontology/<str:family>/<str:name>/", one_type.one_type, name="type"),
    path("proposals/", proposals.proposals, name="proposals"),
    path("proposals/new/", proposals.new, name="new"),
    path("proposals/<uuid:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<uuid:proposal_id>/decide/", proposals.decide, name="decide"),
    path("proposals/<uuid:proposal_id>/force/", proposals.put_in_force, name="put-in-force"),
    path("proposals/<uuid:proposal_id>/withdraw/", proposals.withdraw, name="withdraw"),
    path("proposals/<uuid:proposal_id>/revise/", proposals.revise, name="revise"),
]
