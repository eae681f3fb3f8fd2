"""The asgi door of the product: pages and REST by Django, and the tool server beside them."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
pages = get_asgi_application()

from memoryapp.mcp.door import beside  # noqa: E402  (its modules need the settings that are loaded above)

application = beside(pages)
