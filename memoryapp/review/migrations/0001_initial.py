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
            name='Case',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('key', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('open', 'Open'), ('decided', 'Decided'), ('void', 'Void')], default='open', max_length=10)),
                ('reason', models.CharField(help_text="Why it opened, in one sentence without anybody's words.", max_length=500)),
                ('priority', models.PositiveSmallIntegerField(default=50)),
                ('reach', models.PositiveIntegerField(default=0, help_text='How much rests on it or was served from it.')),
                ('due', models.DateTimeField(blank=True, null=True)),
                ('snoozed_until', models.DateTimeField(blank=True, null=True)),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('lock', models.PositiveIntegerField(default=1)),
                ('opened_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('claimed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.actor')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cases', to='ledger.write')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'state', '-priority', 'opened_at', 'id'], name='case_queue'), models.Index(fields=['workspace', 'kind', 'key'], name='case_key'), models.Index(fields=['workspace', 'state', 'kind', 'snoozed_until', 'opened_at', 'id'], name='case_count')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('workspace', 'kind', 'key'), name='case_open_once'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'decided', 'void'])), name='case_state')],
            },
        ),
        migrations.CreateModel(
            name='CaseSubject',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('role', models.CharField(max_length=30)),
                ('subject_type', models.CharField(max_length=20)),
                ('subject_id', models.UUIDField()),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subjects', to='review.case')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'subject_id'], name='case_subject')],
                'constraints': [models.UniqueConstraint(fields=('case', 'role', 'subject_id'), name='case_subject_once')],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('round', models.PositiveIntegerField()),
                ('verdict', models.CharField(max_length=40)),
                ('rationale', models.TextField(blank=True)),
                ('edits', models.JSONField(default=dict)),
                ('policy', models.CharField(blank=True, max_length=100)),
                ('batch_id', models.UUIDField(blank=True, null=True)),
                ('decided_at', models.DateTimeField()),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='review.case')),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='ledger.actor')),
                ('undoes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='undone_by', to='review.decision')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='ledger.write')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', '-decided_at'], name='decision_newest')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('undoes__isnull', True)), fields=('case', 'round'), name='decision_once_a_round'), models.CheckConstraint(condition=models.Q(('verdict', ''), _negated=True), name='decision_has_verdict')],
            },
        ),
        migrations.CreateModel(
            name='CaseChange',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('lock', models.PositiveIntegerField()),
                ('change', models.CharField(choices=[('opened', 'Opened'), ('changed', 'Changed'), ('decided', 'Decided'), ('undone', 'Undone'), ('void', 'Void'), ('reopened', 'Reopened')], max_length=10)),
                ('what', models.CharField(help_text="In one sentence without anybody's words.", max_length=500)),
                ('recorded_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('change__in', ['opened', 'changed', 'decided', 'undone', 'void', 'reopened'])), name='case_change_known'), models.CheckConstraint(condition=models.Q(('what', ''), _negated=True), name='case_change_says_what')],
            },
        ),
        migrations.AddField(
            model_name='casechange',
            name='case',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='review.case'),
        ),
        migrations.AddField(
            model_name='casechange',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace'),
        ),
        migrations.AddField(
            model_name='casechange',
            name='write',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='case_changes', to='ledger.write'),
        ),
        migrations.AddConstraint(
            model_name='casechange',
            constraint=models.UniqueConstraint(fields=('case', 'lock'), name='case_change_once'),
        ),
    ]
