// Preloaded into the service. Throws uncaught errors: a connection error on SIGUSR2 and a programming error on
// SIGWINCH.
const throwLater = (error) => setImmediate(() => throwNow(error));
const throwNow = (error) => {
  throw error;
};
process.on('SIGUSR2', () => throwLater(Object.assign(new Error('planted: a reader has gone'), { code: 'ECONNRESET' })));
process.on('SIGWINCH', () => throwLater(new TypeError('planted: x is not a function')));
