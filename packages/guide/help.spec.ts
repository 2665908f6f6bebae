import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'chairs, tables integer; maximize profit: 30 chairs + 50 tables; Labour: 2 chairs + 4 tables <= 40, hard; Wood: chairs + tables <= 15, hard';
const FINISH = 'kpi: none; requirement: none; data: in the formulas; confirm; solve';
const REJECTED = /I could not use this|I do not understand this|cannot be solved yet|I cannot try that/;

/** Returns the help in a conversation, with the lines of the checklist removed. */
async function help(texts: readonly string[], files: readonly string[] = []) {
  const room = new Room();
  room.files = [...files];
  for (const text of texts) await room.say(text);
  const { text } = await room.say('help');
  return {
    room,
    text: text
      .replace(/\n\nChecklist, [^]*/, '')
      .replace(/^I am the rule-based[^]*?\n\n[^]*?\n\n[^]*?\n\n/, '')
      .trim(),
  };
}

describe('the answer to `help`', () => {
  it.each<[string, string[], string[], string]>([
    ['an empty canvas', [], [], '`maximize profit: 30 chairs + 50 tables`'],
    ['files', [], ['data/products.csv'], '`products from data/products.csv key id`'],
    ['columns', ['goods: a, b; gain of goods: a 1, b 2'], [], '`maximize profit: sum i in goods: gain[i] * make[i]`'],
    ['variables', ['desks, shelves integer'], [], '`maximize profit: 30 desks + 50 shelves`'],
    [
      'variables with an index',
      ['goods: a, b; gain of goods: a 1, b 2; cut[g] integer for g in goods'],
      [],
      '`maximize profit: sum g in goods: gain[g] * cut[g]`',
    ],
    ['open constraints', [MODEL.replaceAll(', hard', '')], [], '`all constraints are hard`'],
    ['an objective', [MODEL], [], '`kpi: none`'],
    ['a plan', [`${MODEL}; ${FINISH}`], [], '`what if Labour is 45?`'],
    ['no plan', [`${MODEL}; Orders: chairs >= 18, hard; ${FINISH}`], [], '`Wood is soft, penalty 100`'],
    ['an open statement', [`${MODEL}; Share: chairs at the most 4`], [], '`remove Share`'],
  ])('fits a canvas with %s', async (_, texts, files, advice) => {
    const { text } = await help(texts, files);
    expect(text).toContain(advice);
    expect(text.split('\n').length).toBeLessThanOrEqual(12);
    expect(text).toContain('`help all`');
  });

  it.each<[string, string[]]>([
    ['an empty canvas', []],
    ['columns', ['goods: a, b; gain of goods: a 1, b 2']],
    ['variables', ['desks, shelves integer']],
    ['an objective', [MODEL]],
    ['a plan', [`${MODEL}; ${FINISH}`]],
    ['no plan', [`${MODEL}; Orders: chairs >= 18, hard; ${FINISH}`]],
  ])('only contains statements that the guide accepts: %s', async (_, texts) => {
    const { text } = await help(texts);
    const statements = Array.from(text.matchAll(/^- `([^`]+)`/gm), ([, statement = '']) => statement);
    expect(statements.length).toBeGreaterThan(1);
    for (const statement of statements.filter((one) => !/solve$/.test(one))) {
      const room = new Room();
      await room.say('weeks: 1 to 4');
      for (const one of texts) await room.say(one);
      const answer = await room.say(statement);
      expect([statement, answer.text]).not.toEqual([statement, expect.stringMatching(REJECTED)]);
    }
  });

  it('lists all statements on request', async () => {
    const room = new Room();
    expect((await room.say('help all')).text).toContain('`scenario "two shifts"');
  });
});
