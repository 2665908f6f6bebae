import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const FINISH = 'kpi: none; requirement: none; confirm; solve';

async function answer(...messages: string[]): Promise<string> {
  const room = new Room();
  let text = '';
  for (const message of messages) ({ text } = await room.say(message));
  return text;
}

describe('rates that depend on the amount', () => {
  it.each([
    ['price: 0.20 to 100, 0.30 to 250, 0.45 beyond', '(100 0.2, 250 0.3, beyond 0.45)'],
    ['price: 10 up to 50, 8 up to 100 and 5 for the rest', '(50 10, 100 8, beyond 5)'],
    ['price: 3 per hour until 40 hours, 4.5 per hour after that', '(40 3, beyond 4.5)'],
  ])('become a column of a set: %s', async (statement, column) => {
    expect(await answer(statement)).toContain(`Data \`price_tiers\`: set \`price_tiers\``);
    expect(await answer(statement)).toContain(`\`price = ${column}\``);
  });

  it('have a name with _ if they are called by several words', async () => {
    const model = 'Minimize cost: tiered(energy_price, use)\nNeed: use >= 120, hard';
    const statement = 'energy price: 0.20 to 100, 0.30 beyond';
    expect(await answer(statement, 'use >= 0', model, FINISH)).toContain('the objective is 26,');
  });

  it('are replaced by new rates', async () => {
    const model = 'x >= 0; Minimize cost: tiered(price, x)\nNeed: x >= 20, hard';
    const text = await answer('price: 1 to 5, 2 beyond', model, 'price: 1 to 10, 3 beyond', FINISH);
    expect(text).toContain('the objective is 40,');
  });

  it.each([
    ['price: 0.20 to 100, 0.30 to 250', 'say which rate holds beyond the last amount'],
    ['price: 0.20 to 100, 0.30 to 50, 0.40 beyond', 'write the tiers in ascending order'],
  ])('are explained if they cannot be used: %s', async (statement, reason) => {
    expect(await answer(statement)).toContain(reason);
  });

  it('are not mistaken for ranges', async () => {
    expect(await answer('shifts: 6 to 14, 14 to 22')).not.toContain('beyond');
  });
});
