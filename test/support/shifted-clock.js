/*
 * Loaded into a process of the service before it starts: on SIGUSR2 its clock jumps, as when somebody sets the machine's,
 * each time by the next of CLOCK_JUMPS (seconds from the true time, separated by commas). Timers go on as they do then.
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
