import { describe, expect, it } from '@jest/globals';
import { Intents } from './intents';

const AT = 1_000_000;

describe('Intents', () => {
  it('does not begin an action while another action is pending', () => {
    const intents = new Intents();
    expect(intents.tryBegin({ name: 'A plan' }, AT)).toBe(true);
    expect(intents.tryBegin({ name: 'A plan' }, AT)).toBe(false);
    expect(intents.tryBegin({ name: 'Another plan' }, AT)).toBe(false);
  });

  it('ignores the second press of a double click after the first has succeeded', () => {
    const intents = new Intents();
    intents.tryBegin(undefined, AT - 2_000);
    intents.end(true, AT);
    expect(intents.tryBegin(undefined, AT + 300)).toBe(false);
    expect(intents.tryBegin(undefined, AT + 3_000)).toBe(true);
  });

  it('reuses the key when a failed action is repeated', () => {
    const intents = new Intents();
    intents.tryBegin(['a'], AT);
    const { key } = intents;
    intents.end(false);
    expect(intents.tryBegin(['a'], AT + 20)).toBe(true);
    expect(intents.key).toBe(key);
  });

  it('uses a new key for a different action', () => {
    const intents = new Intents();
    intents.tryBegin(['a'], AT);
    const { key } = intents;
    intents.end(false);
    intents.tryBegin(['b'], AT + 20);
    expect(intents.key).not.toBe(key);
  });

  it('uses a new key when an action is repeated after a success', () => {
    const intents = new Intents();
    intents.tryBegin('solve', AT);
    const { key } = intents;
    intents.end(true, AT);
    intents.tryBegin('solve', AT + 60_000);
    expect(intents.key).not.toBe(key);
  });
});
