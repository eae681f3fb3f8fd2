"""Addresses of the pages of forms, under the workspace they belong to."""

from django.urls import URLPattern, path

from formsengine.pages import collecting, filling, handing, moving, publishing, responses, reviewing, together, writing

app_name = "forms"
urlpatterns: list[URLPattern] = [
    path("forms/", collecting.forms, name="forms"),
    path("forms/import/", collecting.import_form, name="import"),
    path("forms/new/", writing.new, name="new"),
    path("forms/<uuid:form_id>/edit/", writing.edit, name="edit"),
    path("forms/<uuid:form_id>/edit/rule/", writing.rule, name="rule"),
    path("forms/<uuid:form_id>/edit/attempt/", writing.attempt, name="attempt"),
    path("forms/<uuid:form_id>/versions/", publishing.versions, name="versions"),
    path("forms/<uuid:form_id>/", collecting.form, name="form"),
    path("forms/<uuid:form_id>/open/", collecting.open_form, name="open"),
    path("forms/<uuid:form_id>/hand-out/", handing.hand_out, name="hand-out"),
    path("forms/<uuid:form_id>/about/<uuid:node_id>/", handing.about, name="about"),
    path("forms/<uuid:form_id>/answers/", together.charts, name="charts"),
    path("forms/<uuid:form_id>/export/<str:verb>/", collecting.export, name="export"),
    path("forms/responses/", responses.responses, name="responses"),
    path("forms/responses/accept/", responses.accept, name="accept"),
    path("forms/responses/<uuid:response_id>/", filling.fill, name="fill"),
    path("forms/responses/<uuid:response_id>/beside/", together.beside, name="beside"),
    path("forms/responses/<uuid:response_id>/assign/", together.assign, name="assign"),
    path("forms/responses/<uuid:response_id>/files/<uuid:attachment_id>/", filling.file, name="file"),
    path("forms/responses/<uuid:response_id>/move/", moving.move, name="move"),
    path("forms/responses/<uuid:response_id>/submit/", reviewing.submit, name="submit"),
    path("forms/responses/<uuid:response_id>/settle/", reviewing.settle, name="settle"),
    path("forms/responses/<uuid:response_id>/history/", reviewing.history, name="history"),
]
