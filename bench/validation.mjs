/*
 * Measures how long the largest documented request body, a batch of 1,000 moves, takes to be parsed and validated.
 * `npm run bench:validation` builds the service and runs this benchmark on the build.
 */
import 'reflect-metadata';
import { BatchMoveRequest } from '../dist/src/files/files.dto.js';
import { parseJson } from '../dist/packages/json/parse-json.js';
import { ValidationPipe } from '../dist/src/common/validation/validation.pipe.js';

const ROUNDS = 2_000;
const WARM_UP = 500;

const moves = Array.from({ length: 1_000 }, (_, index) => ({
  source_path: `inputs/week-${index}/demand.csv`,
  dest_path: `archive/${index}/demand-${index}.csv`,
}));
const text = JSON.stringify({ source: 'workspace', project_id: 'a-project', moves });
const pipe = new ValidationPipe();
const body = { type: 'body', metatype: BatchMoveRequest };

const parsing = [];
const validating = [];
for (let round = -WARM_UP; round < ROUNDS; round += 1) {
  const started = performance.now();
  const value = parseJson(text);
  const parsed = performance.now();
  const request = pipe.transform(value, body);
  const validated = performance.now();
  if (request.moves.length !== moves.length) throw new Error('The request was not read');
  if (round < 0) continue;
  parsing.push(parsed - started);
  validating.push(validated - parsed);
}

const at = (times, quantile) => times.toSorted((a, b) => a - b)[Math.floor(times.length * quantile)].toFixed(3);
console.log(`1,000 moves, ${Math.round(text.length / 1000)} kB, ${ROUNDS} rounds; ms`);
console.log(`reading JSON   p50 ${at(parsing, 0.5)}   p99 ${at(parsing, 0.99)}`);
console.log(`validating     p50 ${at(validating, 0.5)}   p99 ${at(validating, 0.99)}`);
