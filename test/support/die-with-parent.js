/**
 * Preloaded into a process under test (`node --import`). Ends the process as soon as the test's process is gone for any reason,
 * so that an interrupted run leaves no service behind.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
