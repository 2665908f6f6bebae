import { describe, expect, it } from '@jest/globals';
import { creationKey, isCreationKey, LAST_ID } from './cursor.js';

describe('a key of the order of creation', () => {
  it.each(['0001-01-01T00:00:00.000Z', '2026-05-04T09:30:00.123Z', '9999-12-31T23:59:59.999Z'])(
    'is one at a time that the database takes: %s',
    (created_at) => {
      const key = creationKey({ created_at: new Date(created_at), id: LAST_ID });
      expect(key).toBe(`${created_at} ${LAST_ID}`);
      expect(isCreationKey(key)).toBe(true);
    },
  );

  it.each(['+010000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2026-05-04', ''])(
    'is none at another: %j',
    (created_at) => {
      expect(isCreationKey(`${created_at} ${LAST_ID}`)).toBe(false);
    },
  );

  it.each(['x', '', `${LAST_ID} x`])('is none with another id: %j', (id) => {
    expect(isCreationKey(creationKey({ created_at: new Date('2026-05-04T09:30:00Z'), id }))).toBe(false);
  });
});
