"""The product's own settings with what only tests need: fixed secrets, cheap passwords, a broker of their own."""

import os
import tempfile

os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("COMMONPLACE_VAR", tempfile.mkdtemp(prefix="commonplace-tests-"))

from memoryapp.settings import *  # noqa: F403

DEBUG = False
INSTALLED_APPS = [*INSTALLED_APPS, "django_migration_linter"]  # noqa: F405
STORAGES = STORAGES | {  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405
# Static files come from where they are written, through the middleware that serves them in production.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":  # noqa: F405
    # Fifty threads of one test share a core or two: they wait for their turn, however slow the machine.
    DATABASES["default"]["OPTIONS"]["timeout"] = 120  # noqa: F405
