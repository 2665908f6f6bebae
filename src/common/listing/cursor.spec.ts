import { describe, expect, it } from '@jest/globals';
import { creationKey, isCreationKey, LAST_ID } from './cursor.js';

describe('isCreationKey', () => {
  it.each(['0001-01-01T00:00:00.000Z', '2026-05-04T09:30:00.123Z', '9999-12-31T23:59:59.999Z'])(
    'accepts a timestamp that the database can store: %s',
    (created_at) => {
      const key = creationKey({ created_at: new Date(created_at), id: LAST_ID });
      expect(key).toBe(`${created_at} ${LAST_ID}`);
      expect(isCreationKey(key)).toBe(true);
    },
  );

  it.each(['+010000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2026-05-04', ''])(
    'rejects an invalid timestamp: %j',
    (created_at) => {
      expect(isCreationKey(`${created_at} ${LAST_ID}`)).toBe(false);
    },
  );

  it.each(['x', '', `${LAST_ID} x`])('rejects a malformed id: %j', (id) => {
    expect(isCreationKey(creationKey({ created_at: new Date('2026-05-04T09:30:00Z'), id }))).toBe(false);
  });
});
