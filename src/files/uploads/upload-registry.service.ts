import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/auth/principal.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Conflict, Gone, NotFound, TooLarge } from '../../platform/errors/errors.js';
import { BlobsService } from '../blobs.service.js';
import type { ContainerKind } from '../container.entity.js';
import type { ContainerRef } from '../containers.service.js';
import type { FileEntry } from '../files.dto.js';
import type { Upload } from './upload.entity.js';

const MAX_OPEN_UPLOADS = 100;
/** So that no member takes all of them, with keys or without; company-level callers answer for their company. */
const MAX_OPEN_UPLOADS_OF_MEMBER = 20;
const LIFETIME = '24 hours';
/** How long after its end an upload is remembered, so that its token is answered with what became of it. */
const REMEMBERED = '7 days';
/** Longer than finishing takes; who takes longer may be overtaken and then finds the lease gone. */
const LEASE = '15 seconds';

/** A new upload, before the store knows of it. */
export interface NewUpload extends ContainerRef {
  /** Who opens it; absent for what no request has asked for. */
  caller?: Principal;
  path: string;
  content_type: string | null;
  size: number | null;
  part_size: number;
}

export interface OpenedUpload {
  token: string;
  id: string;
  blob_id: string;
  expires_at: Date;
}

/** An upload as its token leads to it. */
export interface FoundUpload extends Upload {
  expired: boolean;
  /** What it uploads to. */
  container_kind: ContainerKind;
}

/** The right to finish an upload, until it completes, aborts, or somebody overtakes. */
export interface UploadLease {
  id: string;
  lease_id: string;
  blob_id: string;
  store_upload_id: string | null;
}

/** The rows of uploads: tokens, lifetimes, and who is finishing what. */
@Injectable()
export class UploadRegistry {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobsService,
  ) {}

  /**
   * Opens an upload of a new blob; a declared size counts as kept from now on.
   *
   * @throws TooLarge when the caller or the company has too many open, or the company may not keep as much
   */
  async open(upload: NewUpload): Promise<OpenedUpload> {
    const { caller, company_id, container_id, path, content_type, size, part_size } = upload;
    const token = randomBytes(32).toString('base64url');
    return await this.database.transaction(async (tx) => {
      await assertFewOpen(tx, company_id, caller);
      await this.blobs.reserve(tx, company_id, size ?? 0);
      const blob_id = await this.blobs.begin(tx, company_id);
      const [row]: { id: string; expires_at: Date }[] = await tx.query(
        `INSERT INTO uploads (token_hash, company_id, container_id, path, content_type, size, part_size, blob_id, user_id, api_key_id, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + interval '${LIFETIME}')
         RETURNING id, expires_at`,
        [
          ...[hashOf(token), company_id, container_id, path, content_type, size, part_size, blob_id],
          ...[caller?.user_id, caller?.api_key_id],
        ],
      );
      if (row === undefined) throw new Error('A new upload has no row');
      return { token, blob_id, ...row };
    });
  }

  /** Notes how the store calls the upload. */
  async begun(id: string, store_upload_id: string): Promise<void> {
    await this.database.manager.query('UPDATE uploads SET store_upload_id = $2 WHERE id = $1', [id, store_upload_id]);
  }

  /** The upload of a token of the company; one to a container that was deleted is gone with it. @throws NotFound */
  async find(company_id: string, token: string): Promise<FoundUpload> {
    const [upload]: FoundUpload[] = await this.database.manager.query(
      `SELECT u.*, u.expires_at <= now() AS expired, c.kind AS container_kind
         FROM uploads u JOIN containers c ON c.id = u.container_id
        WHERE u.token_hash = $1 AND u.company_id = $2 AND c.deleted_at IS NULL`,
      [hashOf(token), company_id],
    );
    if (upload === undefined) throw new NotFound('Upload');
    return upload;
  }

  /** Takes the upload to finish it; undefined when it is over or somebody else is at it. */
  async claim(id: string): Promise<UploadLease | undefined> {
    const [lease]: UploadLease[] = await this.database.manager.query(
      `WITH claimed AS (
         UPDATE uploads SET state = 'completing', lease_id = uuidv7(), lease_until = now() + interval '${LEASE}'
          WHERE id = $1 AND (state = 'open' OR (state = 'completing' AND lease_until <= now()))
         RETURNING id, lease_id, blob_id, store_upload_id
       )
       SELECT * FROM claimed`,
      [id],
    );
    return lease;
  }

  /** Gives the upload back as it was; nothing when somebody has overtaken. */
  async release({ id, lease_id }: UploadLease): Promise<void> {
    await this.database.manager.query(
      `UPDATE uploads SET state = 'open', lease_id = NULL, lease_until = NULL WHERE id = $1 AND lease_id = $2`,
      [id, lease_id],
    );
  }

  /** Ends the upload with its answer; false when somebody has overtaken. */
  async complete(tx: Tx, { id, lease_id }: UploadLease, entry: FileEntry): Promise<boolean> {
    return await this.end(tx, { id, lease_id }, 'completed', entry);
  }

  /** Ends an upload that comes to nothing, with its blob; nothing when somebody has overtaken. */
  async abort({ id, lease_id, blob_id }: UploadLease): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await this.end(tx, { id, lease_id }, 'aborted', null))
        await tx.query('DELETE FROM blobs WHERE id = $1', [blob_id]);
    });
  }

  /** Uploads after `id` that nobody will finish any more, because they or what they upload to are over. */
  async due(after: string, limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.database.manager.query(
      `SELECT u.id FROM uploads u
        WHERE u.id > $1 AND (u.state = 'open' OR (u.state = 'completing' AND u.lease_until <= now()))
          AND (u.expires_at <= now() OR EXISTS (SELECT FROM containers c WHERE c.id = u.container_id AND c.deleted_at IS NOT NULL))
        ORDER BY u.id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Forgets uploads that ended long ago. */
  async forget(): Promise<void> {
    await this.database.manager.query(
      `DELETE FROM uploads WHERE state IN ('completed', 'aborted') AND expires_at <= now() - interval '${REMEMBERED}'`,
    );
  }

  private async end(
    tx: Tx,
    { id, lease_id }: Pick<UploadLease, 'id' | 'lease_id'>,
    state: 'completed' | 'aborted',
    entry: FileEntry | null,
  ): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `WITH ended AS (
         UPDATE uploads SET state = $3, entry = $4, blob_id = NULL, lease_id = NULL, lease_until = NULL
          WHERE id = $1 AND lease_id = $2
         RETURNING id
       ), parts AS (DELETE FROM upload_parts p USING ended WHERE p.upload_id = ended.id)
       SELECT * FROM ended`,
      [id, lease_id, state, entry && JSON.stringify(entry)],
    );
    return rows.length > 0;
  }
}

/** @throws Conflict for an aborted upload @throws Gone for one that has expired before it was completed */
export function assertAlive({ state, expired }: FoundUpload): void {
  if (state === 'aborted') throw new Conflict('The upload was aborted; start a new one');
  if (state !== 'completed' && expired) throw new Gone('The upload has expired; start a new one');
}

async function assertFewOpen(tx: Tx, company_id: string, caller?: Principal): Promise<void> {
  // One at a time in a company, so that the numbers are exact.
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('uploads:' || $1, 0))`, [company_id]);
  const [row]: { open: number; own: number }[] = await tx.query(
    `SELECT count(*) AS open,
            count(*) FILTER (WHERE coalesce(u.user_id, k.created_by) = coalesce($2,
              (SELECT created_by FROM api_keys WHERE company_id = $1 AND id = $3))) AS own
       FROM uploads u LEFT JOIN api_keys k ON k.company_id = u.company_id AND k.id = u.api_key_id
      WHERE u.company_id = $1 AND u.state IN ('open', 'completing') AND u.expires_at > now()`,
    [company_id, caller?.user_id, caller?.api_key_id],
  );
  if ((row?.open ?? 0) >= MAX_OPEN_UPLOADS) {
    throw new TooLarge(`The company has ${MAX_OPEN_UPLOADS} open uploads; complete or abort one first`);
  }
  if (caller?.isCompanyLevel === false && (row?.own ?? 0) >= MAX_OPEN_UPLOADS_OF_MEMBER) {
    throw new TooLarge(`You have ${MAX_OPEN_UPLOADS_OF_MEMBER} open uploads; complete or abort one first`);
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
