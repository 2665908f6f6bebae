import type { Logger } from 'pino';

/** Minimum time between two log lines about the same fault. */
const INTERVAL_MS = 10_000;
/** Clock difference that causes a warning. S3 servers reject requests with a difference of more than 15 minutes. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Causes of rejected requests by S3 error code, worded for operators. */
const ADVICE: Record<string, string> = {
  InvalidAccessKeyId: 'the file store does not know S3_ACCESS_KEY',
  // VersityGW's code for an unknown access key.
  XAdminUserNotFound: 'the file store does not know S3_ACCESS_KEY',
  SignatureDoesNotMatch: 'S3_SECRET_KEY does not belong to S3_ACCESS_KEY',
  RequestTimeTooSkewed: "the clock of this computer differs from the file store's by more than 15 minutes",
  AuthorizationHeaderMalformed: 'S3_REGION is not the region of the file store',
  AccessDenied: 'S3_ACCESS_KEY has no access to the bucket in S3_BUCKET',
};

/** Logs faults in the file store. Each kind is logged at most once every ten seconds, with the number of omitted faults. */
export class S3FaultLog {
  private readonly kinds = new Map<string, { loggedAt: number; omitted: number }>();

  constructor(private readonly logger: Logger) {}

  logFault(code: string, reason: string): void {
    this.limited(`fault ${code}`, (omitted) => {
      const line = { code, reason, advice: ADVICE[code], omitted };
      this.logger.error(line, 'the file store does not work');
    });
  }

  /** Warns if the clock differs from the store's `Date`. */
  checkClock(date: string | undefined): void {
    const difference = Date.now() - Date.parse(date ?? '');
    if (!(Math.abs(difference) > MAX_CLOCK_DIFFERENCE_MS)) return;
    this.limited('clock', (omitted) => {
      const seconds = Math.round(difference / 1000);
      this.logger.warn({ seconds, omitted }, "the clock of this computer differs from the file store's");
    });
  }

  private limited(kind: string, log: (omitted: number) => void): void {
    const entry = this.kinds.get(kind) ?? { loggedAt: -Infinity, omitted: 0 };
    this.kinds.set(kind, entry);
    if (performance.now() - entry.loggedAt < INTERVAL_MS) {
      entry.omitted += 1;
      return;
    }
    log(entry.omitted);
    entry.loggedAt = performance.now();
    entry.omitted = 0;
  }
}
