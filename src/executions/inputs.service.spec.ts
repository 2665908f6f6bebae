import { expect, it } from '@jest/globals';
import type { ModelCard } from '../../packages/canvas/model/model-card.js';
import { pathsOf } from './inputs.service.js';

function failing(): never {
  throw new Error('The values of a card were read');
}

it('finds the files of cards without reading potentially large card values', () => {
  const values = new Proxy({}, { ownKeys: failing });
  const card = (id: string, data: object): ModelCard => ({
    id,
    card_type: 'data',
    label: id,
    data: { ...data, values },
  });
  expect(
    pathsOf([
      card('inline', { set: 'weeks', members: '1 to 3' }),
      card('filed', { set: 'products', file_path: 'products.csv', key: ['product'] }),
      card('again', { set: 'others', file_path: 'products.csv', key: ['product'] }),
      card('words', { file_path: 'notes.csv' }),
    ]),
  ).toEqual(['products.csv']);
});
