"""Paths in the order of their bytes, so that what is below a directory is a range of an index. SQLite has no other."""

from django.db import migrations

COLUMNS = {"files_entry": ("path", "directory"), "files_version": ("path",), "files_link": ("target",)}


def in_byte_order(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for table, columns in COLUMNS.items():
        for column in columns:
            schema_editor.execute(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE varchar(1024) COLLATE "C"')


class Migration(migrations.Migration):
    dependencies = [("files", "0001_initial")]

    operations = [migrations.RunPython(in_byte_order, migrations.RunPython.noop)]
