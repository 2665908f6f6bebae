export { backUp, restore } from './backup.js';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
export { EmbeddedPostgresError } from './errors.js';
