import { EntityRepository } from '../../database/entity-repository.js';
import { DoomedObject } from './doomed-object.entity.js';

/** SQL that records the objects of the blobs deleted by the CTE `gone`. */
export const INSERT_GONE = 'INSERT INTO doomed_objects (blob_id) SELECT id FROM gone';

/** Stores the objects to delete from the store. Their blobs are already deleted. */
export class DoomedObjectsRepository extends EntityRepository(DoomedObject) {
  /** Returns the ids of the first blobs whose objects must be deleted. */
  async firstIds(limit: number): Promise<string[]> {
    const doomed: { blob_id: string }[] = await this.query(
      'SELECT blob_id FROM doomed_objects ORDER BY blob_id LIMIT $1',
      [limit],
    );
    return doomed.map(({ blob_id }) => blob_id);
  }

  /** Removes the records of objects that were deleted. */
  async forget(blob_ids: readonly string[]): Promise<void> {
    await this.query('DELETE FROM doomed_objects WHERE blob_id = ANY ($1::uuid[])', [blob_ids]);
  }
}
