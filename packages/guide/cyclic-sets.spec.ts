import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

describe('a statement about a cyclic set', () => {
  it.each<[string, object]>([
    ['days: mon to sun, cyclic', { members: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], isCyclic: true }],
    ['days: Sat to Mon', { members: ['Sat', 'Sun', 'Mon'] }],
    ['months: January to March (cyclic)', { members: ['January', 'February', 'March'], isCyclic: true }],
    ['months: nov - feb, cyclic', { members: ['nov', 'dec', 'jan', 'feb'], isCyclic: true }],
    ['weeks: 1 to 4, cyclic', { members: '1 to 4', isCyclic: true }],
    ['shifts: early, late, night, cyclic', { members: ['early', 'late', 'night'], isCyclic: true }],
  ])('is read: %s', (text, statement) => {
    expect(readStatement(text).statement).toEqual({ kind: 'members', set: text.split(':')[0], ...statement });
  });

  it.each(['days is cyclic', 'days are cyclic.', 'the set days is cyclic'])('is read: %s', (text) => {
    expect(readStatement(text).statement).toEqual({ kind: 'set', whom: 'days', field: 'cyclic', value: 'yes' });
  });

  it.each(['days: mon to may', 'days: mon to mon', 'days: man to sun', 'days: cyclic'])(
    'does not list members: %s',
    (text) => {
      expect(readStatement(text).statement?.kind).not.toBe('members');
    },
  );

  it('is solved', async () => {
    const room = new Room();
    const model = [
      'days: mon to sun',
      'need of days: mon 17, tue 13, wed 15, thu 19, fri 14, sat 16, sun 11',
      'begin[d] integer for d in days',
      'minimize staff: sum d in days: begin[d]',
      'Cover: begin[d] + begin[d - 1] + begin[d - 2] + begin[d - 3] + begin[d - 4] >= need[d] for d in days, hard',
    ];
    await room.say(model.join('\n'));
    await room.say('days are cyclic');
    const { text } = await room.say('kpi: none; requirement: none; data: in the formulas; confirm; solve');
    expect(text).toContain('Solved: the objective is 23');
    expect(room.cards[0]?.data).toMatchObject({ set: 'days', cyclic: true });
  });

  it('is shown', async () => {
    const { text } = await new Room().say('days: mon to wed, cyclic');
    expect(text).toContain('- Data `days`: set `days`, members `mon, tue, wed`, cyclic');
  });
});
