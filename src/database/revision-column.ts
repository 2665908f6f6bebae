import { Column } from 'typeorm';

/**
 * Declares an entity's revision column. The database sets a new revision on every change that is visible in responses. Entity
 * tags are derived from revisions.
 */
export const RevisionColumn = (): PropertyDecorator =>
  Column({ type: 'uuid', insert: false, update: false, default: () => 'uuidv7()' });
