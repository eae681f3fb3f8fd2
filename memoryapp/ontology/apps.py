from django.apps import AppConfig


class OntologyConfig(AppConfig):
    name = "memoryapp.ontology"
    label = "ontology"
