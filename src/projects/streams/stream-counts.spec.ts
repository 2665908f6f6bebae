import { describe, expect, it } from '@jest/globals';
import { Principal } from '../../auth/principal.js';
import { StreamCounts } from './stream-counts.js';

const identity = (company_id: string) => ({ company_id, role: 'member' as const, expires_at: null });
const user = (name: string, company_id = 'acme'): Principal =>
  Principal.user({
    ...identity(company_id),
    user_id: name,
    user_name: name,
    user_email: null,
    user_avatar_url: null,
  });
const apiKey = (person_id: string, key: number): Principal =>
  Principal.apiKey({
    ...identity('acme'),
    person_id,
    sees_all: false,
    access: 'write',
    project_ids: null,
    api_key_id: `${person_id}-${key}`,
    api_key_name: `Key ${key}`,
    api_key_prefix: 'pws',
  });

/** Opens streams until the limit is reached, and returns the functions that close them. */
function openAll(counts: StreamCounts, callers: Iterable<Principal>): (() => void)[] {
  const open: (() => void)[] = [];
  for (const caller of callers) {
    for (;;) {
      try {
        open.push(counts.enter(caller));
      } catch {
        break;
      }
    }
  }
  return open;
}

describe('StreamCounts', () => {
  it('limits a caller to 20 streams and accepts another stream after one is closed', () => {
    const counts = new StreamCounts();
    const open = openAll(counts, [user('ann')]);
    expect(open).toHaveLength(20);
    expect(() => counts.enter(user('ann'))).toThrow(expect.objectContaining({ code: 'too_many_streams' }));
    open[0]?.();
    expect(() => counts.enter(user('ann'))).not.toThrow();
  });

  it('limits a person to 100 streams across all of their API keys', () => {
    const keys = Array.from({ length: 10 }, (_, at) => apiKey('ann', at));
    expect(openAll(new StreamCounts(), [user('ann'), ...keys])).toHaveLength(100);
  });

  it('limits a company to 1,000 streams without affecting other companies', () => {
    const counts = new StreamCounts();
    const people = Array.from({ length: 60 }, (_, at) => user(`person ${at}`));
    const open = openAll(counts, people);
    expect(open).toHaveLength(1_000);
    expect(openAll(counts, [user('ann', 'other')])).toHaveLength(20);
    for (const close of open) close();
    expect(openAll(counts, people)).toHaveLength(1_000);
  });
});
