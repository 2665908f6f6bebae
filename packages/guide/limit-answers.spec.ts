import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const CLOSED = 'all constraints are hard; kpi: none; data: in the formulas; confirm; solve';
const MODEL =
  'budget = 200; maximize profit: 30 carts + 22 rickshaws; Budget: 10 carts + 8 rickshaws <= budget; Labour: 2 carts + rickshaws <= 36; Least: rickshaws - carts >= -20';
const WHOLE = `carts, rickshaws integer; ${MODEL}; Demand: carts <= 15; requirement: none`;

/** Solves the model, asks a question, and returns the limits that the answer lists. */
async function limitsIn(model: string, question: string): Promise<string[]> {
  const room = new Room();
  await room.say(`${model}; ${CLOSED}`);
  const { text } = await room.say(question);
  return Array.from(text.matchAll(/^- (`.*)$/gm), ([, limit = '']) => limit);
}

describe('an answer to why a variable is not larger or smaller', () => {
  it('contains every limit that leaves no room for another unit of an integer variable', async () => {
    expect(await limitsIn(WHOLE, 'why not more rickshaws?')).toEqual([
      '`Budget` is at 198: 2 left, and one unit more needs 8',
      '`Labour` is at 36: no room left',
    ]);
    expect(await limitsIn(WHOLE, 'why not more carts?')).toEqual([
      '`Budget` is at 198: 2 left, and one unit more needs 10',
      '`Labour` is at 36: no room left',
      '`Demand` is at 15: no room left',
    ]);
  });

  it('omits limits that would still hold after decreasing the variable by one unit', async () => {
    expect(await limitsIn(WHOLE, 'why not fewer carts?')).toEqual([]);
    expect(await limitsIn(WHOLE, 'why not fewer rickshaws?')).toEqual([]);
  });

  it('contains only exhausted limits if the variable is continuous', async () => {
    const model = `carts, rickshaws continuous; carts <= 15; ${MODEL}; produce 3 rickshaws`;
    const names = (await limitsIn(model, 'why not more carts?')).map((limit) => limit.split(':')[0]);
    expect(names).toEqual(['`Budget` is at 200', '`Labour` is at 36']);
  });

  it.each<[string, string, string[]]>([
    ['x integer; x <= 7.5; maximize n: x; C: 3 x <= 40', 'why not more x?', ['`x <= 7.5`: its upper bound']],
    ['x binary; maximize n: x; C: 3 x <= 40', 'why not more x?', ['`x <= 1`: its upper bound']],
    ['x integer; minimize n: x; C: 3 x <= 40', 'why not fewer x?', ['`x >= 0`: its lower bound']],
    ['x integer; minimize n: x; C: 4 x >= 10', 'why not fewer x?', ['`C` is at 12: 2 left, and one unit less needs 4']],
    [
      'x, y integer; maximize n: x - y; C: 0 <= 2 x - y <= 7',
      'why not more x?',
      ['`C` is at 6: 1 left, and one unit more needs 2'],
    ],
    ['x, y integer; minimize n: x + y; C: y <= 3; produce 4 x', 'why not fewer x?', ['`x` is at 4: no room left']],
  ])('contains bounds, chains and requirements: %s', async (model, question, expected) => {
    const closed = model.includes('produce') ? model : `${model}; requirement: none`;
    expect(await limitsIn(closed, question)).toEqual(expected);
  });
});
