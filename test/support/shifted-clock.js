/*
 * Preloaded into a service process. On SIGUSR2, the clock jumps as if an operator had set the system time. CLOCK_JUMPS
 * lists the offsets from the true time in seconds, separated by commas. Each signal applies the next offset. Timers are
 * not affected, as on a real machine.
 */
const jumps = (process.env.CLOCK_JUMPS ?? '').split(',').map(Number);
const TrueDate = Date;
let shiftMs = 0;

globalThis.Date = class Date extends TrueDate {
  constructor(...given) {
    if (given.length === 0) super(TrueDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return TrueDate.now() + shiftMs;
  }
};

process.on('SIGUSR2', () => {
  shiftMs = (jumps.shift() ?? 0) * 1000;
});
