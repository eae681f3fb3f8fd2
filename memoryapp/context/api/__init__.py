"""The context over REST: entries, sections as a whole, acts and their undoing, and the rendered block."""

from memoryapp.context.api import acts, changing, entries, rendering, sections

urlpatterns = [
    *rendering.urlpatterns,
    *entries.urlpatterns,
    *changing.urlpatterns,
    *sections.urlpatterns,
    *acts.urlpatterns,
]
