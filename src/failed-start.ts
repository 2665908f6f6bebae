import { ConfigError } from './config/load-config.js';
import { EmbeddedPostgresError } from '../packages/embedded-postgres/index.js';
import { UnsuitableDatabaseError } from './database/suitable-database.js';

/** Thrown if the service cannot listen for clients. */
export class ListenError extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(listenProblem(host, port, cause), { cause });
  }
}

const UNKNOWN_ISSUER =
  'has a TLS certificate from an unknown issuer: add sslrootcert=/path/to/ca.pem to the URL, or set NODE_EXTRA_CA_CERTS';

/** Problems with the database at DATABASE_URL, by the error code of PostgreSQL or of the connection. */
const DATABASE_PROBLEMS: Record<string, string> = {
  '08P01': 'rejects the session settings: in PgBouncer, set ignore_startup_parameters = options,statement_timeout',
  '28P01': 'rejects the user or the password',
  '28000': 'rejects the user: check the user, pg_hba.conf and sslmode',
  '3D000': 'does not exist: create the database, or correct its name at the end of the URL',
  '3F000': 'has no schema public: create it, or set the search_path of the user',
  '42501': 'does not allow the user to create tables: make the user its owner, or GRANT CREATE ON SCHEMA public',
  '53300': 'has no free connection: raise max_connections, or lower DATABASE_POOL_SIZE',
  '55P03': 'was too busy for ten minutes to migrate: try again when there is less traffic',
  '57P03': 'is starting up or shutting down: try again',
  ECONNREFUSED: 'cannot be reached: ECONNREFUSED, nothing listens on its host and port',
  ECONNRESET: 'cannot be reached: ECONNRESET, check sslmode and that its port belongs to PostgreSQL',
  EHOSTUNREACH: 'cannot be reached: EHOSTUNREACH, there is no route to its host',
  ENOTFOUND: 'cannot be reached: ENOTFOUND, its host name is unknown',
  EAI_AGAIN: 'cannot be reached: EAI_AGAIN, its host name cannot be resolved at the moment',
  ETIMEDOUT: 'cannot be reached: ETIMEDOUT, its host does not answer',
  CERT_HAS_EXPIRED: 'has an expired TLS certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a TLS certificate for another host name: use that name in the URL',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
};

/** Problems that pg reports only in the error message. */
const DATABASE_TEXTS: [RegExp, string][] = [
  [/client password must be/, 'asks for a password: add it to the URL, as in postgres://user:password@host/database'],
  [/does not support SSL/, 'does not support TLS: remove sslmode from the URL, or set up TLS on the server'],
  [/^timeout expired$/, 'cannot be reached: its host does not answer'],
  [
    /^Connection terminated unexpectedly$/,
    'closes the connection: check sslmode and that its port belongs to PostgreSQL',
  ],
];

/** Returns a sentence for the operator. A stack is included only for errors caused by the code. */
export function explain(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const plain = [ConfigError, EmbeddedPostgresError, ListenError, UnsuitableDatabaseError];
  if (plain.some((kind) => error instanceof kind)) return message;
  const problem = DATABASE_PROBLEMS[code] ?? DATABASE_TEXTS.find(([text]) => text.test(message))?.[1];
  if (problem !== undefined) return `The database at DATABASE_URL ${problem}.`;
  return String((error as Error).stack ?? error);
}

function listenProblem(host: string, port: number, { code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use: stop the process that uses it, or choose another port with PORT.`;
  if (code === 'EACCES')
    return `This user is not allowed to listen on port ${port}: choose a port above 1023 with PORT.`;
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code))
    return `HOST=${host} is not an address of this computer (${code}): use one of its addresses, or 0.0.0.0 for all.`;
  return `The service cannot listen on HOST=${host}, PORT=${port}: ${message}.`;
}
