const TRIES = 3;

/**
 * Returns the processor time that a function takes in this process, in ms. It takes the minimum of several runs, because
 * compilation and other threads also count. The result hardly depends on the load of the machine.
 */
export function cpuMs(work: () => void): number {
  const times = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
