import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Preloaded into a service process. Every TELL_HEAP_MS, it logs the heap size after a garbage collection. It also logs
 * whenever the event loop is blocked for more than a second of CPU time, which does not depend on other programs. Works
 * only on Linux.
 */
const TICK_MS = 100;
const STANDSTILL_MS = 1_000;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const tell = () => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ level: 30, msg: 'heap', heap_bytes: heapUsed, resident_bytes: rss })}\n`);
  setTimeout(tell, Number(process.env.TELL_HEAP_MS)).unref();
};
setTimeout(tell, Number(process.env.TELL_HEAP_MS)).unref();

/** CPU time of the main thread in ms. Linux counts in hundredths of a second. */
const worked = () => {
  const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
};
let last;
const tick = () => {
  const now = worked();
  if (now - last > STANDSTILL_MS) {
    process.stdout.write(`${JSON.stringify({ level: 30, msg: 'standstill', at: Date.now(), ms: now - last })}\n`);
  }
  last = now;
  setTimeout(tick, TICK_MS).unref();
};
// Starts after five seconds, so that the start of the service does not count.
setTimeout(() => {
  last = worked();
  tick();
}, 5_000).unref();
