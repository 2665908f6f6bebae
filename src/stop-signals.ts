export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signal to stop the process. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Resolves at the first stop signal. Later signals do not end the process. */
export function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(signal));
  });
}
