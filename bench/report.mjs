/* Prints the result tables for a run. */

const number = (value, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const MiB = 1024 ** 2;

function table(head, rows) {
  const widths = head.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column])].map((cell) => cell.length)),
  );
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows]) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  '),
    );
  }
}

export function reportOperations(operations) {
  console.log('\nservice and floor: requests a second, ms, processor time of the Node process a request');
  table(
    ['operation', 'req/s', 'p50', 'p99', 'µs', 'floor', 'p50', 'p99', 'µs', 'ratio', 'target', 'bytes'],
    operations.map(({ name, service, floor, ratio, target, same_bytes }) => [
      name,
      ...[service, floor].flatMap(({ rate, p50, p99, cpu_us }) => [
        number(rate),
        number(p50, 1),
        number(p99, 1),
        number(cpu_us),
      ]),
      number(ratio, 2),
      target === undefined ? '' : number(target, 2),
      same_bytes ? 'same' : 'fields',
    ]),
  );
}

export function reportGrowth(growth) {
  console.log('\nhow latency grows: p50 in ms by size; (of it, the exact count)');
  table(
    ['question', 'sizes', 'p50', 'count', 'growth'],
    growth.map(({ name, sizes, p50, counting, growth: factor }) => [
      name,
      sizes.map((size) => number(size)).join(' / '),
      p50.map((ms) => number(ms, 1)).join(' / '),
      counting.map((ms) => number(ms, 1)).join(' / '),
      `${number(factor, 2)} x`,
    ]),
  );
}

export function reportRest({ turns, first_event, streams, memory, startup }) {
  console.log('\nthe rest');
  table(
    ['what', 'figure', 'target'],
    [
      ['turns a second, one worker, posted before', number(turns.worker), '200'],
      ['turns a second, one process, posted meanwhile', number(turns.both), ''],
      [
        'first event after the 202, ms, p50 (p99)',
        `${number(first_event.p50, 1)} (${number(first_event.p99, 1)})`,
        '50',
      ],
      [
        `${streams.streams} open streams: post to end of turn, ms, p50 (p99)`,
        `${number(streams.p50, 0)} (${number(streams.p99, 0)})`,
        'all',
      ],
      ['heap of an open stream, kB', number(streams.heap_bytes_each / 1000, 1), ''],
      ...memory.map(({ requests, heap_bytes, rss_bytes }) => [
        `heap (resident) after ${number(requests)} requests, MiB`,
        `${number(heap_bytes / MiB, 1)} (${number(rss_bytes / MiB)})`,
        'flat',
      ]),
      [
        'start to first answer, ms, best (worst)',
        `${number(startup.best_ms)} (${number(startup.worst_ms)})`,
        number(2_500),
      ],
    ],
  );
}

export function reportAttacks(attacks) {
  console.log('\nattacks; another company’s requests in ms meanwhile; answers by status (0: none), with the largest');
  table(
    ['attack', 'alive', 'peak MiB', 'p50', 'p95', 'max', 'others answered', 's', 'answers', 'remark'],
    attacks.map(({ name, is_alive, peak_bytes, others, answers, seconds, remark }) => [
      name,
      is_alive ? 'yes' : 'NO',
      number(peak_bytes / MiB),
      ...[others.p50, others.p95, others.max].map((ms) => number(ms)),
      counts(others.statuses, String),
      number(seconds, 1),
      counts(answers, ({ count, bytes }) => `${count} (${number(bytes)} B)`),
      typeof remark === 'string' ? remark : JSON.stringify(remark).slice(0, 100),
    ]),
  );
}

const counts = (by, tell) =>
  Object.entries(by)
    .map(([status, what]) => `${status}: ${tell(what)}`)
    .join(', ');
