/** SQL that sets the next free node id of container `$1`; `next` is SQL. */
export const setNextNode = (next: string): string => `UPDATE containers SET next_node = ${next} WHERE id = $1`;

/** Takes as many node ids in container `$2` as container `$1` has had; a copy of a node has its id there plus `first`. */
export const TAKE_IDS_FOR_COPY = `UPDATE containers t SET next_node = t.next_node + f.next_node FROM containers f
     WHERE t.id = $2 AND f.id = $1 AND f.company_id = t.company_id
    RETURNING old.next_node AS first`;

/** Containers that were deleted `$1` seconds ago, cannot come back and still hold something. */
export const DELETED_CONTAINERS = `
  SELECT c.id FROM containers c
   WHERE c.deleted_at <= now() - make_interval(secs => $1) AND NOT c.is_restorable AND EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)`;
