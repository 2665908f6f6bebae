/**
 * Preloaded into a process under test (`node --import`). Ends that process when the test process ends for any reason,
 * so that an interrupted run leaves no service behind.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
