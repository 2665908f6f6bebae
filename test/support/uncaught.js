// Loaded before the service: throws where nothing catches, an error of one connection or one of the process.
const throwLater = (error) => setImmediate(() => throwNow(error));
const throwNow = (error) => {
  throw error;
};
process.on('SIGUSR2', () => throwLater(Object.assign(new Error('planted: a reader has gone'), { code: 'ECONNRESET' })));
process.on('SIGWINCH', () => throwLater(new TypeError('planted: x is not a function')));
