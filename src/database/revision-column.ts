import { Column } from 'typeorm';

/**
 * Declares the revision column of a row. The database sets a new revision on every change that is visible in responses. Entity
 * tags are derived from revisions.
 */
export const RevisionColumn = (): PropertyDecorator =>
  Column({ type: 'uuid', insert: false, update: false, default: () => 'uuidv7()' });
