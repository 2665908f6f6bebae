import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers to requests with an `Idempotency-Key`, for a day. */
export class CreateIdempotencyRecords1760000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_records (
        -- hash of the caller, the key, the method and the path
        scope bytea NOT NULL CONSTRAINT idempotency_records_pkey PRIMARY KEY
                             CONSTRAINT idempotency_records_scope_check CHECK (octet_length(scope) = 32),
        body_digest bytea NOT NULL CONSTRAINT idempotency_records_body_check CHECK (octet_length(body_digest) = 32),
        -- of the answer; null while it is still made from what was done
        status smallint CONSTRAINT idempotency_records_status_check CHECK (status BETWEEN 200 AND 299),
        -- encrypted: the answer, or until then what it is made from
        content bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX idempotency_records_created_at_idx ON idempotency_records (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_records');
  }
}
