import { describe, expect, it } from '@jest/globals';
import { attachment } from './content-disposition.js';

describe('attachment', () => {
  it.each([
    ['demand.csv', `filename="demand.csv"; filename*=UTF-8''demand.csv`],
    ['a "b"\\%.csv', `filename="a _b___.csv"; filename*=UTF-8''a%20%22b%22%5C%25.csv`],
    ["it's (1)*.csv", `filename="it's (1)*.csv"; filename*=UTF-8''it%27s%20%281%29%2A.csv`],
    ['日.csv', `filename="_.csv"; filename*=UTF-8''%E6%97%A5.csv`],
  ])('encodes %s as %s', (name, header) => expect(attachment(name)).toBe(`attachment; ${header}`));

  it.each(['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\u2028'])('replaces %j', (sign) =>
    expect(attachment(`a${sign}gpj.exe`)).toBe(`attachment; filename="a_gpj.exe"; filename*=UTF-8''a_gpj.exe`),
  );
});
