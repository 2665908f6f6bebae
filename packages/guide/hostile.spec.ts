import { setImmediate as breathe } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import { Room } from '../../test/support/guide-room.js';
import { repeated, SHAPES } from '../../test/support/hostile-texts.js';
import { readStatement } from './grammar.js';
import { splitStatements } from './lines.js';
import { Sketch } from './sketch.js';
import { unreadCards } from './unread.js';

const AROUND: [string, string][] = [
  ['', ''],
  ['x ', '=1'],
  ['set x expression: ', '\u0000'],
  ['goal ', ' :'],
];
const SKETCH = new Sketch([]);
const TOO_LONG = 'a statement can have at most 2000 characters';

describe('an extremely long or nested statement', () => {
  it.each(SHAPES)('is parsed in under 50 ms: %j', (shape) => {
    for (const around of AROUND) {
      const text = repeated(shape, 2_000, around);
      // The first call also compiles the regular expressions.
      readStatement(text);
      expect(cpuMs(() => readStatement(text))).toBeLessThan(50);
    }
  });

  it.each(SHAPES)('is rejected in under 100 ms: %j', (shape) => {
    for (const around of AROUND) {
      const text = repeated(shape, 4_000, around);
      unreadCards(text, SKETCH);
      expect(cpuMs(() => unreadCards(text, SKETCH))).toBeLessThan(100);
    }
  });

  it.each(SHAPES)('is split into lines in under half a second: %j', (shape) => {
    const lines = repeated(`${shape}\n`, 3_000);
    expect(cpuMs(() => Array.from(splitStatements(lines)))).toBeLessThan(500);
  });

  it.each(SHAPES)('is rejected as too long without being parsed: %j', (shape) => {
    const text = repeated(shape, 100_000);
    const first = (): string => Array.from(splitStatements(text))[0] ?? '';
    expect(cpuMs(first)).toBeLessThan(500);
    if (first().length > 2_000) expect(readStatement(first())).toEqual({ reason: TOO_LONG });
  });

  it('is reported as too long, and the other statements are applied', async () => {
    const room = new Room();
    const { text } = await room.say(
      `maximize profit: x\n${'in unit '.repeat(300)}\nc: ${'x + '.repeat(600)}x <= 1\nx integer`,
    );
    expect(text).toContain(TOO_LONG);
    expect(text).toContain('A formula can have at most 2000 characters');
    expect(room.cards.map(({ label }) => label)).toEqual(['profit', 'c', 'x']);
  });

  it('can name at most 100 variables or constraints', async () => {
    const room = new Room();
    const names = Array.from({ length: 101 }, (_, index) => `x${index}`);
    expect((await room.say(`${names.join(', ')} binary`)).text).toContain('a statement can name at most 100 variables');
    expect((await room.say(`${names.join(', ')} are hard`)).text).toContain('at most 100 constraints');
    const { text } = await room.say(`${names.slice(1).join(', ')} in pieces`);
    expect(text).toContain('`x10` and 90 more');
    expect(room.cards).toEqual([]);
  });
});

it('yields to other work while reading a message with many statements', async () => {
  const message = Array.from({ length: 52 }, (_, index) =>
    repeated(SHAPES[index % SHAPES.length] ?? '', 1_900, [`c${index}: `, '=1']),
  ).join('\n');
  const room = new Room();
  const said = room.say(message);
  // CPU time is measured, because elapsed time is unreliable on a busy machine.
  let [longest, since, isDone] = [0, process.cpuUsage(), false];
  void said.finally(() => (isDone = true));
  while (!isDone) {
    await breathe();
    const { user, system } = process.cpuUsage(since);
    longest = Math.max(longest, (user + system) / 1000);
    since = process.cpuUsage();
  }
  await said;
  expect(longest).toBeLessThan(250);
});

it('reads only the first thousand statements of a message', async () => {
  const { text } = await new Room().say('what;'.repeat(1_000) + 'maximize x;'.repeat(2));
  expect(text).toContain('I have reached the limit of a turn: `maximize x`');
});
