"""Which files of the installed packages are served: what no page of ours links to is not collected."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class Assets(StaticFilesConfig):
    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "rest_framework",
        "redoc",
        "swagger-ui-es-*",
        "swagger-ui.js*",
        "*-standalone-preset.js.map",
        "*-bundle.js.map",
        "htmax*",
    ]
