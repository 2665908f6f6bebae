import { describe, expect, it } from '@jest/globals';
import { Texts } from './texts.js';

describe('Texts', () => {
  it.each(['02.03.2025', '2.3.2025', '02/03/2025', '2 Mar 2025', '2025/03/02'])(
    'takes %s for the date of a file',
    (text) => {
      const texts = new Texts(true);
      const code = texts.add('2025-03-02');
      expect(texts.add(text)).toBe(code);
      expect(texts.add(text)).toBe(code);
      expect(texts.text(code)).toBe('2025-03-02');
    },
  );

  it('keeps texts that are no dates, and all texts where no file has dates', () => {
    const [dated, plain] = [new Texts(true), new Texts()];
    expect(dated.text(dated.add('1.2.3.4'))).toBe('1.2.3.4');
    expect(plain.text(plain.add('02.03.2025'))).toBe('02.03.2025');
    expect(plain.add('02.03.2025')).not.toBe(plain.add('2025-03-02'));
  });
});
