export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal that tells the process to stop. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Resolves at the first signal to stop; later ones no longer end the process by themselves. */
export function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(signal));
  });
}
