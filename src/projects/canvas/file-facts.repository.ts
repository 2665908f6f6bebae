import { EntityRepository } from '../../database/entity-repository.js';
import type { FileFacts } from '../../../packages/canvas/index.js';
import { StoredFileFacts } from './stored-file-facts.entity.js';

/** Key of stored facts: the file content, and a hash of how the content is read. */
export type FactsKey = Pick<StoredFileFacts, 'blob_id' | 'aspect'>;

/** Stores facts about the file contents that data cards refer to. */
export class FileFactsRepository extends EntityRepository(StoredFileFacts) {
  /** Returns the stored facts in the order of `keys`, with undefined for contents that have not been read yet. */
  async of(keys: readonly FactsKey[]): Promise<(FileFacts | undefined)[]> {
    const rows: { place: string; facts: FileFacts }[] = await this.query(
      `SELECT a.place, f.facts
         FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS a (blob_id, aspect, place)
         JOIN file_facts f USING (blob_id, aspect)`,
      [keys.map(({ blob_id }) => blob_id), keys.map(({ aspect }) => aspect)],
    );
    const byPlace = new Map(rows.map(({ place, facts }) => [Number(place), facts]));
    return keys.map((_, index) => byPlace.get(index + 1));
  }

  /** Stores facts, unless the content was deleted or another process has already stored them. */
  async keep({ blob_id, aspect }: FactsKey, facts: FileFacts): Promise<void> {
    await this.query(
      `INSERT INTO file_facts (blob_id, aspect, facts)
       SELECT id, $2, $3 FROM blobs WHERE id = $1 FOR KEY SHARE
       ON CONFLICT DO NOTHING`,
      [blob_id, aspect, JSON.stringify(facts)],
    );
  }
}
