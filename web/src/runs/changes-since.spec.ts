import { describe, expect, it } from '@jest/globals';
import { changesInWords, changesSince } from './changes-since';

const RUN = { created_at: '2026-05-04T09:00:00.000Z', scenario_id: null, input_file_ids: null };
const NOTHING = { modified: new Map<string, string>(), scenarios: [] };
const BEFORE = '2026-05-04T08:59:59.999Z';
const AFTER = '2026-05-04T09:00:00.001Z';
const card = (id: string, updated_at: string) => ({
  id,
  label: `Card ${id}`,
  updated_at,
  card_type: 'data' as const,
  data: {},
});
const scenario = (id: string, updated_at: string) => ({ id, name: `Name ${id}`, updated_at, changes: [] });

describe('changesSince', () => {
  it('does not return any changes for an unchanged model', () => {
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
    expect(changesSince({ ...RUN, scenario_id: 'b' }, { cards: [], ...NOTHING, scenarios }, [])).toEqual([
      'scenario Name b',
    ]);
    expect(changesSince(RUN, { cards: [], ...NOTHING, scenarios }, [])).toEqual([]);
  });

  it('lists a changed file only if the run has read it', () => {
    const set = (id: string, data: object) => ({ ...card(id, BEFORE), data: { set: id, ...data } });
    const cards = [
      set('a', { file_path: '/data/a.csv' }),
      set('b', { file_path: 'data/b.csv' }),
      set('c', { file_path: 'data/c.csv', members: ['1', '2'] }),
      { ...card('d', BEFORE), data: { file_path: 'data/d.csv' } },
    ];
    const changes = [{ kind: 'file' as const, target: 'b', to: 'data/low.csv' }];
    const scenarios = [{ ...scenario('low', BEFORE), changes }];
    const paths = ['a', 'b', 'c', 'd', 'low', 'other'].map((name) => `data/${name}.csv`);
    const model = (time: string) => ({ cards, scenarios, modified: new Map(paths.map((path) => [path, time])) });
    expect(changesSince(RUN, model(AFTER), cards)).toEqual(['data/a.csv', 'data/b.csv']);
    expect(changesSince({ ...RUN, scenario_id: 'low' }, model(AFTER), cards)).toEqual(['data/a.csv', 'data/low.csv']);
    expect(changesSince(RUN, model(BEFORE), cards)).toEqual([]);
  });

  it('does not return any changes for a run of a model file', () => {
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
