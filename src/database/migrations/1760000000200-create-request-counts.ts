import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How often callers were served in their present minute. Unlogged, as it is of no use after a crash. Rows are few and
 * soon over; without an index on `ends_at` counting on changes no index.
 */
export class CreateRequestCounts1760000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE request_counts (
        key text COLLATE "C" NOT NULL,
        hits integer NOT NULL,
        ends_at timestamptz(3) NOT NULL,
        CONSTRAINT request_counts_pkey PRIMARY KEY (key),
        CONSTRAINT request_counts_key_check CHECK (length(key) <= 100),
        CONSTRAINT request_counts_hits_check CHECK (hits > 0)
      ) WITH (fillfactor = 50)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_counts');
  }
}
