/**
 * Problem that prevents the embedded PostgreSQL from running.
 *
 * The message is written for the operator. Print it without the stack trace.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** Another running process already uses the same directory. */
export class OwnedElsewhereError extends EmbeddedPostgresError {
  override readonly name = 'OwnedElsewhereError';

  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(
      `${directory} is in use by process ${pid}: stop that process first, or start this one with another DATA_DIR and PORT.`,
    );
  }
}
