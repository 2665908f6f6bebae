/**
 * Loaded into a tested process before its own code (`node --import`): ends it when the test's process is gone, however
 * that went, so that no interrupted run leaves a service behind.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
