import { EventEmitter, once } from 'node:events';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ChangeHub } from './change-hub.js';

/** Hub whose reads for company `a` wait until the database responds. */
class Hub extends ChangeHub<number, string> {
  started = 0;
  readonly database = new EventEmitter();
  private readonly answer = once(this.database, 'answer');

  constructor() {
    super({ listen: () => undefined }, pino({ level: 'silent' }));
  }

  protected async following(id: string, cursor: number): Promise<string> {
    this.started += 1;
    if (id.startsWith('a')) await this.answer;
    return `${id} after ${cursor}`;
  }

  protected async headsOf(): Promise<Map<string, string>> {
    return await Promise.resolve(new Map());
  }

  protected keyOf(cursor: number): string {
    return String(cursor);
  }
}

it.each<[string, (index: number) => [string, number]]>([
  ['a single project', (index) => ['a', index]],
  ['different projects', (index) => [`a${index}`, 0]],
  ['a few projects', (index) => [`a${index % 7}`, index]],
])('serves a company while another company resumes hundreds of streams for %s', async (_, position) => {
  const hub = new Hub();
  const reads = Array.from({ length: 540 }, async (__, index) => await hub.read('a', ...position(index)));
  expect(await hub.read('b', 'b1', 7)).toBe('b1 after 7');
  expect(hub.started).toBe(4);
  hub.database.emit('answer');
  expect(new Set(await Promise.all(reads)).size).toBe(new Set(reads.map((___, index) => position(index).join())).size);
});
