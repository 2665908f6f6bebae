import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { interpretQuestions } from './meant-questions.js';
import { readStatement } from './grammar.js';
import { Sketch } from './sketch.js';
import type { ResultQuestion } from './statement.js';

const room = (async () => {
  const made = new Room();
  await made.say(
    [
      'regions: north, south; weeks: 1 to 3; make[r, t] integer for r in regions, t in weeks; chairs, tables integer',
      'maximize profit: sum r in regions, t in weeks: make[r, t] + chairs + tables',
      'labour: sum r in regions: 2 make[r, t] <= 40 for t in weeks, hard; wood: chairs + 2 tables <= 9, hard',
      'hours of weeks: 1 10, 2 20, 3 30',
    ].join('\n'),
  );
  return made;
})();

/** Returns the question that the message asks about the canvas, or undefined if it is not a question. */
async function asked(source: string): Promise<ResultQuestion | undefined> {
  const [said] = interpretQuestions([{ source, reading: readStatement(source) }], new Sketch((await room).cards));
  const { statement } = said?.reading ?? {};
  return statement?.kind === 'question' ? statement.about : undefined;
}

describe('asMeant', () => {
  it.each([
    'make in the north',
    'make in weeks 1 and 2',
    'make in the nroth',
    'chairs in the shop',
    'profit from chairs',
    'profit from north',
  ])('interprets %j as a question about values', async (text) => {
    expect(await asked(text)).toEqual({ ask: 'value', subject: text });
  });

  it.each([
    ['is labour tight', 'labour'],
    ['is wood used up', undefined],
    ['how is labour', 'labour'],
    ['is labour met in week 2', 'labour in week 2'],
    ['labour used in week 1', 'labour in week 1'],
    ['hours used in week 1', 'hours in week 1'],
    ['wood needed for chairs', 'wood for chairs'],
  ])('interprets %j as a question about limits', async (text, subject) => {
    expect(await asked(text)).toEqual(subject && { ask: 'left', subject });
  });

  it.each([
    'make in pieces',
    'chairs in tons',
    'is labour at most 40',
    'labour used in week 1 at most 30',
    'chairs stop in week 1',
    'chairs double tables',
    'no chairs in the north',
    'hello there',
  ])('does not interpret %j as a question', async (text) => {
    expect(await asked(text)).toBeUndefined();
  });
});
