/*
 * Loaded into a process before its program: it then tells its figures over its channel when it is asked, the heap after
 * a collection where Node was started with --expose-gc.
 */
process.on('message', (message) => {
  if (message !== 'figures') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, rss } = process.memoryUsage();
  process.send({ cpu_us: user + system, heap_bytes: heapUsed, rss_bytes: rss });
});
process.channel.unref();
// The program ends with the one that started it.
process.once('disconnect', () => process.exit());
