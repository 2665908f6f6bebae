import { workerData } from 'node:worker_threads';
import { MEMORY_MIB, MEMORY_SIGNAL } from './messages.js';

/*
 * Kills a data engine process that exceeds its memory limit or whose service has died. This runs in its own thread because the
 * main thread may be busy for a long time.
 */

const INTERVAL_MS = 25;
const parent = workerData as number;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > MEMORY_MIB.resident * 1024 ** 2) process.kill(process.pid, MEMORY_SIGNAL);
}, INTERVAL_MS);
