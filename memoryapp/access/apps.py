from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "memoryapp.access"
    label = "access"
