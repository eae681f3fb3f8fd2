import datetime
import django.db.models.deletion
import memoryapp.ledger.identifiers
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Actor',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('person', 'Person'), ('agent', 'Agent'), ('job', 'Job'), ('policy', 'Policy'), ('system', 'System')], max_length=10)),
                ('key', models.CharField(help_text='What this actor is known by within its kind.', max_length=100)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['person', 'agent', 'job', 'policy', 'system'])), name='actor_kind')],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=60)),
                ('subject_id', models.UUIDField(help_text='What the job is about; the kind says in which table.')),
                ('arguments', models.JSONField(default=dict, help_text='Ids and settings only; never what a person said.')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('dedupe', models.CharField(blank=True, help_text='At most one open job of a kind for this.', max_length=200)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('max_attempts', models.PositiveSmallIntegerField(default=5)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('leased_by', models.CharField(blank=True, max_length=100)),
                ('run_after', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.JSONField(default=dict, help_text='Counts and ids of what came of it.')),
                ('error', models.TextField(blank=True)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'run_after'], name='job_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='job_state')],
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('role', models.CharField(max_length=10)),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Workspace',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('time_zone', models.CharField(default='UTC', max_length=64)),
                ('settings', models.JSONField(blank=True, default=dict)),
                ('write_sequence', models.BigIntegerField(default=0)),
                ('clock', models.DateTimeField(default=datetime.datetime(2000, 1, 1, 0, 0, tzinfo=datetime.timezone.utc))),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Served',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('form', models.CharField(help_text='recall, brief, current, why, context ...', max_length=20)),
                ('channel', models.CharField(max_length=20)),
                ('question', models.TextField(blank=True)),
                ('parameters', models.JSONField(default=dict)),
                ('run', models.CharField(blank=True, max_length=200)),
                ('thread', models.CharField(blank=True, max_length=200)),
                ('served_at', models.DateTimeField()),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.actor')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', '-served_at'], name='served_newest')],
            },
        ),
        migrations.CreateModel(
            name='JobAttempt',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('worker', models.CharField(max_length=100)),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('ending', models.CharField(blank=True, max_length=10)),
                ('error', models.TextField(blank=True)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tries', to='ledger.job')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('job', 'number'), name='job_attempt_number_once')],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace'),
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('request_digest', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField()),
                ('body', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.actor')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'actor', 'key'), name='idempotency_key_once')],
            },
        ),
        migrations.AddField(
            model_name='actor',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace'),
        ),
        migrations.CreateModel(
            name='Write',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('sequence', models.BigIntegerField()),
                ('action', models.CharField(max_length=60)),
                ('channel', models.CharField(max_length=20)),
                ('rationale', models.TextField(blank=True)),
                ('run', models.CharField(blank=True, max_length=200)),
                ('thread', models.CharField(blank=True, max_length=200)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('prompt_version', models.CharField(blank=True, max_length=100)),
                ('trace_id', models.CharField(blank=True, db_index=True, max_length=64)),
                ('recorded_at', models.DateTimeField()),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='writes', to='ledger.actor')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'sequence'), name='write_sequence_once'), models.CheckConstraint(condition=models.Q(models.Q(('action', ''), _negated=True), models.Q(('channel', ''), _negated=True)), name='write_says_what_and_how')],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='write',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='ledger.write'),
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('reason', models.TextField()),
                ('opened_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('receipt', models.JSONField(default=dict)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ServedItem',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('target_type', models.CharField(max_length=20)),
                ('target_id', models.UUIDField()),
                ('rank', models.PositiveIntegerField()),
                ('score', models.FloatField(null=True)),
                ('served', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='ledger.served')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'target_id'], name='served_target')],
            },
        ),
        migrations.AddConstraint(
            model_name='actor',
            constraint=models.UniqueConstraint(fields=('workspace', 'kind', 'key'), name='actor_key_once'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['workspace', '-created_at'], name='job_newest'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running']), models.Q(('dedupe', ''), _negated=True)), fields=('workspace', 'kind', 'dedupe'), name='job_open_once'),
        ),
    ]
