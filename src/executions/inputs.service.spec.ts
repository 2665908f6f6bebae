import { expect, it } from '@jest/globals';
import type { FileTreeReader } from '../files/tree/file-tree-reader.service.js';
import type { Tx } from '../platform/database/database.service.js';
import { InputsService } from './inputs.service.js';
import type { ModelCard } from './solver/task.js';

/** A service that finds no files and has nothing to write. */
function withoutFiles(asked: string[]): InputsService {
  const reader = {
    findAll: (_: unknown, paths: string[]) => {
      asked.push(...paths);
      return Promise.resolve(new Map());
    },
  } as unknown as FileTreeReader;
  const none = undefined as never;
  return new InputsService(none, none, none, none, reader, none, none);
}

function failing(): never {
  throw new Error('The values of a card were read');
}

it('looks at no figures of the cards that it pins, of which each variant may have many', async () => {
  const asked: string[] = [];
  const values = new Proxy({}, { ownKeys: failing });
  const card = (id: string, data: object): ModelCard => ({
    id,
    card_type: 'data',
    label: id,
    data: { ...data, values },
  });
  const variant = [
    card('inline', { set: 'weeks', members: '1 to 3' }),
    card('filed', { set: 'products', file_path: 'products.csv', key: ['product'] }),
    card('words', { file_path: 'notes.csv' }),
  ];
  const pinned = await withoutFiles(asked).pinCards({} as Tx, { company_id: 'c', container_id: 'w' }, [
    variant,
    variant.slice(0, 1),
  ]);
  expect(pinned.map(({ cards, inputs_id }) => [cards?.length, inputs_id])).toEqual([
    [3, null],
    [1, null],
  ]);
  expect(asked).toEqual(['products.csv']);
});
