// Preloaded into the service. Throws uncaught errors: an error of a single connection, or an error of the process.
const throwLater = (error) => setImmediate(() => throwNow(error));
const throwNow = (error) => {
  throw error;
};
process.on('SIGUSR2', () => throwLater(Object.assign(new Error('planted: a reader has gone'), { code: 'ECONNRESET' })));
process.on('SIGWINCH', () => throwLater(new TypeError('planted: x is not a function')));
