import django.db.models.deletion
import memoryapp.ledger.identifiers
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('ledger', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=200)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('role', models.CharField(choices=[('user', 'User'), ('assistant', 'Assistant'), ('system', 'System'), ('tool', 'Tool')], max_length=10)),
                ('node_class', models.CharField(default='person', max_length=100)),
                ('identity', models.JSONField(default=dict, help_text='Identity keys of the node class, e.g. an email address.')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['user', 'assistant', 'system', 'tool'])), name='participant_role')],
            },
        ),
        migrations.CreateModel(
            name='Thread',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(blank=True, max_length=200)),
                ('title', models.CharField(blank=True, max_length=300)),
                ('time_zone', models.CharField(blank=True, max_length=64)),
                ('recorded_at', models.DateTimeField()),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('workspace', 'external_id'), name='thread_external_once')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('chat_turn', 'Chat Turn'), ('document', 'Document'), ('file', 'File'), ('web', 'Web'), ('system', 'System'), ('statement', 'Statement')], max_length=20)),
                ('content', models.TextField()),
                ('digest', models.CharField(help_text='SHA-256 of what makes a repeat a repeat.', max_length=64)),
                ('said_at', models.DateTimeField(help_text='When it was said or written.')),
                ('said_zone', models.CharField(help_text='Offset or zone in which it was said, e.g. -05:00.', max_length=64)),
                ('position', models.PositiveIntegerField(blank=True, null=True)),
                ('speaker', models.CharField(blank=True, choices=[('user', 'User'), ('assistant', 'Assistant'), ('system', 'System'), ('tool', 'Tool')], max_length=10)),
                ('message_id', models.CharField(blank=True, max_length=200)),
                ('external_id', models.CharField(blank=True, max_length=300)),
                ('title', models.CharField(blank=True, max_length=300)),
                ('path', models.CharField(blank=True, max_length=1000)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('recorded_at', models.DateTimeField()),
                ('member', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.actor')),
                ('participant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='sources.participant')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='ledger.write')),
                ('thread', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='sources.thread')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'said_at'], name='source_said'), models.Index(fields=['workspace', 'digest'], name='source_digest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['chat_turn', 'document', 'file', 'web', 'system', 'statement'])), name='source_kind_concrete'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'chat_turn'), ('position__isnull', False), ('speaker__in', ['user', 'assistant', 'system', 'tool']), ('thread__isnull', False)), models.Q(models.Q(('kind', 'chat_turn'), _negated=True), ('message_id', ''), ('participant__isnull', True), ('speaker', ''), ('thread__isnull', True)), _connector='OR'), name='source_turn_has_speaker'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'web'), models.Q(('url', ''), _negated=True)), models.Q(models.Q(('kind', 'web'), _negated=True), ('url', '')), _connector='OR'), name='source_web_has_url'), models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['document', 'file']), models.Q(('path', ''), _negated=True)), models.Q(models.Q(('kind__in', ['document', 'file']), _negated=True), ('path', '')), _connector='OR'), name='source_document_has_path'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'statement'), ('member__isnull', False)), models.Q(models.Q(('kind', 'statement'), _negated=True), ('member__isnull', True)), _connector='OR'), name='source_statement_has_member'), models.UniqueConstraint(fields=('thread', 'position'), name='turn_position_once'), models.UniqueConstraint(condition=models.Q(('message_id', ''), _negated=True), fields=('thread', 'message_id'), name='turn_message_once'), models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('workspace', 'kind', 'external_id'), name='source_external_once')],
            },
        ),
        migrations.AddField(
            model_name='participant',
            name='thread',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='sources.thread'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('thread', 'key'), name='participant_once'),
        ),
    ]
