import { workerData } from 'node:worker_threads';
import { MEMORY_MIB, MEMORY_SIGNAL } from './messages.js';

/*
 * Ends a process of the data engine that holds too much memory or whose service has died. It is a thread, since the
 * main one may be busy for long.
 */

const INTERVAL_MS = 25;
const parent = workerData as number;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > MEMORY_MIB.resident * 1024 ** 2) process.kill(process.pid, MEMORY_SIGNAL);
}, INTERVAL_MS);
