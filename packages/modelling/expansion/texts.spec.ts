import { describe, expect, it } from '@jest/globals';
import type { DateReading } from '../dates.js';
import { Texts } from './texts.js';

describe('Texts', () => {
  it.each(['02.03.2025', '2.3.2025', '02/03/2025', '2 Mar 2025', '2025/03/02'])(
    'treats %s as equal to the date in the file',
    (text) => {
      const texts = new Texts([{ type: 'date' }]);
      const code = texts.add('2025-03-02');
      expect(texts.add(text)).toBe(code);
      expect(texts.add(text)).toBe(code);
      expect(texts.text(code)).toBe('2025-03-02');
    },
  );

  it.each<[string, DateReading[], string]>([
    ['03/01/2025', [{ type: 'date', order: 'month_first' }], '2025-03-01'],
    ['03/01/2025', [{ type: 'date', order: 'day_first' }], '2025-01-03'],
    [
      '03/01/2025',
      [
        { type: 'date', order: 'day_first' },
        { type: 'date', order: 'month_first' },
      ],
      '03/01/2025',
    ],
    ['01.03.2025 10:00', [{ type: 'timestamp' }], '2025-03-01 10:00:00'],
    ['2025-03-01 00:00:00', [{ type: 'timestamp' }, { type: 'date' }], '2025-03-01 00:00:00'],
    ['8:00', [{ type: 'time' }], '08:00:00'],
    ['8:00', [{ type: 'date' }], '8:00'],
    ['20250301', [{ type: 'date' }], '20250301'],
  ])('converts %s to the format of a file whose columns have the types %j: %s', (text, readings, cell) => {
    const texts = new Texts(readings);
    expect(texts.text(texts.add(text))).toBe(cell);
    expect(texts.text(texts.add(cell))).toBe(cell);
  });

  it('keeps strings that are not dates, and all strings if no file has dates', () => {
    const [dated, plain] = [new Texts([{ type: 'date' }]), new Texts()];
    expect(dated.text(dated.add('1.2.3.4'))).toBe('1.2.3.4');
    expect(plain.text(plain.add('02.03.2025'))).toBe('02.03.2025');
    expect(plain.add('02.03.2025')).not.toBe(plain.add('2025-03-02'));
  });
});
