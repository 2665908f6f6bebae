import type { UploadId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { LEASED_UNTIL } from '../../common/leases/leased-row.sql.js';
import type { FileEntry } from '../files.dto.js';
import type { ContainerKind } from '../tree/container.entity.js';
import { Upload, UPLOAD_STEPS } from './upload.entity.js';
import { DELETE_PARTS_OF_ENDED } from './upload-parts.sql.js';
import { UPLOAD_OF_PART } from './uploads.sql.js';

const LIFETIME = '24 hours';
/** Longer than any request waits for the store. */
const BEGUN_WITHIN = '5 minutes';
/** How long after its end an upload is remembered, so that its token is answered with what became of it. */
const REMEMBERED = '7 days';

/** The row of a new upload. */
type NewUploadRow = Pick<
  Upload,
  | 'token_hash'
  | 'company_id'
  | 'container_id'
  | 'path'
  | 'content_type'
  | 'size'
  | 'part_size'
  | 'user_id'
  | 'api_key_id'
> & { blob_id: string };

/** An upload as its token leads to it. */
export interface FoundUpload extends Upload {
  expired: boolean;
  /** What it uploads to. */
  container_kind: ContainerKind;
}

/** The right to finish an upload, until it completes, aborts, or somebody takes it over. */
export interface UploadLease {
  id: UploadId;
  lease_id: string;
  blob_id: string;
  store_upload_id: string | null;
}

/** An upload that a part is sent to. */
export interface OpenUpload {
  id: UploadId;
  company_id: string;
  /** As declared. */
  size: number | null;
  received: number;
  /** The API key that has opened it is not valid any more. */
  is_revoked: boolean;
}

/** Uploads: their lifetimes, and who is finishing what. A part that comes locks its upload. */
export class UploadsRepository extends EntityRepository(Upload) {
  /** Transactions that call this for the same company run one after the other. */
  async lockNumber(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('uploads:' || $1, 0))`, [company_id]);
  }

  /** How many uploads a company has open, and of these the user, or whoever has made the API key. */
  async countOpen(
    company_id: string,
    { user_id, api_key_id }: Pick<Upload, 'user_id' | 'api_key_id'>,
  ): Promise<{ open: number; own: number }> {
    const [row]: { open: number; own: number }[] = await this.query(
      `SELECT count(*) AS open,
              count(*) FILTER (WHERE coalesce(u.user_id, k.created_by) = coalesce($2,
                (SELECT created_by FROM api_keys WHERE company_id = $1 AND id = $3))) AS own
         FROM uploads u LEFT JOIN api_keys k ON k.company_id = u.company_id AND k.id = u.api_key_id
        WHERE u.company_id = $1 AND u.state IN ('open', 'completing') AND u.expires_at > now()`,
      [company_id, user_id, api_key_id],
    );
    return row ?? { open: 0, own: 0 };
  }

  /** Inserts an open upload. */
  async open(row: NewUploadRow): Promise<{ id: UploadId; expires_at: Date }> {
    const { token_hash, company_id, container_id, path, content_type, size, part_size, blob_id } = row;
    const [opened]: { id: UploadId; expires_at: Date }[] = await this.query(
      `INSERT INTO uploads (token_hash, company_id, container_id, path, content_type, size, part_size, blob_id, user_id, api_key_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + interval '${LIFETIME}')
       RETURNING id, expires_at`,
      [
        ...[token_hash, company_id, container_id, path, content_type, size, part_size, blob_id],
        ...[row.user_id, row.api_key_id],
      ],
    );
    if (opened === undefined) throw new Error('A new upload has no row');
    return opened;
  }

  /** The upload of a token of the company; one to a container that was deleted is gone with it. */
  async findByToken(company_id: string, token_hash: Buffer): Promise<FoundUpload | undefined> {
    const [upload]: FoundUpload[] = await this.query(
      `SELECT u.*, u.expires_at <= now() AS expired, c.kind AS container_kind
         FROM uploads u JOIN containers c ON c.id = u.container_id
        WHERE u.token_hash = $1 AND u.company_id = $2 AND c.deleted_at IS NULL`,
      [token_hash, company_id],
    );
    return upload;
  }

  /** Locks the open upload of a blob; undefined when it is over or what it uploads to was deleted. */
  async lockOpen(blob_id: string, store_upload_id: string): Promise<OpenUpload | undefined> {
    const [upload]: OpenUpload[] = await this.query(UPLOAD_OF_PART, [blob_id, store_upload_id]);
    return upload;
  }

  /**
   * Leases the upload to finish it; undefined when it is over or leased by somebody else. Who takes longer than a lease is
   * overtaken by another request, and then finds the lease gone.
   */
  async claim(id: UploadId): Promise<UploadLease | undefined> {
    const [lease]: UploadLease[] = await this.query(
      `WITH claimed AS (
         UPDATE uploads SET state = 'completing', lease_id = uuidv7(), lease_until = ${LEASED_UNTIL}
          WHERE id = $1 AND ${UPLOAD_STEPS.mayBecome('completing')} AND (state = 'open' OR lease_until <= now())
         RETURNING id, lease_id, blob_id, store_upload_id
       )
       SELECT * FROM claimed`,
      [id],
    );
    return lease;
  }

  /** Releases the lease of the upload; does nothing when another request has taken it over. */
  async release({ id, lease_id }: Pick<UploadLease, 'id' | 'lease_id'>): Promise<void> {
    await this.query(
      `UPDATE uploads SET state = 'open', lease_id = NULL, lease_until = NULL
        WHERE id = $1 AND lease_id = $2`,
      [id, lease_id],
    );
  }

  /** Ends the upload, with its answer when it is completed, and its parts; false when somebody has taken it over. */
  async end(
    { id, lease_id }: Pick<UploadLease, 'id' | 'lease_id'>,
    state: 'completed' | 'aborted',
    entry: FileEntry | null,
  ): Promise<boolean> {
    const rows: unknown[] = await this.query(
      `WITH ended AS (
         UPDATE uploads SET state = $3, entry = $4, blob_id = NULL, lease_id = NULL, lease_until = NULL
          WHERE id = $1 AND lease_id = $2
         RETURNING id
       ), parts AS (${DELETE_PARTS_OF_ENDED})
       SELECT * FROM ended`,
      [id, lease_id, state, entry && JSON.stringify(entry)],
    );
    return rows.length > 0;
  }

  /**
   * Uploads after `id` that no request can finish: expired ones, those to a deleted container, and those whose request ended
   * before the store had begun them.
   */
  async due(after: string, limit: number): Promise<UploadId[]> {
    const rows: { id: UploadId }[] = await this.query(
      `SELECT u.id FROM uploads u
        WHERE u.id > $1 AND (u.state = 'open' OR (u.state = 'completing' AND u.lease_until <= now()))
          AND (u.expires_at <= now() OR (u.store_upload_id IS NULL AND u.created_at <= now() - interval '${BEGUN_WITHIN}')
               OR EXISTS (SELECT FROM containers c WHERE c.id = u.container_id AND c.deleted_at IS NOT NULL))
        ORDER BY u.id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Lets an upload expire now. */
  async expire(id: UploadId): Promise<void> {
    await this.query('UPDATE uploads SET expires_at = now() WHERE id = $1', [id]);
  }

  /** Lets the open uploads to a container expire now. */
  async expireTo(container_id: string): Promise<void> {
    await this.query(
      `UPDATE uploads SET expires_at = now() WHERE container_id = $1 AND state IN ('open', 'completing') AND expires_at > now()`,
      [container_id],
    );
  }

  /** Lets the open uploads of an API key expire now. */
  async expireOf(api_key_id: string): Promise<void> {
    await this.query(
      `UPDATE uploads SET expires_at = now() WHERE api_key_id = $1 AND state IN ('open', 'completing') AND expires_at > now()`,
      [api_key_id],
    );
  }

  /** Forgets uploads that ended long ago. */
  async forgetOld(): Promise<void> {
    await this.query(
      `DELETE FROM uploads WHERE state IN ('completed', 'aborted') AND expires_at <= now() - interval '${REMEMBERED}'`,
    );
  }

  /** Forgets the uploads to a container that have ended. */
  async forgetEnded(container_id: string): Promise<void> {
    await this.query(`DELETE FROM uploads WHERE container_id = $1 AND state IN ('completed', 'aborted')`, [
      container_id,
    ]);
  }
}
