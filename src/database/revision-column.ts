import { Column } from 'typeorm';

/**
 * The revision of a row: the database gives it another one with each change that answers show. Entity tags are made of
 * revisions.
 */
export const RevisionColumn = (): PropertyDecorator =>
  Column({ type: 'uuid', insert: false, update: false, default: () => 'uuidv7()' });
