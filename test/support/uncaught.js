// Preloaded into the service. Throws uncaught errors: lost connections to a client and to the database on SIGUSR2, and a
// programming error on SIGWINCH.
const throwLater = (error) => setImmediate(() => throwNow(error));
const throwNow = (error) => {
  throw error;
};
process.on('SIGUSR2', () => {
  throwLater(Object.assign(new Error('planted: a reader has gone'), { code: 'ECONNRESET' }));
  throwLater(Object.assign(new Error('planted: the server shuts down'), { code: '57P01' }));
  throwLater(new Error('Connection terminated unexpectedly'));
});
process.on('SIGWINCH', () => throwLater(new TypeError('planted: x is not a function')));
