import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

it('reports that no limit prevents a smaller value if only upper limits bind', async () => {
  const room = new Room();
  await room.say(
    'chairs, tables integer; maximize profit: 30 chairs + 50 tables; labour: 2 chairs + 4 tables <= 40, hard; wood: chairs + tables <= 15, hard',
  );
  await room.say('kpi: none; requirement: none; data: in the formulas; confirm; solve');
  const { text } = await room.say('why not fewer chairs');
  expect(text).toContain('`chairs` is 10. No limit prevents less of `chairs`, so less of it would not improve');
  expect((await room.say('why not more chairs')).text).toContain('These limits hold it');
});
