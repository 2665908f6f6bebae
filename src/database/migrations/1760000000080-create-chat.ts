import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations of projects, their messages, and the turns in which an agent answers them. */
export class CreateChat1760000000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // STABLE because to_char is: only so can the planner inline it.
    await runner.query(`
      CREATE FUNCTION iso_timestamp(moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
        RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

    await runner.query(`
      CREATE TABLE conversations (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT conversations_pkey PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT conversations_project_id_fkey REFERENCES projects (id),
        title text CONSTRAINT conversations_title_length_check CHECK (char_length(title) BETWEEN 1 AND 200),
        is_default boolean NOT NULL DEFAULT false,
        -- of the newest message; messages count from 1 without gaps, so this is their number too
        last_sequence integer NOT NULL DEFAULT 0 CONSTRAINT conversations_last_sequence_check CHECK (last_sequence >= 0),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        -- what messages and turns refer to, so that theirs is the same project
        CONSTRAINT conversations_project_key UNIQUE (id, project_id)
      )`);
    await runner.query('CREATE UNIQUE INDEX conversations_default_key ON conversations (project_id) WHERE is_default');
    await runner.query('CREATE INDEX conversations_project_idx ON conversations (project_id, id)');

    await runner.query(`
      CREATE TABLE turns (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT turns_pkey PRIMARY KEY,
        project_id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        -- the author of the first message it answers, who is charged
        company_id text NOT NULL,
        user_id text NOT NULL,
        state text NOT NULL DEFAULT 'dispatched'
          CONSTRAINT turns_state_check CHECK (state IN ('dispatched', 'streaming', 'ended')),
        outcome text CONSTRAINT turns_outcome_check CHECK (outcome IN ('completed', 'failed', 'interrupted')),
        attempts integer NOT NULL DEFAULT 0 CONSTRAINT turns_attempts_check CHECK (attempts >= 0),
        -- counts claims; every write of a worker names the one it holds, so that a late one changes nothing
        generation integer NOT NULL DEFAULT 0 CONSTRAINT turns_generation_check CHECK (generation >= 0),
        -- the process that runs it
        owner uuid,
        -- streaming: when the owner counts as dead; dispatched: when the wake-up counts as lost
        due_at timestamptz(3) DEFAULT clock_timestamp() + interval '15 s',
        -- the answer being written
        message_id uuid,
        -- number of events so far
        next_seq integer NOT NULL DEFAULT 0 CONSTRAINT turns_next_seq_check CHECK (next_seq >= 0),
        -- what it is known to have cost so far, dead attempts included
        credits numeric(20, 6) NOT NULL DEFAULT 0 CONSTRAINT turns_credits_check CHECK (credits >= 0),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3),
        CONSTRAINT turns_conversation_fkey FOREIGN KEY (conversation_id, project_id) REFERENCES conversations (id, project_id),
        CONSTRAINT turns_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        CONSTRAINT turns_owner_check CHECK ((state = 'streaming') = (owner IS NOT NULL)),
        CONSTRAINT turns_due_check CHECK ((state <> 'ended') = (due_at IS NOT NULL)),
        CONSTRAINT turns_ended_check CHECK ((state = 'ended') = (outcome IS NOT NULL) AND (state = 'ended') = (ended_at IS NOT NULL)),
        CONSTRAINT turns_dispatched_check CHECK (state <> 'dispatched' OR next_seq = 0),
        CONSTRAINT turns_message_check CHECK ((message_id IS NULL) = (next_seq = 0))
      ) WITH (fillfactor = 80)`);
    await runner.query(`CREATE UNIQUE INDEX turns_active_key ON turns (conversation_id) WHERE state <> 'ended'`);
    await runner.query('CREATE INDEX turns_conversation_idx ON turns (conversation_id, id)');
    await runner.query('CREATE INDEX turns_user_idx ON turns (company_id, user_id)');

    await runner.query(`
      CREATE TABLE messages (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT messages_pkey PRIMARY KEY,
        project_id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        sequence integer NOT NULL CONSTRAINT messages_sequence_check CHECK (sequence >= 1),
        role text NOT NULL CONSTRAINT messages_role_check CHECK (role IN ('user', 'assistant', 'system')),
        content text NOT NULL CONSTRAINT messages_content_length_check CHECK (role <> 'user' OR char_length(content) <= 100000),
        -- the turn that answers a user's message (null while none does), or that wrote this one
        turn_id uuid CONSTRAINT messages_turn_id_fkey REFERENCES turns (id),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        is_partial boolean NOT NULL DEFAULT false,
        affected_card_ids text[] NOT NULL DEFAULT '{}',
        content_segments json CONSTRAINT messages_content_segments_check CHECK (json_typeof(content_segments) = 'array'),
        tool_calls json CONSTRAINT messages_tool_calls_check CHECK (json_typeof(tool_calls) = 'array'),
        file_ids text[],
        context json CONSTRAINT messages_context_check CHECK (json_typeof(context) = 'array'),
        -- a user's choice, and the question that it answers while the question's own message is still being written
        answer json CONSTRAINT messages_answer_check CHECK (json_typeof(answer) = 'object'),
        answered_call_id text CONSTRAINT messages_answered_call_id_check CHECK (answered_call_id IS NULL OR answer IS NOT NULL),
        client_msg_id text,
        -- hashes: of author and client_msg_id, whose length has no bound, and of what was sent under it
        client_msg_key bytea CONSTRAINT messages_client_msg_key_length_check CHECK (octet_length(client_msg_key) = 32),
        payload_hash bytea CONSTRAINT messages_payload_hash_length_check CHECK (octet_length(payload_hash) = 32),
        -- the author as known when the message was written
        user_id text,
        user_name text,
        user_avatar_url text,
        api_key_name text,
        api_key_prefix text,
        CONSTRAINT messages_conversation_fkey FOREIGN KEY (conversation_id, project_id) REFERENCES conversations (id, project_id),
        CONSTRAINT messages_sequence_key UNIQUE (conversation_id, sequence),
        CONSTRAINT messages_author_check CHECK ((role = 'user') = (num_nonnulls(user_id, api_key_name) > 0)),
        CONSTRAINT messages_partial_check CHECK (NOT is_partial OR role = 'assistant'),
        CONSTRAINT messages_turn_check CHECK (role = 'user' OR turn_id IS NOT NULL),
        CONSTRAINT messages_client_msg_check CHECK (num_nonnulls(client_msg_id, client_msg_key, payload_hash) IN (0, 3)),
        CONSTRAINT messages_running_calls_check
          CHECK (is_partial OR tool_calls IS NULL OR NOT tool_calls::jsonb @> '[{"status": "running"}]')
      )`);
    await runner.query('CREATE INDEX messages_turn_idx ON messages (turn_id)');
    await runner.query(
      'CREATE UNIQUE INDEX messages_client_msg_key ON messages (project_id, client_msg_key) WHERE client_msg_key IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX messages_waiting_idx ON messages (conversation_id, sequence) WHERE turn_id IS NULL',
    );
    await runner.query(`
      CREATE INDEX messages_questions_idx ON messages (conversation_id, sequence)
        WHERE role = 'assistant' AND tool_calls::jsonb @> '[{"tool": "ask_user_question"}]'`);
    await runner.query(
      'ALTER TABLE turns ADD CONSTRAINT turns_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages (id)',
    );
    await runner.query('CREATE UNIQUE INDEX turns_message_key ON turns (message_id) WHERE message_id IS NOT NULL');

    await runner.query(`
      CREATE TABLE workspace_changes (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT workspace_changes_pkey PRIMARY KEY,
        project_id uuid NOT NULL,
        conversation_id uuid NOT NULL,
        kind text NOT NULL CONSTRAINT workspace_changes_kind_check CHECK (kind IN ('uploaded', 'deleted')),
        path text NOT NULL,
        -- the turn that tells the agent
        turn_id uuid CONSTRAINT workspace_changes_turn_id_fkey REFERENCES turns (id),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT workspace_changes_conversation_fkey
          FOREIGN KEY (conversation_id, project_id) REFERENCES conversations (id, project_id)
      )`);
    await runner.query('CREATE INDEX workspace_changes_conversation_idx ON workspace_changes (conversation_id, id)');
    await runner.query('CREATE INDEX workspace_changes_turn_idx ON workspace_changes (turn_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_changes');
    await runner.query('ALTER TABLE turns DROP CONSTRAINT turns_message_id_fkey');
    await runner.query('DROP TABLE messages');
    await runner.query('DROP TABLE turns');
    await runner.query('DROP TABLE conversations');
    await runner.query('DROP FUNCTION iso_timestamp(timestamptz)');
  }
}
