import { EntityRepository } from '../../database/entity-repository.js';
import { DoomedObject } from './doomed-object.entity.js';

/** SQL that notes the objects of the blobs that the CTE `gone` has deleted. */
export const INSERT_GONE = 'INSERT INTO doomed_objects (blob_id) SELECT id FROM gone';

/** Objects that are to be deleted from the store; their blobs are gone already. */
export class DoomedObjectsRepository extends EntityRepository(DoomedObject) {
  /** Ids of the first blobs whose objects are to be deleted. */
  async firstIds(limit: number): Promise<string[]> {
    const doomed: { blob_id: string }[] = await this.query(
      'SELECT blob_id FROM doomed_objects ORDER BY blob_id LIMIT $1',
      [limit],
    );
    return doomed.map(({ blob_id }) => blob_id);
  }

  /** Says that the objects of these blobs are deleted. */
  async forget(blob_ids: readonly string[]): Promise<void> {
    await this.query('DELETE FROM doomed_objects WHERE blob_id = ANY ($1::uuid[])', [blob_ids]);
  }
}
