import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of which answers with an entity tag are made. */
const TABLES = [
  'projects',
  'cards',
  'conversations',
  'turns',
  'scenarios',
  'executions',
  'execution_logs',
  'deployments',
  'users',
];

/** When a row gets another revision, where not every change counts. */
const CHANGES: Record<string, string> = {
  // Not when its lease is renewed.
  turns: 'OF state, message_id, next_seq',
};
const CONDITIONS: Record<string, string> = {
  // A later token changes the row, and seldom what others see of the user.
  users:
    'WHEN ((OLD.display_name, OLD.email, OLD.avatar_url) IS DISTINCT FROM (NEW.display_name, NEW.email, NEW.avatar_url))',
};

/**
 * Revisions, of which entity tags are made: every change of a row gives it one that no row ever had. A counter would come
 * to the same numbers again after the database was restored from a backup, as would xmin, which is also another one after
 * a dump; a client that knows the number would then keep what it has.
 */
export class GiveRowsRevisions1760000000520 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION take_revision() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          NEW.revision := uuidv7();
          RETURN NEW;
        END
      $$`);
    for (const table of TABLES) {
      await this.addRevision(runner, table, 'revision');
      await runner.query(`
        CREATE TRIGGER ${table}_revision BEFORE UPDATE ${CHANGES[table] ?? ''} ON ${table}
          FOR EACH ROW ${CONDITIONS[table] ?? ''} EXECUTE FUNCTION take_revision()`);
    }
    await this.followCards(runner);
    await this.followMessages(runner);
  }

  /** The rows that are there share one revision, so that the table is not written anew. */
  private async addRevision(runner: QueryRunner, table: string, column: string): Promise<void> {
    await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} uuid NOT NULL DEFAULT '${randomUUID()}'`);
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT uuidv7()`);
  }

  /** A project has a revision of all its cards together. Whoever writes them has locked it. */
  private async followCards(runner: QueryRunner): Promise<void> {
    await this.addRevision(runner, 'projects', 'cards_revision');
    await runner.query(`
      CREATE FUNCTION take_cards_revision() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE projects SET cards_revision = uuidv7() WHERE id IN (SELECT project_id FROM changed);
          RETURN NULL;
        END
      $$`);
    for (const [event, rows] of [
      ['INSERT', 'NEW'],
      ['UPDATE', 'NEW'],
      ['DELETE', 'OLD'],
    ] as const) {
      await runner.query(`
        CREATE TRIGGER cards_revision_after_${event.toLowerCase()} AFTER ${event} ON cards
          REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_cards_revision()`);
    }
  }

  /**
   * The revision of a conversation is also that of its messages: a new one takes its sequence from the conversation, and a
   * change of one that is there is followed here. Of a message that its turn still writes the turn's revision tells: its
   * writer does not lock the conversation.
   */
  private async followMessages(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION take_conversation_revision() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE conversations SET revision = uuidv7() WHERE id = OLD.conversation_id;
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER messages_revision
        AFTER UPDATE OF role, content, sequence, created_at, is_partial, affected_card_ids, content_segments, tool_calls, file_ids,
                        client_msg_id, user_id, user_name, user_avatar_url, api_key_name, api_key_prefix
        ON messages FOR EACH ROW WHEN (NOT (OLD.is_partial AND NEW.is_partial))
        EXECUTE FUNCTION take_conversation_revision()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER messages_revision ON messages');
    await runner.query('DROP FUNCTION take_conversation_revision()');
    for (const event of ['insert', 'update', 'delete'])
      await runner.query(`DROP TRIGGER cards_revision_after_${event} ON cards`);
    await runner.query('DROP FUNCTION take_cards_revision()');
    await runner.query('ALTER TABLE projects DROP COLUMN cards_revision');
    for (const table of TABLES) {
      await runner.query(`DROP TRIGGER ${table}_revision ON ${table}`);
      await runner.query(`ALTER TABLE ${table} DROP COLUMN revision`);
    }
    await runner.query('DROP FUNCTION take_revision()');
  }
}
