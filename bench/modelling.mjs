/*
 * Measures how long it takes to build a model from cards. `npm run bench:modelling` builds the service and runs this benchmark
 * on the build. Nothing is solved. Times are the processor time of all threads. Each model is built in a separate process, so
 * that its memory can be measured.
 */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROUNDS = 5;
const MB = 1024 ** 2;

const card = (card_type, label, data) => ({ id: label, card_type, label, data });
const members = (letter, count) => Array.from({ length: count }, (_, at) => `${letter} ${at + 1}`);
const column = (keys, figure) => Object.fromEntries(keys.map((key, at) => [key, figure(at)]));
const set = (name, keys, columns = {}) =>
  card('data', name, { set: name, members: keys, ...(Object.keys(columns).length > 0 && { values: columns }) });
const variable = (name, index, more = {}) => card('variable', name, { name, index, domain: 'continuous', ...more });
const constraint = (label, expression, index) =>
  card('constraint', label, { expression, classification: 'hard', ...(index !== undefined && { index }) });

/** Returns the cards of a production plan with stocks and a capacity. */
function production(productCount, weekCount) {
  const products = members('product', productCount);
  return [
    set('products', products, {
      price: column(products, (at) => 10 + (at % 7)),
      cost: column(products, (at) => 2 + (at % 3)),
      hours: column(products, (at) => 1 + (at % 5) / 4),
      demand: column(products, (at) => 20 + (at % 11)),
    }),
    card('data', 'weeks', { set: 'weeks', members: `1 to ${weekCount}` }),
    variable('make', 'p in products, t in weeks'),
    variable('stock', 'p in products, t in weeks', { upper: '2 * demand[p]' }),
    card('objective', 'Profit', {
      sense: 'maximize',
      expression: 'sum p in products, t in weeks: ((price[p] - cost[p]) * make[p, t] - 0.1 * stock[p, t])',
    }),
    constraint(
      'Balance',
      'stock[p, t] = stock[p, t - 1] + make[p, t] - demand[p] * (1 + t / 100)',
      'p in products, t in weeks',
    ),
    constraint('Hours', 'sum p in products: hours[p] * make[p, t] <= 4000', 't in weeks'),
  ];
}

/** Returns the cards of a shipping plan. Each lane occurs in two constraints, and totals are joined by region: 990,000 terms. */
function shipping() {
  const [plants, customers] = [members('plant', 100), members('customer', 990)];
  const regions = members('region', 9);
  return [
    set('plants', plants, { capacity: column(plants, (at) => 100 + at), open: column(plants, (at) => 1 + (at % 2)) }),
    set('customers', customers, {
      demand: column(customers, (at) => 1 + (at % 9)),
      rate: column(customers, (at) => 1 + (at % 5)),
      region: column(customers, (at) => regions[at % 9]),
    }),
    set('regions', regions),
    variable('ship', 'w in plants, c in customers'),
    card('objective', 'Cost', {
      sense: 'minimize',
      expression: 'sum w in plants, c in customers: rate[c] * open[w] * ship[w, c]',
    }),
    constraint('Demand', 'sum w in plants: ship[w, c] >= demand[c]', 'c in customers'),
    ...Array.from({ length: 4 }, (_, at) =>
      constraint(`Capacity ${at}`, 'sum c in customers: rate[c] * ship[w, c] <= capacity[w]', 'w in plants'),
    ),
    ...Array.from({ length: 4 }, (_, at) =>
      constraint(
        `Share ${at}`,
        'sum c in customers where region[c] = r: ship[w, c] <= capacity[w] / 2',
        'w in plants, r in regions',
      ),
    ),
  ];
}

const MODELS = { '500 products in 52 weeks': () => production(500, 52), '990,000 terms': shipping };

const [wanted] = process.argv.slice(2);
if (wanted === undefined) report();
else measure(MODELS[wanted]());

function report() {
  console.log(`Models from cards; load ${loadavg()[0].toFixed(1)}`);
  for (const name of Object.keys(MODELS)) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name]);
    if (status !== 0) throw new Error(String(stderr));
    const { first, times, peak, variables, rows, terms } = JSON.parse(stdout);
    const sorted = [...times].sort((one, other) => one - other);
    console.log(
      `${name}: ${variables} variables, ${rows} constraints, ${terms} terms; first ${first.toFixed(0)} ms, ` +
        `then ${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)} ms; at most ${(peak / MB).toFixed(0)} MiB`,
    );
  }
}

async function measure(cards) {
  const { readCanvas } = await import('../dist/packages/canvas/model/canvas-reader.js');
  const times = [];
  let model;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    model = readCanvas(cards);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const [first, ...others] = times;
  const { variables, rows, objective } = model;
  const terms = rows.reduce((sum, row) => sum + row.terms.variables.length, objective.variables.length);
  const peak = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(
    JSON.stringify({ first, times: others, peak, variables: variables.length, rows: rows.length, terms }),
  );
}
