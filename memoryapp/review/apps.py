from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "memoryapp.review"
    label = "review"
