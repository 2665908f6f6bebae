import { describe, expect, it } from '@jest/globals';
import { changesInWords, changesSince } from './changes-since';

const RUN = { created_at: '2026-05-04T09:00:00.000Z', scenario_id: null, input_file_ids: null };
const NOTHING = { files: [], scenarios: [] };
const BEFORE = '2026-05-04T08:59:59.999Z';
const AFTER = '2026-05-04T09:00:00.001Z';
const card = (id: string, updated_at: string) => ({ id, label: `Card ${id}`, updated_at, data: {} });
const scenario = (id: string, updated_at: string) => ({ id, name: `Name ${id}`, updated_at });

describe('changesSince', () => {
  it('returns no changes for an unchanged model', () => {
    const cards = [card('a', BEFORE), card('b', BEFORE)];
    expect(changesSince(RUN, { cards, ...NOTHING }, cards)).toEqual([]);
  });

  it('lists changed, new and removed cards', () => {
    const cards = [card('a', AFTER), card('b', BEFORE), card('new', AFTER)];
    const solved = [card('a', BEFORE), card('b', BEFORE), card('c', BEFORE)];
    expect(changesSince(RUN, { cards, ...NOTHING }, solved)).toEqual(['Card a', 'Card new', 'Card c (removed)']);
  });

  it('omits removed cards while the solved cards are loading', () => {
    expect(changesSince(RUN, { cards: [], ...NOTHING }, undefined)).toEqual([]);
  });

  it('lists a changed scenario only if the run has solved it', () => {
    const scenarios = [scenario('a', AFTER), scenario('b', AFTER)];
    expect(changesSince({ ...RUN, scenario_id: 'b' }, { cards: [], files: [], scenarios }, [])).toEqual([
      'scenario Name b',
    ]);
    expect(changesSince(RUN, { cards: [], files: [], scenarios }, [])).toEqual([]);
  });

  it('lists a changed file only if a card reads it', () => {
    const cards = [{ ...card('a', BEFORE), data: { file_path: 'data/a.csv' } }, card('b', BEFORE)];
    const file = (path: string, modified: string) => ({ path, modified });
    const files = [file('data/a.csv', AFTER), file('data/b.csv', AFTER)];
    expect(changesSince(RUN, { ...NOTHING, cards, files }, cards)).toEqual(['data/a.csv']);
    expect(changesSince(RUN, { ...NOTHING, cards, files: [file('data/a.csv', BEFORE)] }, cards)).toEqual([]);
  });

  it('returns no changes for a run of a model file', () => {
    const cards = [card('a', AFTER)];
    expect(changesSince({ ...RUN, input_file_ids: ['plan.lp'] }, { cards, ...NOTHING }, [])).toEqual([]);
  });
});

describe('changesInWords', () => {
  it.each([
    [['A'], 'The model has changed since: A'],
    [['A', 'B', 'C'], 'The model has changed since: A, B, C'],
    [['A', 'B', 'C', 'D', 'E'], 'The model has changed since: A, B, C and 2 more'],
  ])('names at most three changes in %j', (changes, words) => {
    expect(changesInWords(changes)).toBe(words);
  });
});
