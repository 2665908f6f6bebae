import { ConfigError } from './config/load-config.js';
import { EmbeddedPostgresError } from './embedded-postgres/errors.js';
import { UnsuitableDatabaseError } from './platform/database/migrate.js';

/** The database is the one thing that a start cannot do without. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'];

/** What went wrong, for the person who started the service; a stack only where it says something. */
export function explain(error: unknown): string {
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is in use: stop what listens there, or choose another with PORT.`;
  if (UNREACHABLE.includes(code ?? '')) return `The database at DATABASE_URL cannot be reached: ${code}.`;
  const plain = [ConfigError, EmbeddedPostgresError, UnsuitableDatabaseError].some((kind) => error instanceof kind);
  return plain ? (error as Error).message : String((error as Error).stack ?? error);
}
