"""The wsgi door of the product."""

import os

from django.core.wsgi import get_wsgi_application

from memoryapp.doors.settled import settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
application = get_wsgi_application()
settle()
