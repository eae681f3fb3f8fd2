import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.db.models.lookups
import memoryapp.ledger.identifiers
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('ledger', '0001_initial'),
        ('sources', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Node',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('node_class', models.CharField(max_length=100)),
                ('label', models.CharField(help_text='What it is called: a projection, for reading.', max_length=300)),
                ('bare_label', models.CharField(blank=True, help_text='The label as look-alikes share it; a hint.', max_length=300)),
                ('properties', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('active', 'Active'), ('retired', 'Retired'), ('folded', 'Folded')], default='active', max_length=10)),
                ('lock', models.PositiveIntegerField(default=1)),
                ('ontology_version', models.PositiveIntegerField()),
                ('recorded_at', models.DateTimeField()),
                ('projected_at', models.DateTimeField(blank=True, help_text='The instant for which `properties` were last read off the beliefs.', null=True)),
                ('folded_into', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='folded', to='graph.node')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='nodes', to='ledger.write')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'node_class', 'label'], name='node_class_label'), models.Index(fields=['workspace', 'bare_label'], name='node_bare_label')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('folded_into__isnull', False), ('state', 'folded')), models.Q(('folded_into__isnull', True), ('state__in', ['active', 'retired'])), _connector='OR'), name='node_folded_somewhere')],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=300)),
                ('normal_name', models.CharField(max_length=300)),
                ('node_class', models.CharField(max_length=100)),
                ('span_start', models.PositiveIntegerField()),
                ('span_end', models.PositiveIntegerField()),
                ('dismissed', models.BooleanField(default=False, help_text='A person said that this names nothing.')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mentions', to='sources.source')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
                ('circle', models.ForeignKey(blank=True, help_text='In whose words.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='circle', to='graph.node')),
                ('node', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='mentions', to='graph.node')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'normal_name', 'node_class'], name='mention_name')],
                'constraints': [models.CheckConstraint(condition=models.Q(('span_end__gt', models.F('span_start'))), name='mention_span'), models.UniqueConstraint(fields=('source', 'span_start', 'span_end', 'node_class'), name='mention_once')],
            },
        ),
        migrations.CreateModel(
            name='IdentityKey',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('owner_class', models.CharField(help_text='The class that declares the key set.', max_length=100)),
                ('key_set', models.CharField(help_text='Names of the properties, sorted, joined by +.', max_length=200)),
                ('value', models.CharField(help_text='Normalised values, joined by U+001F.', max_length=500)),
                ('active', models.BooleanField(default=True, help_text='Not when what it was read from turned out never right.')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identity_keys', to='graph.node')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('active', True)), fields=('workspace', 'owner_class', 'key_set', 'value'), name='identity_key_once')],
            },
        ),
        migrations.CreateModel(
            name='Belief',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('shape', models.CharField(choices=[('statement', 'Statement'), ('property', 'Property'), ('edge', 'Edge')], max_length=10)),
                ('kind', models.CharField(max_length=100)),
                ('content', models.TextField()),
                ('attributes', models.JSONField(blank=True, default=dict)),
                ('predicate', models.CharField(blank=True, max_length=100)),
                ('value', models.JSONField(blank=True, null=True)),
                ('qualifiers', models.JSONField(blank=True, default=dict)),
                ('topic', models.CharField(blank=True, max_length=200)),
                ('slot', models.CharField(blank=True, max_length=64)),
                ('statement', models.CharField(max_length=64)),
                ('confidence', models.FloatField(blank=True, null=True)),
                ('status', models.CharField(choices=[('activated', 'Activated'), ('resolving', 'Resolving'), ('archived', 'Archived'), ('deleted', 'Deleted')], max_length=10)),
                ('standing', models.CharField(choices=[('holds', 'Holds'), ('ended', 'Ended'), ('retracted', 'Retracted'), ('withdrawn', 'Withdrawn')], default='holds', max_length=10)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_from_precision', models.CharField(choices=[("year", "year"), ("month", "month"), ("day", "day"), ("instant", "instant")], default='instant', max_length=8)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('valid_to_precision', models.CharField(choices=[("year", "year"), ("month", "month"), ("day", "day"), ("instant", "instant")], default='instant', max_length=8)),
                ('audience', models.CharField(choices=[('workspace', 'Workspace'), ('owners', 'Owners'), ('named', 'Named')], default='workspace', max_length=10)),
                ('lock', models.PositiveIntegerField(default=1)),
                ('ontology_version', models.PositiveIntegerField()),
                ('recorded_at', models.DateTimeField()),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='beliefs', to='ledger.write')),
                ('object', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='edges_to', to='graph.node')),
                ('subject', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='beliefs_about', to='graph.node')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'slot', 'status'], name='belief_slot'), models.Index(fields=['workspace', 'statement', 'status'], name='belief_statement'), models.Index(fields=['workspace', 'kind', 'status'], name='belief_kind'), models.Index(fields=['workspace', '-recorded_at'], name='belief_newest'), models.Index(fields=['workspace', 'audience'], name='belief_audience')],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['activated', 'resolving', 'archived', 'deleted'])), name='belief_status'), models.CheckConstraint(condition=models.Q(('standing__in', ['holds', 'ended', 'retracted', 'withdrawn'])), name='belief_standing'), models.CheckConstraint(condition=models.Q(models.Q(models.Q(('status', 'deleted'), _negated=True), django.db.models.expressions.NegatedExpression(django.db.models.lookups.Exact(django.db.models.functions.text.Trim('content'), ''))), models.Q(('content', ''), ('status', 'deleted')), _connector='OR'), name='belief_has_content'), models.CheckConstraint(condition=models.Q(('confidence__isnull', True), models.Q(('confidence__gte', 0), ('confidence__lte', 100)), _connector='OR'), name='belief_confidence'), models.CheckConstraint(condition=models.Q(('valid_from__isnull', True), ('valid_to__isnull', True), ('valid_to__gte', models.F('valid_from')), _connector='OR'), name='belief_valid_order'), models.CheckConstraint(condition=models.Q(models.Q(('object__isnull', True), ('predicate', ''), ('shape', 'statement')), models.Q(('object__isnull', True), ('shape', 'property'), ('subject__isnull', False), models.Q(('predicate', ''), _negated=True)), models.Q(('object__isnull', False), ('shape', 'edge'), ('subject__isnull', False), models.Q(('predicate', ''), _negated=True)), _connector='OR'), name='belief_shape'), models.CheckConstraint(condition=models.Q(('audience__in', ['workspace', 'owners', 'named'])), name='belief_audience')],
            },
        ),
        migrations.CreateModel(
            name='ActorNode',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='is_node', to='ledger.actor')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='is_actor', to='graph.node')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('actor', 'node'), name='actor_node_once')],
            },
        ),
        migrations.CreateModel(
            name='ParticipantNode',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='graph.node')),
                ('participant', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='bound', to='sources.participant')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Relation',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=100)),
                ('attributes', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('assembling', 'Assembling'), ('activated', 'Activated'), ('retracted', 'Retracted')], default='assembling', max_length=10)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('lock', models.PositiveIntegerField(default=1)),
                ('ontology_version', models.PositiveIntegerField()),
                ('recorded_at', models.DateTimeField()),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='relations', to='ledger.write')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'kind', 'state'], name='relation_kind')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['assembling', 'activated', 'retracted'])), name='relation_state'), models.CheckConstraint(condition=models.Q(('valid_from__isnull', True), ('valid_to__isnull', True), ('valid_to__gte', models.F('valid_from')), _connector='OR'), name='relation_valid_order')],
            },
        ),
        migrations.CreateModel(
            name='RelationPlayer',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(help_text="The relation's kind, kept here for look-ups by role.", max_length=100)),
                ('role', models.CharField(max_length=100)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('quote', models.TextField(blank=True)),
                ('span_start', models.PositiveIntegerField(blank=True, null=True)),
                ('span_end', models.PositiveIntegerField(blank=True, null=True)),
                ('belief', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plays', to='graph.belief')),
                ('node', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plays', to='graph.node')),
                ('played_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plays', to='graph.relation', verbose_name='relation as player')),
                ('relation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='players', to='graph.relation')),
                ('source', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plays', to='sources.source')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('belief__isnull', False)), fields=['belief', 'kind', 'role'], name='player_belief'), models.Index(condition=models.Q(('node__isnull', False)), fields=['node', 'kind', 'role'], name='player_node'), models.Index(condition=models.Q(('source__isnull', False)), fields=['source', 'kind', 'role'], name='player_source'), models.Index(condition=models.Q(('played_by__isnull', False)), fields=['played_by', 'kind', 'role'], name='player_relation')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('belief__isnull', False), ('node__isnull', True), ('played_by__isnull', True), ('source__isnull', True)), models.Q(('belief__isnull', True), ('node__isnull', False), ('played_by__isnull', True), ('source__isnull', True)), models.Q(('belief__isnull', True), ('node__isnull', True), ('played_by__isnull', True), ('source__isnull', False)), models.Q(('belief__isnull', True), ('node__isnull', True), ('played_by__isnull', False), ('source__isnull', True)), _connector='OR'), name='player_is_one_thing'), models.CheckConstraint(condition=models.Q(('source__isnull', False), models.Q(('quote', ''), ('span_end__isnull', True), ('span_start__isnull', True)), _connector='OR'), name='player_only_sources_quoted'), models.UniqueConstraint(condition=models.Q(('belief__isnull', False)), fields=('relation', 'belief'), name='player_belief_once'), models.UniqueConstraint(condition=models.Q(('node__isnull', False)), fields=('relation', 'node'), name='player_node_once'), models.UniqueConstraint(condition=models.Q(('source__isnull', False)), fields=('relation', 'source', 'span_start'), name='player_source_once'), models.UniqueConstraint(condition=models.Q(('played_by__isnull', False)), fields=('relation', 'played_by'), name='player_relation_once')],
            },
        ),
        migrations.CreateModel(
            name='RelationState',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('sequence', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('assembling', 'Assembling'), ('activated', 'Activated'), ('retracted', 'Retracted')], max_length=10)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('reason', models.TextField()),
                ('recorded_at', models.DateTimeField()),
                ('relation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='states', to='graph.relation')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='relation_states', to='ledger.write')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('relation', 'sequence'), name='relation_state_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='relation_state_reason')],
            },
        ),
        migrations.CreateModel(
            name='BeliefReader',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.actor')),
                ('belief', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='readers', to='graph.belief')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.write')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('belief', 'actor'), name='belief_reader_once')],
            },
        ),
        migrations.CreateModel(
            name='BeliefState',
            fields=[
                ('id', models.UUIDField(default=memoryapp.ledger.identifiers.new_id, editable=False, primary_key=True, serialize=False)),
                ('sequence', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('activated', 'Activated'), ('resolving', 'Resolving'), ('archived', 'Archived'), ('deleted', 'Deleted')], max_length=10)),
                ('standing', models.CharField(choices=[('holds', 'Holds'), ('ended', 'Ended'), ('retracted', 'Retracted'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_from_precision', models.CharField(choices=[("year", "year"), ("month", "month"), ("day", "day"), ("instant", "instant")], default='instant', max_length=8)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('valid_to_precision', models.CharField(choices=[("year", "year"), ("month", "month"), ("day", "day"), ("instant", "instant")], default='instant', max_length=8)),
                ('audience', models.CharField(choices=[('workspace', 'Workspace'), ('owners', 'Owners'), ('named', 'Named')], max_length=10)),
                ('owners', models.JSONField(default=list, help_text='Ids of the owner nodes, sorted.')),
                ('reason', models.TextField(help_text='Why it changed, in one sentence.')),
                ('recorded_at', models.DateTimeField()),
                ('belief', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='states', to='graph.belief')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.workspace')),
                ('write', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='belief_states', to='ledger.write')),
            ],
            options={
                'indexes': [models.Index(fields=['belief', 'recorded_at'], name='belief_state_known')],
                'constraints': [models.UniqueConstraint(fields=('belief', 'sequence'), name='belief_state_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='belief_state_reason'), models.CheckConstraint(condition=models.Q(('status__in', ['activated', 'resolving', 'archived', 'deleted'])), name='belief_state_status')],
            },
        ),
    ]
