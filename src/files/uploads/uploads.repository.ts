import type { UploadId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { LEASED_UNTIL } from '../../common/leases/leased-row.sql.js';
import type { FileEntry } from '../files.dto.js';
import type { ContainerKind } from '../tree/container.entity.js';
import { Upload, UPLOAD_STEPS } from './upload.entity.js';
import { DELETE_PARTS_OF_ENDED } from './upload-parts.sql.js';
import { UPLOAD_OF_PART } from './uploads.sql.js';

const LIFETIME = '24 hours';
/** Time within which the store must have begun an upload. It is longer than any request waits for the store. */
const BEGUN_WITHIN = '5 minutes';
/** Time for which an upload is kept after its end, so that its token still returns the final status. */
const REMEMBERED = '7 days';

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

/** Upload found by its token. */
export interface UploadRow extends Upload {
  expired: boolean;
  /** Kind of the target container. */
  container_kind: ContainerKind;
}

/** Right to finish an upload. It lasts until the upload is completed, aborted or taken over by another request. */
export interface UploadLease {
  id: UploadId;
  lease_id: string;
  blob_id: string;
  store_upload_id: string | null;
}

/** Upload that receives a part. */
export interface OpenUpload {
  id: UploadId;
  company_id: string;
  /** Declared size. */
  size: number | null;
  received: number;
  /** Whether the API key that opened the upload was revoked. */
  is_revoked: boolean;
}

/** Manages the lifetimes and leases of uploads. Receiving a part locks its upload. */
export class UploadsRepository extends EntityRepository(Upload) {
  /** Serializes transactions of the same company that call this. */
  async lockNumber(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('uploads:' || $1, 0))`, [company_id]);
  }

  /** Counts a company's open uploads, and how many of them belong to the user or to the creator of the API key. */
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

  /** Returns the company's upload with this token. Uploads to a deleted container are not found. */
  async findByToken(company_id: string, token_hash: Buffer): Promise<UploadRow | undefined> {
    const [upload]: UploadRow[] = await this.query(
      `SELECT u.*, u.expires_at <= now() AS expired, c.kind AS container_kind
         FROM uploads u JOIN containers c ON c.id = u.container_id
        WHERE u.token_hash = $1 AND u.company_id = $2 AND c.deleted_at IS NULL`,
      [token_hash, company_id],
    );
    return upload;
  }

  /** Locks the open upload of a blob. Returns undefined if it has ended or its container was deleted. */
  async lockOpen(blob_id: string, store_upload_id: string): Promise<OpenUpload | undefined> {
    const [upload]: OpenUpload[] = await this.query(UPLOAD_OF_PART, [blob_id, store_upload_id]);
    return upload;
  }

  /**
   * Leases the upload to finish it. Returns undefined if it has ended or another request holds the lease. After the lease
   * expires, another request can take over, and this lease becomes invalid.
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

  /** Releases the lease on the upload. Has no effect if another request has taken it over. */
  async release({ id, lease_id }: Pick<UploadLease, 'id' | 'lease_id'>): Promise<void> {
    await this.query(
      `UPDATE uploads SET state = 'open', lease_id = NULL, lease_until = NULL
        WHERE id = $1 AND lease_id = $2`,
      [id, lease_id],
    );
  }

  /**
   * Ends the upload and deletes its parts, and stores the response if it is completed. Returns false if another request has taken
   * it over.
   */
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
   * Returns uploads after `id` that can no longer be completed. They have expired, or their container was deleted, or their
   * request ended before the store had begun them.
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

  /** Expires an upload immediately. */
  async expire(id: UploadId): Promise<void> {
    await this.query('UPDATE uploads SET expires_at = now() WHERE id = $1', [id]);
  }

  /** Expires the open uploads to a container immediately. */
  async expireTo(container_id: string): Promise<void> {
    await this.query(
      `UPDATE uploads SET expires_at = now() WHERE container_id = $1 AND state IN ('open', 'completing') AND expires_at > now()`,
      [container_id],
    );
  }

  /** Expires an API key's open uploads immediately. */
  async expireOf(api_key_id: string): Promise<void> {
    await this.query(
      `UPDATE uploads SET expires_at = now() WHERE api_key_id = $1 AND state IN ('open', 'completing') AND expires_at > now()`,
      [api_key_id],
    );
  }

  /** Deletes the rows of uploads that ended long ago. */
  async forgetOld(): Promise<void> {
    await this.query(
      `DELETE FROM uploads WHERE state IN ('completed', 'aborted') AND expires_at <= now() - interval '${REMEMBERED}'`,
    );
  }

  /** Deletes the rows of ended uploads to a container. */
  async forgetEnded(container_id: string): Promise<void> {
    await this.query(`DELETE FROM uploads WHERE container_id = $1 AND state IN ('completed', 'aborted')`, [
      container_id,
    ]);
  }
}
