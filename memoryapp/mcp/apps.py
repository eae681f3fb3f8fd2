from django.apps import AppConfig


class McpConfig(AppConfig):
    name = "memoryapp.mcp"
    label = "mcp"
