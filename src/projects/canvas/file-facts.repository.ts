import { EntityRepository } from '../../database/entity-repository.js';
import type { FileFacts } from '../../../packages/canvas/index.js';
import { StoredFileFacts } from './stored-file-facts.entity.js';

/** A content, and what of it is asked. */
export type Asked = Pick<StoredFileFacts, 'blob_id' | 'aspect'>;

/** What is known of the contents that data cards name. */
export class FileFactsRepository extends EntityRepository(StoredFileFacts) {
  /** What is known, in the order of what is asked; undefined where nobody has read it yet. */
  async of(asked: readonly Asked[]): Promise<(FileFacts | undefined)[]> {
    const rows: { place: string; facts: FileFacts }[] = await this.query(
      `SELECT a.place, f.facts
         FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS a (blob_id, aspect, place)
         JOIN file_facts f USING (blob_id, aspect)`,
      [asked.map(({ blob_id }) => blob_id), asked.map(({ aspect }) => aspect)],
    );
    const byPlace = new Map(rows.map(({ place, facts }) => [Number(place), facts]));
    return asked.map((_, index) => byPlace.get(index + 1));
  }

  /** Keeps what was read, unless the content is gone or somebody was quicker. */
  async keep({ blob_id, aspect }: Asked, facts: FileFacts): Promise<void> {
    await this.query(
      `INSERT INTO file_facts (blob_id, aspect, facts)
       SELECT id, $2, $3 FROM blobs WHERE id = $1 FOR KEY SHARE
       ON CONFLICT DO NOTHING`,
      [blob_id, aspect, JSON.stringify(facts)],
    );
  }
}
