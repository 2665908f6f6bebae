/*
 * Preloaded into a process. On request, reports the processor time and memory of the process over its IPC channel. If Node was
 * started with --expose-gc, the heap is measured after a garbage collection.
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
