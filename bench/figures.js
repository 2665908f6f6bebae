/*
 * Preloaded into a process. Reports its processor time and memory over its channel on request. The heap is measured after a
 * collection if Node was started with --expose-gc.
 */
process.on('message', (message) => {
  if (message !== 'figures') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, rss } = process.memoryUsage();
  process.send({ cpu_us: user + system, heap_bytes: heapUsed, rss_bytes: rss });
});
process.channel.unref();
// The process ends together with its parent.
process.once('disconnect', () => process.exit());
