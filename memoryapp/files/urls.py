"""Addresses of the files room's pages, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.files.pages import browsing, changing, uploading

app_name = "files"
urlpatterns: list[URLPattern] = [
    path("files/", browsing.files, name="files"),
    path("files/branch/", browsing.branch, name="branch"),
    path("files/difference/", browsing.difference, name="difference"),
    path("files/edit/", changing.edit, name="edit"),
    path("files/original/", uploading.original, name="original"),
    path("files/upload/", uploading.upload, name="upload"),
    path("files/make/", changing.make, name="make"),
    path("files/move/", changing.move, name="move"),
    path("files/describe/", changing.describe, name="describe"),
    path("files/tell/", changing.tell, name="tell"),
    path("files/remove/", changing.remove, name="remove"),
    path("files/restore/", changing.restore, name="restore"),
]
