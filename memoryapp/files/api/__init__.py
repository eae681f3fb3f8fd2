"""The files room over REST."""

from memoryapp.files.api import finding, moving, reading, writing

urlpatterns = [*reading.urlpatterns, *finding.urlpatterns, *writing.urlpatterns, *moving.urlpatterns]
