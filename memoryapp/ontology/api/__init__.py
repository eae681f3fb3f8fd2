"""The declared types and proposals to change them, over REST."""

from memoryapp.ontology.api import proposals, types

urlpatterns = [*types.urlpatterns, *proposals.urlpatterns]
