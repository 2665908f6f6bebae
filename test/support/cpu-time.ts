const TRIES = 3;

/**
 * Returns the CPU time that a function takes in this process, in ms. It is the minimum of several runs, because
 * compilation and other threads also use CPU time. The result hardly depends on the load of the machine.
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
