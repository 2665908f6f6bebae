-- The schema that the migrations make, read back from the catalogue. Written by "npm run schema", never by hand.
SET check_function_bodies = off;

CREATE TYPE event_actor_kind AS ENUM ('user', 'api_key', 'agent', 'execution', 'service');

CREATE SEQUENCE migrations_id_seq AS integer START 1 INCREMENT 1;

CREATE OR REPLACE FUNCTION public.budget_period_end(period text, moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE period WHEN 'day'::text THEN ((date_trunc('day'::text, (moment AT TIME ZONE 'UTC'::text)) + '1 day'::interval) AT TIME ZONE 'UTC'::text) WHEN 'month'::text THEN ((date_trunc('month'::text, (moment AT TIME ZONE 'UTC'::text)) + '1 mon'::interval) AT TIME ZONE 'UTC'::text) ELSE NULL::timestamp with time zone END;

CREATE OR REPLACE FUNCTION public.budget_period_start(period text, moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE period WHEN 'total'::text THEN '-infinity'::timestamp with time zone ELSE (date_trunc(period, (moment AT TIME ZONE 'UTC'::text)) AT TIME ZONE 'UTC'::text) END;

CREATE OR REPLACE FUNCTION public.count_directory_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
        BEGIN
          UPDATE nodes d SET entries = d.entries + CASE TG_OP WHEN 'INSERT' THEN c.entries ELSE -c.entries END
            FROM (SELECT container_id, parent_id, count(*) AS entries FROM changed GROUP BY container_id, parent_id) c
           WHERE d.container_id = c.container_id AND d.node_id = c.parent_id;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.count_inserted_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
        BEGIN
          UPDATE nodes d SET entries = d.entries + c.entries
            FROM (SELECT container_id, node_id, sum(entries) AS entries
                    FROM (SELECT container_id, parent_id AS node_id, 1 AS entries FROM changed
                          UNION ALL
                          SELECT container_id, node_id, -entries FROM changed WHERE entries > 0) given
                   GROUP BY container_id, node_id HAVING sum(entries) <> 0) c
           WHERE d.container_id = c.container_id AND d.node_id = c.node_id;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.count_towards_budgets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          -- Whoever changes budgets locks the company: earlier spend is summed up there, later spend is counted here.
          PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage_budgets:' || company_id, 0))
             FROM (SELECT DISTINCT company_id FROM added ORDER BY company_id) c;
          WITH own AS MATERIALIZED (
            SELECT b.id AS budget_id, budget_period_start(b.period, a.created_at) AS period_start, sum(a.credits) AS credits
              FROM added a
             CROSS JOIN LATERAL (VALUES ('company', a.company_id), ('user', coalesce(a.user_id, (SELECT k.created_by FROM api_keys k WHERE k.company_id = a.company_id AND k.id = a.api_key_id))), ('api_key', a.api_key_id::text),
                                        ('project', a.project_id::text)) s (scope, subject_id)
              JOIN usage_budgets b ON b.company_id = a.company_id AND b.scope = s.scope AND b.subject_id = s.subject_id
             WHERE a.credits > 0
             GROUP BY b.id, budget_period_start(b.period, a.created_at)
          ), before AS (
            SELECT budget_id, period_start, sum(s.credits) AS credits, max(s.last_at) AS last_at
              FROM usage_budget_spend s
             WHERE (budget_id, period_start) IN (SELECT budget_id, period_start FROM own)
             GROUP BY budget_id, period_start
          ), counted AS (
            INSERT INTO usage_budget_spend AS s (budget_id, period_start, shard, credits, last_at)
            SELECT budget_id, period_start, pg_backend_pid() % 16, credits, clock_timestamp()
              FROM own ORDER BY budget_id, period_start
            ON CONFLICT (budget_id, period_start, shard)
            DO UPDATE SET credits = s.credits + excluded.credits, last_at = excluded.last_at
          )
          UPDATE usage_budgets b
             SET reached_period = own.period_start,
                 -- Two entries that did not see each other may have reached it together.
                 reached_at = CASE WHEN before.credits >= b.limit_credits THEN before.last_at ELSE clock_timestamp() END
            FROM own LEFT JOIN before USING (budget_id, period_start)
           WHERE b.id = own.budget_id AND coalesce(b.reached_period < own.period_start, true)
             AND coalesce(before.credits, 0) + own.credits >= b.limit_credits;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.iso_timestamp(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE OR REPLACE FUNCTION public.move_directory_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          UPDATE nodes SET entries = entries + CASE node_id WHEN NEW.parent_id THEN 1 ELSE -1 END
           WHERE container_id = NEW.container_id AND node_id IN (OLD.parent_id, NEW.parent_id);
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.note_changed_data_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          PERFORM read_data_files(ARRAY(SELECT DISTINCT container_id FROM changed));
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.note_moved_data_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          PERFORM read_data_files(ARRAY(
            SELECT DISTINCT container_id FROM (
              SELECT container_id, node_id, parent_id, name, blob_id FROM changed
              EXCEPT SELECT container_id, node_id, parent_id, name, blob_id FROM before) n));
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.note_pending_usage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          INSERT INTO usage_pending (ledger_id, company_id, project_id, user_id, api_key_id, model, credits, created_at)
          SELECT id, company_id, project_id, user_id, api_key_id, model, credits, created_at FROM added;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.open_event_stream()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          INSERT INTO event_heads (stream_id, company_id) VALUES (NEW.id, NEW.company_id);
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.read_data_files(container_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
        BEGIN
          PERFORM request_data_files(ARRAY(
            SELECT id FROM projects
             WHERE workspace_id = ANY (container_ids) AND data_files_digest IS NOT NULL AND deleted_at IS NULL), 'files');
        END
      $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.request_data_files(project_ids uuid[], cause text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
        BEGIN
          IF cardinality(project_ids) = 0 THEN RETURN; END IF;
          INSERT INTO data_file_refreshes AS r (project_id, cause) SELECT id, request_data_files.cause FROM unnest(project_ids) id ORDER BY id
              ON CONFLICT ON CONSTRAINT data_file_refreshes_pkey DO UPDATE
             SET requests = r.requests + 1, due_at = CASE WHEN r.owner IS NULL THEN least(r.due_at, now()) ELSE r.due_at END;
          PERFORM pg_notify('row_queues', 'data_files');
        END
      $function$;

CREATE OR REPLACE FUNCTION public.sum_usage_by_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          INSERT INTO usage_day_sums AS s (company_id, day, project_id, user_id, api_key_id, model, credits)
          SELECT company_id, (created_at AT TIME ZONE 'UTC')::date AS day, project_id, user_id, api_key_id, model, sum(credits)
            FROM taken
           GROUP BY company_id, day, project_id, user_id, api_key_id, model
           ORDER BY company_id, day, project_id, user_id, api_key_id, model
          ON CONFLICT (company_id, day, project_id, user_id, api_key_id, model)
          DO UPDATE SET credits = s.credits + excluded.credits;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.take_cards_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          UPDATE projects SET cards_revision = uuidv7() WHERE id IN (SELECT project_id FROM changed);
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.take_conversation_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          UPDATE conversations SET revision = uuidv7() WHERE id = OLD.conversation_id;
          RETURN NULL;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.take_data_file_jobs()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
        DECLARE
          asked uuid[];
        BEGIN
          IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
          WITH taken AS (
            DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
             WHERE t.id = j.task_id AND t.identifier = 'data_files' AND (j.locked_at IS NULL OR j.locked_at < now() - interval '4 hours')
            RETURNING (j.payload->>'project_id')::uuid AS project_id
          )
          SELECT array_agg(DISTINCT p.id) INTO asked FROM taken JOIN projects p ON p.id = taken.project_id;
          IF asked IS NOT NULL THEN PERFORM request_data_files(asked, 'canvas'); END IF;
        END
      $function$;

CREATE OR REPLACE FUNCTION public.take_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
        BEGIN
          NEW.revision := uuidv7();
          RETURN NEW;
        END
      $function$;

CREATE TABLE api_keys (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  role text NOT NULL,
  created_by text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  access text DEFAULT 'write'::text NOT NULL,
  project_ids uuid[],
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_company_key UNIQUE (company_id, id),
  CONSTRAINT api_keys_prefix_key UNIQUE (prefix),
  CONSTRAINT api_keys_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text]))),
  CONSTRAINT api_keys_expires_at_check CHECK ((expires_at > created_at)),
  CONSTRAINT api_keys_name_length_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT api_keys_prefix_check CHECK ((prefix ~ '^[0-9a-f]{12}$'::text)),
  CONSTRAINT api_keys_project_ids_length_check CHECK (((cardinality(project_ids) >= 1) AND (cardinality(project_ids) <= 100))),
  CONSTRAINT api_keys_role_check CHECK ((role = ANY (ARRAY['member'::text, 'company'::text]))),
  CONSTRAINT api_keys_secret_hash_length_check CHECK ((octet_length(secret_hash) = 32))
);

CREATE TABLE blobs (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  state text DEFAULT 'writing'::text NOT NULL,
  size bigint,
  sha256 bytea,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  unreferenced_since timestamp(3) with time zone,
  CONSTRAINT blobs_pkey PRIMARY KEY (id),
  CONSTRAINT blobs_id_size_key UNIQUE (id, size),
  CONSTRAINT blobs_sha256_length_check CHECK ((octet_length(sha256) = 32)),
  CONSTRAINT blobs_size_check CHECK ((size >= 0)),
  CONSTRAINT blobs_state_check CHECK ((state = ANY (ARRAY['writing'::text, 'stored'::text]))),
  CONSTRAINT blobs_stored_check CHECK (((state = 'stored'::text) = (size IS NOT NULL)))
);

CREATE TABLE cards (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  card_type text NOT NULL,
  label text NOT NULL,
  status text NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  gaps jsonb DEFAULT '[]'::jsonb NOT NULL,
  instance_data jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT cards_pkey PRIMARY KEY (id),
  CONSTRAINT cards_card_type_check CHECK ((card_type = ANY (ARRAY['objective'::text, 'variable'::text, 'constraint'::text, 'kpi'::text, 'data'::text, 'production_requirement'::text]))),
  CONSTRAINT cards_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
  CONSTRAINT cards_gaps_check CHECK ((jsonb_typeof(gaps) = 'array'::text)),
  CONSTRAINT cards_instance_data_check CHECK ((jsonb_typeof(instance_data) = 'object'::text)),
  CONSTRAINT cards_label_length_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 200))),
  CONSTRAINT cards_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'needs_input'::text, 'complete'::text]))),
  CONSTRAINT cards_version_check CHECK ((version >= 1))
);

CREATE TABLE companies (
  id text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT companies_pkey PRIMARY KEY (id),
  CONSTRAINT companies_id_length_check CHECK (((length(id) >= 1) AND (length(id) <= 200)))
);

CREATE TABLE containers (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  kind text NOT NULL,
  next_node bigint DEFAULT 1 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  is_restorable boolean DEFAULT false NOT NULL,
  CONSTRAINT containers_pkey PRIMARY KEY (id),
  CONSTRAINT containers_kind_check CHECK ((kind = ANY (ARRAY['deployment'::text, 'workspace'::text, 'snapshot'::text, 'agent_config'::text, 'project_skills'::text]))),
  CONSTRAINT containers_next_node_check CHECK ((next_node >= 1)),
  CONSTRAINT containers_restorable_check CHECK (((NOT is_restorable) OR (deleted_at IS NOT NULL)))
);

CREATE TABLE conversations (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  title text,
  is_default boolean DEFAULT false NOT NULL,
  last_sequence integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_project_key UNIQUE (id, project_id),
  CONSTRAINT conversations_last_sequence_check CHECK ((last_sequence >= 0)),
  CONSTRAINT conversations_title_length_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 200)))
);

CREATE TABLE data_file_refreshes (
  project_id uuid NOT NULL,
  cause text NOT NULL,
  requests integer DEFAULT 1 NOT NULL,
  owner uuid,
  due_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  generation integer DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  CONSTRAINT data_file_refreshes_pkey PRIMARY KEY (project_id, cause),
  CONSTRAINT data_file_refreshes_cause_check CHECK ((cause = ANY (ARRAY['files'::text, 'canvas'::text])))
);

CREATE TABLE deployments (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  name text NOT NULL,
  handle text COLLATE "C" NOT NULL,
  container_id uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT deployments_pkey PRIMARY KEY (id),
  CONSTRAINT deployments_container_id_key UNIQUE (container_id),
  CONSTRAINT deployments_handle_key UNIQUE (company_id, handle),
  CONSTRAINT deployments_handle_check CHECK (((handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(handle) <= 120))),
  CONSTRAINT deployments_name_length_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

CREATE TABLE doomed_objects (
  blob_id uuid NOT NULL,
  doomed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT doomed_objects_pkey PRIMARY KEY (blob_id)
);

CREATE TABLE event_followers (
  company_id text NOT NULL,
  CONSTRAINT event_followers_pkey PRIMARY KEY (company_id)
);

CREATE TABLE event_heads (
  stream_id uuid NOT NULL,
  company_id text NOT NULL,
  last_id bigint DEFAULT 0 NOT NULL,
  of_company boolean DEFAULT false NOT NULL,
  relayed_id bigint DEFAULT 0 NOT NULL,
  CONSTRAINT event_heads_pkey PRIMARY KEY (stream_id)
) WITH (fillfactor=50);

CREATE TABLE event_outbox (
  stream_id uuid NOT NULL,
  id bigint NOT NULL,
  CONSTRAINT event_outbox_pkey PRIMARY KEY (stream_id, id)
);

CREATE TABLE events (
  stream_id uuid NOT NULL,
  id bigint NOT NULL,
  type text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  actor_kind event_actor_kind NOT NULL,
  actor_id text,
  data json NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (stream_id, id),
  CONSTRAINT events_check CHECK (((id > 0) AND ((actor_kind = 'service'::event_actor_kind) = (actor_id IS NULL))))
);

CREATE TABLE execution_logs (
  execution_id uuid NOT NULL,
  progress jsonb NOT NULL,
  lines text[] NOT NULL,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT execution_logs_pkey PRIMARY KEY (execution_id),
  CONSTRAINT execution_logs_lines_check CHECK ((cardinality(lines) <= 200)),
  CONSTRAINT execution_logs_progress_check CHECK ((jsonb_typeof(progress) = 'object'::text))
) WITH (fillfactor=50);

CREATE TABLE executions (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  status text DEFAULT 'queued'::text NOT NULL,
  triggered_by text NOT NULL,
  input_file_ids text[],
  is_test boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  company_id text NOT NULL,
  user_id text,
  api_key_id uuid,
  attempts integer DEFAULT 0 NOT NULL,
  generation integer DEFAULT 0 NOT NULL,
  owner uuid,
  due_at timestamp(3) with time zone DEFAULT (clock_timestamp() + '00:00:15'::interval),
  started_at timestamp(3) with time zone,
  spent_ms bigint DEFAULT 0 NOT NULL,
  ended_at timestamp(3) with time zone,
  cards jsonb,
  inputs_id uuid,
  result jsonb,
  error jsonb,
  name text,
  time_limit_seconds double precision,
  mip_gap double precision DEFAULT 0 NOT NULL,
  affects_checklist boolean DEFAULT true NOT NULL,
  scenario_id uuid,
  model jsonb,
  outputs_id uuid,
  batch_id uuid,
  revision uuid DEFAULT uuidv7() NOT NULL,
  outcome text GENERATED ALWAYS AS ((result ->> 'status'::text)) STORED,
  objective_value double precision GENERATED ALWAYS AS (((result ->> 'objective_value'::text))::double precision) STORED,
  gap double precision GENERATED ALWAYS AS (((result ->> 'gap'::text))::double precision) STORED,
  keeps_plan boolean DEFAULT false NOT NULL,
  CONSTRAINT executions_pkey PRIMARY KEY (id),
  CONSTRAINT executions_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT executions_cards_check CHECK ((jsonb_typeof(cards) = 'array'::text)),
  CONSTRAINT executions_due_check CHECK (((status = ANY (ARRAY['queued'::text, 'running'::text])) = (due_at IS NOT NULL))),
  CONSTRAINT executions_ended_check CHECK (((status = ANY (ARRAY['queued'::text, 'running'::text])) = (ended_at IS NULL))),
  CONSTRAINT executions_error_check CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
  CONSTRAINT executions_mip_gap_check CHECK (((mip_gap >= (0)::double precision) AND (mip_gap <= (1)::double precision))),
  CONSTRAINT executions_model_check CHECK ((jsonb_typeof(model) = 'object'::text)),
  CONSTRAINT executions_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT executions_owner_check CHECK (((owner IS NULL) OR ((status = 'running'::text) AND (started_at IS NOT NULL)))),
  CONSTRAINT executions_pinned_check CHECK (((status <> ALL (ARRAY['queued'::text, 'running'::text])) OR (num_nonnulls(cards, inputs_id) > 0))),
  CONSTRAINT executions_result_check CHECK (((status = 'succeeded'::text) = (result IS NOT NULL))),
  CONSTRAINT executions_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1)),
  CONSTRAINT executions_spent_ms_check CHECK ((spent_ms >= 0)),
  CONSTRAINT executions_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))),
  CONSTRAINT executions_time_limit_check CHECK ((time_limit_seconds > (0)::double precision)),
  CONSTRAINT executions_triggered_by_check CHECK ((triggered_by ~ '^(user|api_key|agent):.+'::text))
);

CREATE TABLE file_facts (
  blob_id uuid NOT NULL,
  aspect bytea NOT NULL,
  facts jsonb NOT NULL,
  CONSTRAINT file_facts_pkey PRIMARY KEY (blob_id, aspect),
  CONSTRAINT file_facts_aspect_length_check CHECK ((octet_length(aspect) = 32)),
  CONSTRAINT file_facts_facts_check CHECK ((jsonb_typeof(facts) = 'object'::text))
);

CREATE TABLE idempotency_records (
  scope bytea NOT NULL,
  body_digest bytea NOT NULL,
  status smallint,
  content bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  company_id text,
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (scope),
  CONSTRAINT idempotency_records_body_check CHECK ((octet_length(body_digest) = 32)),
  CONSTRAINT idempotency_records_scope_check CHECK ((octet_length(scope) = 32)),
  CONSTRAINT idempotency_records_status_check CHECK (((status >= 200) AND (status <= 299)))
);

CREATE TABLE messages (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  sequence integer NOT NULL,
  role text NOT NULL,
  content text NOT NULL,
  turn_id uuid,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  is_partial boolean DEFAULT false NOT NULL,
  affected_card_ids text[] DEFAULT '{}'::text[] NOT NULL,
  content_segments json,
  tool_calls json,
  file_ids text[],
  context json,
  answer json,
  answered_call_id text,
  client_msg_id text,
  client_msg_key bytea,
  payload_hash bytea,
  user_id text,
  user_name text,
  user_avatar_url text,
  api_key_name text,
  api_key_prefix text,
  api_key_id uuid,
  answered_message_id uuid,
  model_steps json,
  CONSTRAINT messages_pkey PRIMARY KEY (id),
  CONSTRAINT messages_sequence_key UNIQUE (conversation_id, sequence),
  CONSTRAINT messages_answer_check CHECK ((json_typeof(answer) = 'object'::text)),
  CONSTRAINT messages_answered_call_id_check CHECK (((answered_call_id IS NULL) OR (answer IS NOT NULL))),
  CONSTRAINT messages_answered_message_check CHECK (((answered_message_id IS NULL) OR ((answer IS NOT NULL) AND (answered_call_id IS NULL)))),
  CONSTRAINT messages_api_key_check CHECK ((num_nonnulls(api_key_id, api_key_name, api_key_prefix) = ANY (ARRAY[0, 3]))),
  CONSTRAINT messages_author_check CHECK ((num_nonnulls(user_id, api_key_id) =
CASE role
    WHEN 'user'::text THEN 1
    ELSE 0
END)),
  CONSTRAINT messages_client_msg_check CHECK ((num_nonnulls(client_msg_id, client_msg_key, payload_hash) = ANY (ARRAY[0, 3]))),
  CONSTRAINT messages_client_msg_key_length_check CHECK ((octet_length(client_msg_key) = 32)),
  CONSTRAINT messages_content_length_check CHECK (((role <> 'user'::text) OR (char_length(content) <= 100000))),
  CONSTRAINT messages_content_segments_check CHECK ((json_typeof(content_segments) = 'array'::text)),
  CONSTRAINT messages_context_check CHECK ((json_typeof(context) = 'array'::text)),
  CONSTRAINT messages_partial_check CHECK (((NOT is_partial) OR (role = 'assistant'::text))),
  CONSTRAINT messages_payload_hash_length_check CHECK ((octet_length(payload_hash) = 32)),
  CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text]))),
  CONSTRAINT messages_running_calls_check CHECK ((is_partial OR (tool_calls IS NULL) OR (NOT ((tool_calls)::jsonb @> '[{"status": "running"}]'::jsonb)))),
  CONSTRAINT messages_sequence_check CHECK ((sequence >= 1)),
  CONSTRAINT messages_tool_calls_check CHECK ((json_typeof(tool_calls) = 'array'::text)),
  CONSTRAINT messages_turn_check CHECK (((role = 'user'::text) OR (turn_id IS NOT NULL))),
  CONSTRAINT messages_user_check CHECK (((user_id IS NOT NULL) OR (num_nonnulls(user_name, user_avatar_url) = 0)))
);

CREATE TABLE migrations (
  id integer DEFAULT nextval('migrations_id_seq'::regclass) NOT NULL,
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL,
  CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id)
);

CREATE TABLE nodes (
  container_id uuid NOT NULL,
  node_id bigint NOT NULL,
  parent_id bigint,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  implied boolean DEFAULT false NOT NULL,
  blob_id uuid,
  size bigint,
  file_id uuid,
  content_type text,
  source text,
  modified timestamp(3) with time zone DEFAULT now() NOT NULL,
  root_of uuid GENERATED ALWAYS AS (
CASE
    WHEN (node_id = 0) THEN container_id
    ELSE NULL::uuid
END) STORED,
  entries bigint DEFAULT 0 NOT NULL,
  CONSTRAINT nodes_pkey PRIMARY KEY (container_id, node_id),
  CONSTRAINT nodes_name_key UNIQUE (container_id, parent_id, name),
  CONSTRAINT nodes_content_check CHECK (
CASE kind
    WHEN 'file'::text THEN ((blob_id IS NOT NULL) AND (size IS NOT NULL) AND (NOT implied))
    ELSE (num_nonnulls(blob_id, size, file_id, content_type, source) = 0)
END),
  CONSTRAINT nodes_content_type_length_check CHECK (((length(content_type) >= 1) AND (length(content_type) <= 255))),
  CONSTRAINT nodes_entries_check CHECK (((entries >= 0) AND ((kind = 'directory'::text) OR (entries = 0)))),
  CONSTRAINT nodes_kind_check CHECK ((kind = ANY (ARRAY['directory'::text, 'file'::text]))),
  CONSTRAINT nodes_name_check CHECK (((node_id = 0) OR (((octet_length(name) >= 1) AND (octet_length(name) <= 255)) AND (POSITION(('/'::text) IN (name)) = 0) AND (name <> ALL (ARRAY['.'::text, '..'::text]))))),
  CONSTRAINT nodes_root_check CHECK (
CASE
    WHEN (node_id = 0) THEN ((parent_id IS NULL) AND (name = ''::text) AND (kind = 'directory'::text) AND (NOT implied))
    ELSE ((node_id > 0) AND (parent_id IS NOT NULL) AND (parent_id <> node_id))
END),
  CONSTRAINT nodes_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'agent'::text, 'execution'::text, 'deployment'::text])))
);

CREATE TABLE platform_secrets (
  name text NOT NULL,
  value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT platform_secrets_pkey PRIMARY KEY (name),
  CONSTRAINT platform_secrets_name_length_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT platform_secrets_value_length_check CHECK ((octet_length(value) >= 32))
);

CREATE TABLE project_members (
  project_id uuid NOT NULL,
  company_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL,
  added_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT project_members_pkey PRIMARY KEY (project_id, user_id),
  CONSTRAINT project_members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'owner'::text])))
);

CREATE TABLE projects (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  name text NOT NULL,
  description text,
  short_description text,
  workspace_mode text DEFAULT 'define'::text NOT NULL,
  run_setup_status text,
  current_snapshot_id uuid,
  origin_deployment_id uuid,
  workspace_id uuid NOT NULL,
  agent_config_id uuid NOT NULL,
  project_skills_id uuid NOT NULL,
  created_by text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  card_count integer DEFAULT 0 NOT NULL,
  objective_components jsonb DEFAULT '[]'::jsonb NOT NULL,
  objective_confirmed boolean DEFAULT false NOT NULL,
  objective_description text,
  objective_type text,
  all_constraints_classified boolean DEFAULT false NOT NULL,
  all_variables_provided boolean DEFAULT false NOT NULL,
  data_available boolean DEFAULT false NOT NULL,
  kpis_defined boolean DEFAULT false NOT NULL,
  objective_drafted boolean DEFAULT false NOT NULL,
  objectives_defined boolean DEFAULT false NOT NULL,
  production_requirements_defined boolean DEFAULT false NOT NULL,
  feasibility_result text DEFAULT 'unchecked'::text NOT NULL,
  overall text GENERATED ALWAYS AS (
CASE
    WHEN (all_constraints_classified AND all_variables_provided AND data_available AND kpis_defined AND objective_drafted AND objectives_defined AND production_requirements_defined AND (feasibility_result = 'pass'::text)) THEN 'complete'::text
    ELSE 'incomplete'::text
END) STORED NOT NULL,
  active_turns integer DEFAULT 0 NOT NULL,
  active_solves integer DEFAULT 0 NOT NULL,
  total_credits numeric(20,6) DEFAULT 0 NOT NULL,
  config_digest text DEFAULT encode(sha256('\x'::bytea), 'hex'::text) NOT NULL,
  data_files_digest text,
  visibility text DEFAULT 'company'::text NOT NULL,
  purge_began_at timestamp(3) with time zone,
  revision uuid DEFAULT uuidv7() NOT NULL,
  cards_revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT projects_pkey PRIMARY KEY (id),
  CONSTRAINT projects_agent_config_id_key UNIQUE (agent_config_id),
  CONSTRAINT projects_company_key UNIQUE (company_id, id),
  CONSTRAINT projects_project_skills_id_key UNIQUE (project_skills_id),
  CONSTRAINT projects_workspace_id_key UNIQUE (workspace_id),
  CONSTRAINT projects_active_solves_check CHECK ((active_solves >= 0)),
  CONSTRAINT projects_active_turns_check CHECK ((active_turns >= 0)),
  CONSTRAINT projects_card_count_check CHECK ((card_count >= 0)),
  CONSTRAINT projects_config_digest_check CHECK ((config_digest ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT projects_data_files_digest_check CHECK ((data_files_digest ~ '^([0-9a-f]{64})?$'::text)),
  CONSTRAINT projects_feasibility_result_check CHECK ((feasibility_result = ANY (ARRAY['pass'::text, 'fail'::text, 'unchecked'::text]))),
  CONSTRAINT projects_name_length_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT projects_objective_components_check CHECK ((jsonb_typeof(objective_components) = 'array'::text)),
  CONSTRAINT projects_purge_check CHECK (((purge_began_at IS NULL) OR (deleted_at IS NOT NULL))),
  CONSTRAINT projects_run_mode_check CHECK (((workspace_mode = 'define'::text) OR (current_snapshot_id IS NOT NULL))),
  CONSTRAINT projects_run_setup_status_check CHECK ((run_setup_status = 'ready'::text)),
  CONSTRAINT projects_total_credits_check CHECK ((total_credits >= (0)::numeric)),
  CONSTRAINT projects_visibility_check CHECK ((visibility = ANY (ARRAY['company'::text, 'private'::text]))),
  CONSTRAINT projects_workspace_mode_check CHECK ((workspace_mode = ANY (ARRAY['define'::text, 'run'::text])))
) WITH (fillfactor=80);

CREATE UNLOGGED TABLE request_counts (
  key text COLLATE "C" NOT NULL,
  hits integer NOT NULL,
  ends_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT request_counts_pkey PRIMARY KEY (key),
  CONSTRAINT request_counts_hits_check CHECK ((hits > 0)),
  CONSTRAINT request_counts_key_check CHECK ((length(key) <= 100))
) WITH (fillfactor=50);

CREATE TABLE scenarios (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  changes jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT scenarios_pkey PRIMARY KEY (id),
  CONSTRAINT scenarios_name_key UNIQUE (project_id, name),
  CONSTRAINT scenarios_changes_check CHECK (
CASE jsonb_typeof(changes)
    WHEN 'array'::text THEN (jsonb_array_length(changes) <= 100)
    ELSE false
END),
  CONSTRAINT scenarios_description_length_check CHECK ((char_length(description) <= 20000)),
  CONSTRAINT scenarios_name_length_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

CREATE TABLE snapshots (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  container_id uuid NOT NULL,
  cards jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT snapshots_pkey PRIMARY KEY (id),
  CONSTRAINT snapshots_container_id_key UNIQUE (container_id),
  CONSTRAINT snapshots_project_key UNIQUE (project_id, id),
  CONSTRAINT snapshots_cards_check CHECK ((jsonb_typeof(cards) = 'array'::text))
);

CREATE TABLE turn_events (
  turn_id uuid NOT NULL,
  seq integer NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  CONSTRAINT turn_events_pkey PRIMARY KEY (turn_id, seq),
  CONSTRAINT turn_events_data_check CHECK ((json_typeof(data) = 'object'::text)),
  CONSTRAINT turn_events_seq_check CHECK ((seq >= 0)),
  CONSTRAINT turn_events_type_check CHECK ((type = ANY (ARRAY['turn.started'::text, 'text.delta'::text, 'tool.started'::text, 'tool.finished'::text, 'cards.changed'::text, 'turn.ended'::text])))
);

CREATE TABLE turns (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  company_id text NOT NULL,
  user_id text,
  state text DEFAULT 'dispatched'::text NOT NULL,
  outcome text,
  attempts integer DEFAULT 0 NOT NULL,
  generation integer DEFAULT 0 NOT NULL,
  owner uuid,
  due_at timestamp(3) with time zone DEFAULT (clock_timestamp() + '00:00:15'::interval),
  message_id uuid,
  next_seq integer DEFAULT 0 NOT NULL,
  credits numeric(20,6) DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  ended_at timestamp(3) with time zone,
  keeps_events boolean DEFAULT true NOT NULL,
  api_key_id uuid,
  model text,
  revision uuid DEFAULT uuidv7() NOT NULL,
  body_seq integer,
  CONSTRAINT turns_pkey PRIMARY KEY (id),
  CONSTRAINT turns_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT turns_body_seq_check CHECK (((body_seq >= 1) AND (body_seq <= next_seq))),
  CONSTRAINT turns_credits_check CHECK ((credits >= (0)::numeric)),
  CONSTRAINT turns_dispatched_check CHECK (((state <> 'dispatched'::text) OR (next_seq = 0))),
  CONSTRAINT turns_due_check CHECK (((state <> 'ended'::text) = (due_at IS NOT NULL))),
  CONSTRAINT turns_ended_check CHECK ((((state = 'ended'::text) = (outcome IS NOT NULL)) AND ((state = 'ended'::text) = (ended_at IS NOT NULL)))),
  CONSTRAINT turns_generation_check CHECK ((generation >= 0)),
  CONSTRAINT turns_message_check CHECK (((state = 'ended'::text) OR ((message_id IS NULL) = (next_seq = 0)))),
  CONSTRAINT turns_next_seq_check CHECK ((next_seq >= 0)),
  CONSTRAINT turns_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'interrupted'::text, 'stopped'::text]))),
  CONSTRAINT turns_owner_check CHECK (((state = 'streaming'::text) = (owner IS NOT NULL))),
  CONSTRAINT turns_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1)),
  CONSTRAINT turns_state_check CHECK ((state = ANY (ARRAY['dispatched'::text, 'streaming'::text, 'ended'::text])))
) WITH (fillfactor=80);

CREATE TABLE upload_parts (
  upload_id uuid NOT NULL,
  part_number integer NOT NULL,
  size bigint DEFAULT 0 NOT NULL,
  expected bigint DEFAULT 0 NOT NULL,
  put_id uuid,
  CONSTRAINT upload_parts_pkey PRIMARY KEY (upload_id, part_number),
  CONSTRAINT upload_parts_expected_check CHECK ((expected >= 0)),
  CONSTRAINT upload_parts_part_number_check CHECK (((part_number >= 1) AND (part_number <= 10000))),
  CONSTRAINT upload_parts_size_check CHECK ((size >= 0))
);

CREATE TABLE uploads (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  token_hash bytea NOT NULL,
  container_id uuid NOT NULL,
  path text NOT NULL,
  content_type text,
  size bigint,
  part_size bigint NOT NULL,
  blob_id uuid,
  store_upload_id text,
  state text DEFAULT 'open'::text NOT NULL,
  lease_id uuid,
  lease_until timestamp(3) with time zone,
  entry jsonb,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  received bigint DEFAULT 0 NOT NULL,
  user_id text,
  api_key_id uuid,
  CONSTRAINT uploads_pkey PRIMARY KEY (id),
  CONSTRAINT uploads_token_hash_key UNIQUE (token_hash),
  CONSTRAINT uploads_blob_check CHECK (((state = ANY (ARRAY['open'::text, 'completing'::text])) = (blob_id IS NOT NULL))),
  CONSTRAINT uploads_content_type_length_check CHECK (((length(content_type) >= 1) AND (length(content_type) <= 255))),
  CONSTRAINT uploads_entry_check CHECK (((state = 'completed'::text) = (entry IS NOT NULL))),
  CONSTRAINT uploads_lease_check CHECK (((state = 'completing'::text) = ((lease_id IS NOT NULL) AND (lease_until IS NOT NULL)))),
  CONSTRAINT uploads_opener_check CHECK ((num_nonnulls(user_id, api_key_id) <= 1)),
  CONSTRAINT uploads_part_size_check CHECK ((part_size >= 1)),
  CONSTRAINT uploads_path_length_check CHECK (((octet_length(path) >= 1) AND (octet_length(path) <= 1024))),
  CONSTRAINT uploads_received_check CHECK ((received >= 0)),
  CONSTRAINT uploads_size_check CHECK ((size >= 0)),
  CONSTRAINT uploads_state_check CHECK ((state = ANY (ARRAY['open'::text, 'completing'::text, 'completed'::text, 'aborted'::text]))),
  CONSTRAINT uploads_token_hash_length_check CHECK ((octet_length(token_hash) = 32))
);

CREATE TABLE usage_budget_spend (
  budget_id uuid NOT NULL,
  period_start timestamp(3) with time zone NOT NULL,
  shard smallint NOT NULL,
  credits numeric(26,6) NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT usage_budget_spend_pkey PRIMARY KEY (budget_id, period_start, shard),
  CONSTRAINT usage_budget_spend_credits_check CHECK ((credits >= (0)::numeric))
) WITH (fillfactor=50);

CREATE TABLE usage_budgets (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  scope text NOT NULL,
  subject_id text NOT NULL,
  period text NOT NULL,
  limit_credits numeric(20,6) NOT NULL,
  action text NOT NULL,
  reached_at timestamp(3) with time zone,
  reached_period timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  told_period timestamp(3) with time zone,
  CONSTRAINT usage_budgets_pkey PRIMARY KEY (id),
  CONSTRAINT usage_budgets_key UNIQUE (company_id, scope, subject_id, period),
  CONSTRAINT usage_budgets_action_check CHECK ((action = ANY (ARRAY['block'::text, 'notice'::text]))),
  CONSTRAINT usage_budgets_company_check CHECK (((scope <> 'company'::text) OR (subject_id = company_id))),
  CONSTRAINT usage_budgets_limit_check CHECK ((limit_credits >= (0)::numeric)),
  CONSTRAINT usage_budgets_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text, 'total'::text]))),
  CONSTRAINT usage_budgets_reached_check CHECK (((reached_at IS NULL) = (reached_period IS NULL))),
  CONSTRAINT usage_budgets_scope_check CHECK ((scope = ANY (ARRAY['company'::text, 'user'::text, 'api_key'::text, 'project'::text])))
);

CREATE TABLE usage_day_sums (
  company_id text NOT NULL,
  day date NOT NULL,
  project_id uuid NOT NULL,
  user_id text,
  api_key_id uuid,
  model text,
  credits numeric(26,6) NOT NULL,
  CONSTRAINT usage_day_sums_key UNIQUE NULLS NOT DISTINCT (company_id, day, project_id, user_id, api_key_id, model),
  CONSTRAINT usage_day_sums_credits_check CHECK ((credits >= (0)::numeric)),
  CONSTRAINT usage_day_sums_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1))
) WITH (fillfactor=50);

CREATE TABLE usage_ledger (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  project_id uuid NOT NULL,
  user_id text,
  source_type text NOT NULL,
  source_id uuid NOT NULL,
  credits numeric(20,6) NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  api_key_id uuid,
  model text,
  CONSTRAINT usage_ledger_pkey PRIMARY KEY (id),
  CONSTRAINT usage_ledger_source_key UNIQUE (source_id),
  CONSTRAINT usage_ledger_credits_check CHECK ((credits >= (0)::numeric)),
  CONSTRAINT usage_ledger_model_check CHECK ((model <> ''::text)),
  CONSTRAINT usage_ledger_source_type_check CHECK ((source_type = ANY (ARRAY['turn'::text, 'execution'::text]))),
  CONSTRAINT usage_ledger_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1))
);

CREATE TABLE usage_months (
  company_id text NOT NULL,
  user_id text,
  api_key_id uuid,
  month date NOT NULL,
  credits_to_date numeric(26,6)[] NOT NULL,
  CONSTRAINT usage_months_credits_to_date_check CHECK ((COALESCE((credits_to_date[1] >= (0)::numeric), false) AND (credits_to_date[cardinality(credits_to_date)] IS NOT NULL) AND (credits_to_date = array_sort(credits_to_date)))),
  CONSTRAINT usage_months_half_days_check CHECK ((array_dims(credits_to_date) = (('[1:'::text || ((2)::numeric * EXTRACT(day FROM (month + '1 mon -1 days'::interval)))) || ']'::text))),
  CONSTRAINT usage_months_month_check CHECK ((isfinite(month) AND (EXTRACT(day FROM month) = (1)::numeric))),
  CONSTRAINT usage_months_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1))
) WITH (fillfactor=50);

CREATE TABLE usage_pending (
  ledger_id uuid NOT NULL,
  company_id text NOT NULL,
  user_id text,
  api_key_id uuid,
  credits numeric(20,6) NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  project_id uuid NOT NULL,
  model text,
  CONSTRAINT usage_pending_pkey PRIMARY KEY (ledger_id),
  CONSTRAINT usage_pending_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1))
);

CREATE TABLE usage_spenders (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  company_id text NOT NULL,
  user_id text,
  api_key_id uuid,
  credits numeric(26,6) NOT NULL,
  CONSTRAINT usage_spenders_pkey PRIMARY KEY (id),
  CONSTRAINT usage_spenders_credits_check CHECK ((credits >= (0)::numeric)),
  CONSTRAINT usage_spenders_spender_check CHECK ((num_nonnulls(user_id, api_key_id) = 1))
) WITH (fillfactor=50);

CREATE TABLE users (
  company_id text NOT NULL,
  id text NOT NULL,
  display_name text NOT NULL,
  email text,
  avatar_url text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  role text DEFAULT 'member'::text NOT NULL,
  token_issued_at timestamp(3) with time zone DEFAULT to_timestamp((0)::double precision) NOT NULL,
  revision uuid DEFAULT uuidv7() NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT users_avatar_url_length_check CHECK (((length(avatar_url) >= 1) AND (length(avatar_url) <= 2000))),
  CONSTRAINT users_display_name_length_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 500))),
  CONSTRAINT users_email_length_check CHECK (((length(email) >= 1) AND (length(email) <= 500))),
  CONSTRAINT users_id_length_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['member'::text, 'company'::text])))
);

CREATE TABLE webhook_deliveries (
  id uuid DEFAULT uuidv7() NOT NULL,
  webhook_id uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  stream_id uuid NOT NULL,
  message_id text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  state text DEFAULT 'pending'::text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp(3) with time zone DEFAULT now(),
  first_attempt_at timestamp(3) with time zone,
  last_attempt_at timestamp(3) with time zone,
  response_status integer,
  response text,
  error text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  owner uuid,
  due_at timestamp(3) with time zone,
  generation integer DEFAULT 0 NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_next_check CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_response_check CHECK ((octet_length(response) <= 1024)),
  CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE webhook_skips (
  webhook_id uuid NOT NULL,
  events integer NOT NULL,
  at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT webhook_skips_events_check CHECK ((events > 0))
);

CREATE TABLE webhooks (
  id uuid DEFAULT uuidv7() NOT NULL,
  company_id text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  project_id uuid,
  active boolean DEFAULT true NOT NULL,
  active_since timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  secret bytea NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  owner uuid,
  due_at timestamp(3) with time zone,
  generation integer DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  skipped_events bigint DEFAULT 0 NOT NULL,
  last_skipped_at timestamp(3) with time zone,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_events_check CHECK ((cardinality(events) > 0)),
  CONSTRAINT webhooks_failures_check CHECK ((failures >= 0)),
  CONSTRAINT webhooks_url_check CHECK ((length(url) <= 2048))
);

CREATE TABLE workspace_changes (
  id uuid DEFAULT uuidv7() NOT NULL,
  project_id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  kind text NOT NULL,
  path text NOT NULL,
  turn_id uuid,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT workspace_changes_pkey PRIMARY KEY (id),
  CONSTRAINT workspace_changes_kind_check CHECK ((kind = ANY (ARRAY['uploaded'::text, 'deleted'::text])))
);

CREATE INDEX api_keys_created_by_idx ON public.api_keys USING btree (company_id, created_by, id);

CREATE INDEX blobs_company_idx ON public.blobs USING btree (company_id) INCLUDE (size);

CREATE INDEX blobs_unreferenced_idx ON public.blobs USING btree (unreferenced_since) WHERE (unreferenced_since IS NOT NULL);

CREATE INDEX blobs_writing_idx ON public.blobs USING btree (created_at) WHERE (state = 'writing'::text);

CREATE INDEX cards_project_idx ON public.cards USING btree (project_id, created_at, id);

CREATE INDEX containers_company_idx ON public.containers USING btree (company_id);

CREATE INDEX containers_deleted_idx ON public.containers USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX conversations_default_key ON public.conversations USING btree (project_id) WHERE is_default;

CREATE INDEX conversations_walk_idx ON public.conversations USING btree (project_id, created_at DESC, id DESC);

CREATE INDEX data_file_refreshes_due_idx ON public.data_file_refreshes USING btree (due_at);

CREATE INDEX deployments_listing_idx ON public.deployments USING btree (company_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX deployments_name_key ON public.deployments USING btree (company_id, name) WHERE (deleted_at IS NULL);

CREATE INDEX event_heads_company_id_idx ON public.event_heads USING btree (company_id);

CREATE INDEX executions_active_idx ON public.executions USING btree (project_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX executions_api_key_idx ON public.executions USING btree (company_id, api_key_id) WHERE (api_key_id IS NOT NULL);

CREATE INDEX executions_company_turn_idx ON public.executions USING btree (company_id, started_at DESC) WHERE (started_at IS NOT NULL);

CREATE INDEX executions_due_idx ON public.executions USING btree (due_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX executions_inputs_idx ON public.executions USING btree (inputs_id) WHERE (inputs_id IS NOT NULL);

CREATE INDEX executions_listing_idx ON public.executions USING btree (project_id, created_at DESC, id DESC);

CREATE INDEX executions_names_idx ON public.executions USING btree (project_id, created_at DESC, id DESC) INCLUDE (name) WHERE (name IS NOT NULL);

CREATE INDEX executions_outputs_idx ON public.executions USING btree (outputs_id) WHERE (outputs_id IS NOT NULL);

CREATE INDEX executions_project_turn_idx ON public.executions USING btree (project_id, started_at DESC) WHERE (started_at IS NOT NULL);

CREATE INDEX executions_queued_idx ON public.executions USING btree (company_id, project_id, created_at, id) WHERE (status = 'queued'::text);

CREATE INDEX executions_scenario_idx ON public.executions USING btree (project_id, scenario_id, created_at DESC, id DESC);

CREATE INDEX executions_status_idx ON public.executions USING btree (project_id, status, created_at DESC, id DESC);

CREATE INDEX executions_tests_idx ON public.executions USING btree (project_id, is_test, created_at DESC, id DESC);

CREATE INDEX executions_triggered_by_idx ON public.executions USING btree (triggered_by);

CREATE INDEX executions_user_idx ON public.executions USING btree (company_id, user_id);

CREATE INDEX idempotency_records_company_idx ON public.idempotency_records USING btree (company_id, created_at) WHERE (company_id IS NOT NULL);

CREATE INDEX idempotency_records_created_at_idx ON public.idempotency_records USING btree (created_at);

CREATE INDEX idempotency_records_large_idx ON public.idempotency_records USING btree (company_id, created_at) WHERE (octet_length(content) > 16384);

CREATE INDEX messages_answered_message_idx ON public.messages USING btree (answered_message_id) WHERE (answered_message_id IS NOT NULL);

CREATE UNIQUE INDEX messages_client_msg_key ON public.messages USING btree (project_id, client_msg_key) WHERE (client_msg_key IS NOT NULL);

CREATE INDEX messages_questions_idx ON public.messages USING btree (conversation_id, sequence) WHERE ((role = 'assistant'::text) AND ((tool_calls)::jsonb @> '[{"tool": "ask_user_question"}]'::jsonb));

CREATE INDEX messages_turn_idx ON public.messages USING btree (turn_id) WHERE (turn_id IS NOT NULL);

CREATE INDEX messages_waiting_idx ON public.messages USING btree (conversation_id, sequence) WHERE (turn_id IS NULL);

CREATE INDEX nodes_blob_idx ON public.nodes USING btree (blob_id) WHERE (blob_id IS NOT NULL);

CREATE INDEX nodes_directories_idx ON public.nodes USING btree (container_id, parent_id, name) WHERE (kind = 'directory'::text);

CREATE UNIQUE INDEX nodes_file_id_key ON public.nodes USING btree (container_id, file_id) WHERE (file_id IS NOT NULL);

CREATE INDEX nodes_root_of_idx ON public.nodes USING btree (root_of) WHERE (root_of IS NOT NULL);

CREATE INDEX project_members_user_idx ON public.project_members USING btree (company_id, user_id);

CREATE INDEX projects_created_by_idx ON public.projects USING btree (company_id, created_by);

CREATE INDEX projects_current_snapshot_idx ON public.projects USING btree (current_snapshot_id);

CREATE INDEX projects_deleted_idx ON public.projects USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX projects_listing_idx ON public.projects USING btree (company_id, updated_at DESC, id DESC) INCLUDE (visibility) WHERE (deleted_at IS NULL);

CREATE INDEX projects_origin_deployment_idx ON public.projects USING btree (origin_deployment_id);

CREATE INDEX projects_restorable_idx ON public.projects USING btree (company_id, deleted_at DESC, id DESC) WHERE (deleted_at IS NOT NULL);

CREATE INDEX projects_walk_idx ON public.projects USING btree (company_id, created_at DESC, id DESC);

CREATE INDEX scenarios_listing_idx ON public.scenarios USING btree (project_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX turns_active_key ON public.turns USING btree (conversation_id) WHERE (state <> 'ended'::text);

CREATE INDEX turns_conversation_idx ON public.turns USING btree (conversation_id, id);

CREATE INDEX turns_kept_events_idx ON public.turns USING btree (ended_at) WHERE (keeps_events AND (ended_at IS NOT NULL));

CREATE UNIQUE INDEX turns_message_key ON public.turns USING btree (message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX turns_waiting_idx ON public.turns USING btree (company_id, created_at) WHERE ((owner IS NULL) AND (ended_at IS NULL));

CREATE INDEX uploads_api_key_idx ON public.uploads USING btree (api_key_id) WHERE ((api_key_id IS NOT NULL) AND (state = ANY (ARRAY['open'::text, 'completing'::text])));

CREATE INDEX uploads_blob_idx ON public.uploads USING btree (blob_id);

CREATE INDEX uploads_company_idx ON public.uploads USING btree (company_id, state, expires_at);

CREATE INDEX uploads_container_idx ON public.uploads USING btree (container_id);

CREATE INDEX uploads_ended_idx ON public.uploads USING btree (expires_at) WHERE (state = ANY (ARRAY['completed'::text, 'aborted'::text]));

CREATE INDEX uploads_open_idx ON public.uploads USING btree (id) WHERE (state = ANY (ARRAY['open'::text, 'completing'::text]));

CREATE INDEX usage_day_sums_api_key_idx ON public.usage_day_sums USING btree (company_id, api_key_id, day) WHERE (api_key_id IS NOT NULL);

CREATE INDEX usage_day_sums_project_idx ON public.usage_day_sums USING btree (company_id, project_id, day);

CREATE INDEX usage_day_sums_user_idx ON public.usage_day_sums USING btree (company_id, user_id, day) WHERE (user_id IS NOT NULL);

CREATE INDEX usage_ledger_api_key_idx ON public.usage_ledger USING btree (company_id, api_key_id, created_at) INCLUDE (credits) WHERE (api_key_id IS NOT NULL);

CREATE INDEX usage_ledger_company_idx ON public.usage_ledger USING btree (company_id, created_at) INCLUDE (user_id, api_key_id, credits);

CREATE INDEX usage_ledger_project_idx ON public.usage_ledger USING btree (project_id) INCLUDE (credits);

CREATE INDEX usage_ledger_user_idx ON public.usage_ledger USING btree (company_id, user_id, created_at) INCLUDE (credits);

CREATE UNIQUE INDEX usage_months_api_key_key ON public.usage_months USING btree (company_id, api_key_id, month) WHERE (api_key_id IS NOT NULL);

CREATE INDEX usage_months_company_idx ON public.usage_months USING btree (company_id, month);

CREATE UNIQUE INDEX usage_months_user_key ON public.usage_months USING btree (company_id, user_id, month) WHERE (user_id IS NOT NULL);

CREATE INDEX usage_pending_company_idx ON public.usage_pending USING btree (company_id, created_at) INCLUDE (user_id, api_key_id, credits);

CREATE INDEX usage_pending_created_idx ON public.usage_pending USING btree (created_at);

CREATE UNIQUE INDEX usage_spenders_api_key_key ON public.usage_spenders USING btree (company_id, api_key_id) WHERE (api_key_id IS NOT NULL);

CREATE UNIQUE INDEX usage_spenders_user_key ON public.usage_spenders USING btree (company_id, user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX webhook_deliveries_again_idx ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE ((state = 'pending'::text) AND (attempts > 0));

CREATE INDEX webhook_deliveries_created_at_idx ON public.webhook_deliveries USING btree (created_at);

CREATE INDEX webhook_deliveries_first_idx ON public.webhook_deliveries USING btree (webhook_id, uuid_hash_extended(stream_id, (0)::bigint), place) WHERE ((state = 'pending'::text) AND (attempts = 0));

CREATE INDEX webhook_deliveries_held_idx ON public.webhook_deliveries USING btree (webhook_id) WHERE ((state = 'pending'::text) AND (owner IS NOT NULL));

CREATE INDEX webhook_deliveries_listing_idx ON public.webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC);

CREATE INDEX webhooks_listing_idx ON public.webhooks USING btree (company_id, created_at DESC, id DESC);

CREATE INDEX webhooks_project_id_idx ON public.webhooks USING btree (project_id) WHERE (project_id IS NOT NULL);

CREATE INDEX workspace_changes_conversation_idx ON public.workspace_changes USING btree (conversation_id, id);

CREATE INDEX workspace_changes_turn_idx ON public.workspace_changes USING btree (turn_id) WHERE (turn_id IS NOT NULL);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (company_id, created_by) REFERENCES users(company_id, id);

ALTER TABLE blobs ADD CONSTRAINT blobs_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE cards ADD CONSTRAINT cards_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE containers ADD CONSTRAINT containers_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE conversations ADD CONSTRAINT conversations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE data_file_refreshes ADD CONSTRAINT data_file_refreshes_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE deployments ADD CONSTRAINT deployments_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE deployments ADD CONSTRAINT deployments_container_id_fkey FOREIGN KEY (container_id) REFERENCES containers(id);

ALTER TABLE event_followers ADD CONSTRAINT event_followers_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE execution_logs ADD CONSTRAINT execution_logs_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id) ON DELETE CASCADE;

ALTER TABLE executions ADD CONSTRAINT executions_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE executions ADD CONSTRAINT executions_inputs_id_fkey FOREIGN KEY (inputs_id) REFERENCES containers(id);

ALTER TABLE executions ADD CONSTRAINT executions_outputs_id_fkey FOREIGN KEY (outputs_id) REFERENCES containers(id);

ALTER TABLE executions ADD CONSTRAINT executions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE executions ADD CONSTRAINT executions_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE file_facts ADD CONSTRAINT file_facts_blob_id_fkey FOREIGN KEY (blob_id) REFERENCES blobs(id) ON DELETE CASCADE;

ALTER TABLE messages ADD CONSTRAINT messages_answered_message_fkey FOREIGN KEY (answered_message_id) REFERENCES messages(id);

ALTER TABLE messages ADD CONSTRAINT messages_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);

ALTER TABLE messages ADD CONSTRAINT messages_conversation_fkey FOREIGN KEY (conversation_id, project_id) REFERENCES conversations(id, project_id);

ALTER TABLE messages ADD CONSTRAINT messages_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id);

ALTER TABLE nodes ADD CONSTRAINT nodes_blob_fkey FOREIGN KEY (blob_id, size) REFERENCES blobs(id, size);

ALTER TABLE nodes ADD CONSTRAINT nodes_parent_fkey FOREIGN KEY (container_id, parent_id) REFERENCES nodes(container_id, node_id);

ALTER TABLE nodes ADD CONSTRAINT nodes_root_of_fkey FOREIGN KEY (root_of) REFERENCES containers(id);

ALTER TABLE project_members ADD CONSTRAINT project_members_project_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id);

ALTER TABLE project_members ADD CONSTRAINT project_members_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE projects ADD CONSTRAINT projects_agent_config_id_fkey FOREIGN KEY (agent_config_id) REFERENCES containers(id);

ALTER TABLE projects ADD CONSTRAINT projects_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE projects ADD CONSTRAINT projects_created_by_fkey FOREIGN KEY (company_id, created_by) REFERENCES users(company_id, id);

ALTER TABLE projects ADD CONSTRAINT projects_current_snapshot_fkey FOREIGN KEY (id, current_snapshot_id) REFERENCES snapshots(project_id, id);

ALTER TABLE projects ADD CONSTRAINT projects_origin_deployment_id_fkey FOREIGN KEY (origin_deployment_id) REFERENCES deployments(id);

ALTER TABLE projects ADD CONSTRAINT projects_project_skills_id_fkey FOREIGN KEY (project_skills_id) REFERENCES containers(id);

ALTER TABLE projects ADD CONSTRAINT projects_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES containers(id);

ALTER TABLE scenarios ADD CONSTRAINT scenarios_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE snapshots ADD CONSTRAINT snapshots_container_id_fkey FOREIGN KEY (container_id) REFERENCES containers(id);

ALTER TABLE snapshots ADD CONSTRAINT snapshots_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE turn_events ADD CONSTRAINT turn_events_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id);

ALTER TABLE turns ADD CONSTRAINT turns_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE turns ADD CONSTRAINT turns_conversation_fkey FOREIGN KEY (conversation_id, project_id) REFERENCES conversations(id, project_id);

ALTER TABLE turns ADD CONSTRAINT turns_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);

ALTER TABLE turns ADD CONSTRAINT turns_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE upload_parts ADD CONSTRAINT upload_parts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE;

ALTER TABLE uploads ADD CONSTRAINT uploads_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE uploads ADD CONSTRAINT uploads_blob_id_fkey FOREIGN KEY (blob_id) REFERENCES blobs(id);

ALTER TABLE uploads ADD CONSTRAINT uploads_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE uploads ADD CONSTRAINT uploads_container_id_fkey FOREIGN KEY (container_id) REFERENCES containers(id);

ALTER TABLE uploads ADD CONSTRAINT uploads_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE usage_budget_spend ADD CONSTRAINT usage_budget_spend_budget_id_fkey FOREIGN KEY (budget_id) REFERENCES usage_budgets(id) ON DELETE CASCADE;

ALTER TABLE usage_budgets ADD CONSTRAINT usage_budgets_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE usage_day_sums ADD CONSTRAINT usage_day_sums_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE usage_day_sums ADD CONSTRAINT usage_day_sums_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE usage_ledger ADD CONSTRAINT usage_ledger_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE usage_ledger ADD CONSTRAINT usage_ledger_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE usage_ledger ADD CONSTRAINT usage_ledger_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE usage_months ADD CONSTRAINT usage_months_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE usage_months ADD CONSTRAINT usage_months_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE usage_spenders ADD CONSTRAINT usage_spenders_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id);

ALTER TABLE usage_spenders ADD CONSTRAINT usage_spenders_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id);

ALTER TABLE users ADD CONSTRAINT users_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE webhooks ADD CONSTRAINT webhooks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);

ALTER TABLE webhooks ADD CONSTRAINT webhooks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE;

ALTER TABLE workspace_changes ADD CONSTRAINT workspace_changes_conversation_fkey FOREIGN KEY (conversation_id, project_id) REFERENCES conversations(id, project_id);

ALTER TABLE workspace_changes ADD CONSTRAINT workspace_changes_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id);

CREATE VIEW usage_days AS
 SELECT s.id AS spender_id,
    ((m.month + ((d.number)::integer / 2)) - 1) AS day,
    d.credits_to_date
   FROM ((usage_spenders s
     JOIN usage_months m ON (((m.company_id = s.company_id) AND ((m.user_id = s.user_id) OR (m.api_key_id = s.api_key_id)))))
     CROSS JOIN LATERAL unnest(m.credits_to_date) WITH ORDINALITY d(credits_to_date, number))
  WHERE ((d.number % (2)::bigint) = 0);

CREATE TRIGGER cards_revision BEFORE UPDATE ON public.cards FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER cards_revision_after_delete AFTER DELETE ON public.cards REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_cards_revision();

CREATE TRIGGER cards_revision_after_insert AFTER INSERT ON public.cards REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_cards_revision();

CREATE TRIGGER cards_revision_after_update AFTER UPDATE ON public.cards REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_cards_revision();

CREATE TRIGGER conversations_revision BEFORE UPDATE ON public.conversations FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER deployments_revision BEFORE UPDATE ON public.deployments FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER execution_logs_revision BEFORE UPDATE ON public.execution_logs FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER executions_revision BEFORE UPDATE ON public.executions FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER messages_revision AFTER UPDATE OF role, content, sequence, created_at, is_partial, affected_card_ids, content_segments, tool_calls, file_ids, client_msg_id, user_id, user_name, user_avatar_url, api_key_name, api_key_prefix ON public.messages FOR EACH ROW WHEN ((NOT (old.is_partial AND new.is_partial))) EXECUTE FUNCTION take_conversation_revision();

CREATE TRIGGER nodes_data_files_added AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_changed_data_files();

CREATE TRIGGER nodes_data_files_moved AFTER UPDATE ON public.nodes REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_moved_data_files();

CREATE TRIGGER nodes_data_files_removed AFTER DELETE ON public.nodes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_changed_data_files();

CREATE TRIGGER nodes_entries_added AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_entries();

CREATE TRIGGER nodes_entries_removed AFTER DELETE ON public.nodes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_directory_entries();

CREATE TRIGGER nodes_entry_moved AFTER UPDATE OF parent_id ON public.nodes FOR EACH ROW WHEN ((old.parent_id <> new.parent_id)) EXECUTE FUNCTION move_directory_entry();

CREATE TRIGGER projects_event_stream AFTER INSERT ON public.projects FOR EACH ROW EXECUTE FUNCTION open_event_stream();

CREATE TRIGGER projects_revision BEFORE UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER scenarios_revision BEFORE UPDATE ON public.scenarios FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER turns_revision BEFORE UPDATE OF state, message_id, next_seq ON public.turns FOR EACH ROW EXECUTE FUNCTION take_revision();

CREATE TRIGGER usage_ledger_budgets AFTER INSERT ON public.usage_ledger REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_towards_budgets();

CREATE TRIGGER usage_ledger_insert_only BEFORE DELETE OR UPDATE ON public.usage_ledger FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER usage_ledger_pending AFTER INSERT ON public.usage_ledger REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_pending_usage();

CREATE TRIGGER usage_pending_day_sums AFTER DELETE ON public.usage_pending REFERENCING OLD TABLE AS taken FOR EACH STATEMENT EXECUTE FUNCTION sum_usage_by_day();

CREATE TRIGGER users_revision BEFORE UPDATE ON public.users FOR EACH ROW WHEN ((((old.display_name IS DISTINCT FROM new.display_name) OR (old.email IS DISTINCT FROM new.email)) OR (old.avatar_url IS DISTINCT FROM new.avatar_url))) EXECUTE FUNCTION take_revision();
