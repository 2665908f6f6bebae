import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A head tells how far its events have been relayed, in place of an outbox that each change asks for followers and writes to.
 * `event_outbox` is still written by processes of the version before, and read by nobody else.
 */
export class RelayEventsByHeads1760000000630 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_heads ADD COLUMN relayed_id bigint NOT NULL DEFAULT 0');
    // What is relayed again is known by its id to receivers.
    await runner.query(`
      UPDATE event_heads h
         SET relayed_id = coalesce((SELECT min(id) - 1 FROM event_outbox o WHERE o.stream_id = h.stream_id), last_id)
       WHERE EXISTS (SELECT FROM event_followers f WHERE f.company_id = h.company_id)`);
    await runner.query('DELETE FROM event_outbox');
    await runner.query('CREATE INDEX event_heads_company_id_idx ON event_heads (company_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO event_outbox (stream_id, id)
      SELECT e.stream_id, e.id
        FROM event_followers f JOIN event_heads h USING (company_id)
        JOIN events e ON e.stream_id = h.stream_id AND e.id > h.relayed_id
          ON CONFLICT DO NOTHING`);
    await runner.query('DROP INDEX event_heads_company_id_idx');
    await runner.query('ALTER TABLE event_heads DROP COLUMN relayed_id');
  }
}
