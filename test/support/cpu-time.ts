const TRIES = 3;

/**
 * Processor time of this process that some work takes, in ms, hardly dependent on how busy the machine is: the least of
 * several tries, as compilation and other threads count too.
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
