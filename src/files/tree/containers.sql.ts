/** Returns SQL that sets the next free node id of container `$1`. `next` is an SQL expression. */
export const setNextNode = (next: string): string => `UPDATE containers SET next_node = ${next} WHERE id = $1`;

/**
 * Reserves as many node ids in container `$2` as container `$1` has ever used. A copied node has its original id plus `first`.
 */
export const TAKE_IDS_FOR_COPY = `UPDATE containers t SET next_node = t.next_node + f.next_node FROM containers f
     WHERE t.id = $2 AND f.id = $1 AND f.company_id = t.company_id
    RETURNING old.next_node AS first`;

/** Selects containers that were deleted `$1` seconds ago, are not restorable and are not empty. */
export const DELETED_CONTAINERS = `
  SELECT c.id FROM containers c
   WHERE c.deleted_at <= now() - make_interval(secs => $1) AND NOT c.is_restorable AND EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)`;
