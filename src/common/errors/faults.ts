import { BadRequest, Conflict, type DomainError, InsufficientStorage, Unavailable } from './errors.js';

/** SQLSTATEs for values that PostgreSQL rejects. A two-character entry covers a whole class. */
const REFUSED_VALUES = ['22', '54', '23514'];
/** SQLSTATEs for rows that another request inserted or deleted concurrently. */
const CONFLICTS = ['23503', '23505', '23P01'];
/**
 * SQLSTATEs for a server that is temporarily unable to serve requests: connections, resources, shutdown, locks, timeouts,
 * read-only standby.
 */
const OUT_OF_REACH = ['08', '53', '57', '40', '55P03', '25006', '25P04'];
/** Node error codes for connections that broke or could not be opened. */
const NETWORK_CODES = [
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
];
const FULL_DISK_CODES = ['EDQUOT', 'ENOSPC'];
/** Matches the messages of connection faults for which pg, its pool and TypeORM set no error code. */
const CONNECTION_FAULT =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool)/;
const FAULT_NAMES = [
  'CannotExecuteNotConnectedError',
  'TimeoutError',
  // TypeORM releases the query runner of a transaction if its connection breaks between two statements.
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
];

/** Returns the error to send after a database or file store fault, or undefined for other errors. */
export function faultAnswer(error: unknown): DomainError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = causeOf(cause), depth++) {
    const code = 'code' in cause ? String(cause.code) : '';
    const isOneOf = (codes: string[]): boolean => codes.some((prefix) => code.startsWith(prefix));
    if (code.length === 5 && isOneOf(REFUSED_VALUES))
      return new BadRequest('value_not_storable', 'The request contains a value that cannot be stored');
    if (code.length === 5 && isOneOf(CONFLICTS))
      return new Conflict('request_conflict', 'The request conflicts with another request');
    if (code.length === 5 && isOneOf(OUT_OF_REACH)) return new Unavailable();
    if (NETWORK_CODES.includes(code) || FAULT_NAMES.includes(cause.name) || CONNECTION_FAULT.test(cause.message)) {
      return new Unavailable();
    }
    if (FULL_DISK_CODES.includes(code)) return new InsufficientStorage('store_full', 'The file store is full');
  }
  return undefined;
}

/** TypeORM stores the driver's error in `driverError` instead of `cause`. */
const causeOf = (error: Error): unknown => ('driverError' in error ? error.driverError : error.cause);
