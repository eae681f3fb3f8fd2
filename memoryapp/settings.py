"""Settings of Commonplace, read from the environment.

With nothing set, `manage.py up` makes the product run on this machine alone: SQLite, a filesystem broker and in-process
caches, all under `var/`, with secrets made once into `var/machine.env`. `DATABASE_URL` and `CELERY_BROKER_URL` replace
the first two and nothing else. Outside `DEBUG` the secret key, the key pepper and the allowed hosts must be given, by
the environment or by that file: the product refuses to start without them.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from memoryapp.logs import LOGGING as LOGGING

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

VAR_DIR = Path(env.str("COMMONPLACE_VAR", default=str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)
if (VAR_DIR / "machine.env").is_file():
    environ.Env.read_env(str(VAR_DIR / "machine.env"))

DEBUG = env.bool("DEBUG", default=False)


def required(name: str) -> str:
    """A setting that has a default only under DEBUG."""
    value: str = env.str(name, default="")
    if value:
        return value
    if DEBUG:
        return "for-this-machine-alone-" * 3
    raise ImproperlyConfigured(f"Set {name}. `python manage.py up` makes one for this machine; see docs/operating.md.")


SECRET_KEY = required("SECRET_KEY")
KEY_PEPPER = required("KEY_PEPPER")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEBUG else [])
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured("Set ALLOWED_HOSTS to the names this product is reached by, separated by commas.")

TLS = env.bool("TLS", default=not DEBUG)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = TLS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = TLS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_REFERRER_POLICY = "same-origin"
if env.bool("TRUST_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "memoryapp.ledger",
    "memoryapp.access",
    "memoryapp.sources",
    "memoryapp.review",
    "memoryapp.ontology",
    "memoryapp.index",
    "memoryapp.graph",
    "memoryapp.timeline",
    "memoryapp.context",
    "memoryapp.files",
    "memoryapp.recall",
    "memoryapp.extraction",
    "formsengine",
    "memoryapp.api",
    "memoryapp.mcp",
    "memoryapp.console",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "memoryapp.assets.Assets",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "template_partials",
    "django_structlog",
]

MIDDLEWARE = [
    "memoryapp.doors.metrics.CountRequests",
    "memoryapp.doors.requestlog.RequestLog",
    "memoryapp.doors.problems.ProblemMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memoryapp.doors.pages.SayWhatIsNotTaken",
]

ROOT_URLCONF = "memoryapp.urls"
WSGI_APPLICATION = "memoryapp.wsgi.application"
ASGI_APPLICATION = "memoryapp.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'commonplace.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON; "
        "PRAGMA secure_delete=ON;",
    }
    DATABASES["default"]["TEST"] = {"NAME": env.str("TEST_DATABASE_NAME", default=str(VAR_DIR / "test.sqlite3"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = ["memoryapp.access.sessions.SignedIn"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "console:sign-in"
LOGIN_REDIRECT_URL = "/"

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 10_000}}}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": VAR_DIR / "attachments",
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://")
BROKER_DIR = VAR_DIR / "broker"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {}
match urlsplit(CELERY_BROKER_URL).scheme:
    case "filesystem":
        for folder in ("messages", "control"):
            (BROKER_DIR / folder).mkdir(parents=True, exist_ok=True)
        CELERY_BROKER_TRANSPORT_OPTIONS = {
            "data_folder_in": str(BROKER_DIR / "messages"),
            "data_folder_out": str(BROKER_DIR / "messages"),
            "control_folder": str(BROKER_DIR / "control"),
            "polling_interval": 0.1,
        }
    case "redis" | "rediss":
        CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 10}
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE: dict[str, Any] = {
    "sweep": {"task": "ledger.sweep", "schedule": 3.0, "options": {"expires": 6.0}},
    "statistics": {"task": "ledger.gather_statistics", "schedule": 600.0, "options": {"expires": 600.0}},
}
WORKER_THREADS = env.int("WORKER_THREADS", default=4)

# A language model, when there is one: any server that speaks the OpenAI chat form. Without it the rules do the work.
MODEL_URL = env.str("MODEL_URL", default="").rstrip("/")
MODEL_NAME = env.str("MODEL_NAME", default="")
MODEL_KEY = env.str("MODEL_KEY", default="")
if bool(MODEL_URL) != bool(MODEL_NAME):
    raise ImproperlyConfigured("Set both MODEL_URL and MODEL_NAME, or neither. See docs/model.md.")
MODEL_SECONDS = env.float("MODEL_SECONDS", default=120.0)
MODEL_OPTIONS: dict[str, Any] = env.json("MODEL_OPTIONS", default={"temperature": 0, "max_tokens": 4000})
MODEL_TOKENS_PER_DAY = env.int("MODEL_TOKENS_PER_DAY", default=1_000_000)
MODEL_PRICE_IN = env.float("MODEL_PRICE_IN", default=0.0)
MODEL_PRICE_OUT = env.float("MODEL_PRICE_OUT", default=0.0)

# An embedder, when there is one: any server that speaks the OpenAI form of embeddings. Without it, text alone.
EMBEDDING_URL = env.str("EMBEDDING_URL", default="").rstrip("/")
EMBEDDING_NAME = env.str("EMBEDDING_NAME", default="")
EMBEDDING_KEY = env.str("EMBEDDING_KEY", default="")
if bool(EMBEDDING_URL) != bool(EMBEDDING_NAME):
    raise ImproperlyConfigured("Set both EMBEDDING_URL and EMBEDDING_NAME, or neither. See docs/model.md.")
EMBEDDING_OPTIONS: dict[str, Any] = env.json("EMBEDDING_OPTIONS", default={})
EMBEDDING_SECONDS = env.float("EMBEDDING_SECONDS", default=60.0)
EMBEDDING_QUESTION_SECONDS = env.float("EMBEDDING_QUESTION_SECONDS", default=2.0)
EMBEDDING_TOKENS_PER_DAY = env.int("EMBEDDING_TOKENS_PER_DAY", default=20_000_000)
EMBEDDING_PRICE = env.float("EMBEDDING_PRICE", default=0.0)
EMBEDDING_FLOOR = env.float("EMBEDDING_FLOOR", default=0.35)
EMBEDDING_MEMORY_MB = env.int("EMBEDDING_MEMORY_MB", default=512)
if EMBEDDING_URL:
    CELERY_BEAT_SCHEDULE["embed"] = {"task": "index.embed", "schedule": 60.0, "options": {"expires": 60.0}}

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memoryapp.access.authentication.AgentKeyAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "memoryapp.api.schema.Schema",
    "EXCEPTION_HANDLER": "memoryapp.doors.problems.handle",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SHARED_LIMITS = env.bool("SHARED_LIMITS", default=False)
KEY_REQUESTS_PER_MINUTE = env.int("KEY_REQUESTS_PER_MINUTE", default=6000)
SPECTACULAR_SETTINGS = {
    "TITLE": "Commonplace",
    "DESCRIPTION": "Memory for AI agents that people can read, question and correct.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"persistAuthorization": False, "docExpansion": "list", "defaultModelsExpandDepth": -1},
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "memoryapp.api.schema.finish"],
}
