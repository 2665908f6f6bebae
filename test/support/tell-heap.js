import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a process of the service before it starts: it logs the size of its heap after a collection, every
 * TELL_HEAP_MS.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const tell = () => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ level: 30, msg: 'heap', heap_bytes: heapUsed, resident_bytes: rss })}\n`);
  setTimeout(tell, Number(process.env.TELL_HEAP_MS)).unref();
};
setTimeout(tell, Number(process.env.TELL_HEAP_MS)).unref();
