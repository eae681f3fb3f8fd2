"""The index structures that only one engine has."""

from django.db import migrations

from memoryapp.index.engines.postgres import PostgresEngine
from memoryapp.index.engines.sqlite import SqliteEngine


def engine(schema_editor):
    return SqliteEngine() if schema_editor.connection.vendor == "sqlite" else PostgresEngine()


class Migration(migrations.Migration):
    dependencies = [("index", "0001_initial")]

    operations = [
        migrations.RunPython(
            lambda apps, schema_editor: engine(schema_editor).install(schema_editor),
            lambda apps, schema_editor: engine(schema_editor).uninstall(schema_editor),
        )
    ]
