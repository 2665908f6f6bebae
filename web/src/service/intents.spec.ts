import { describe, expect, it } from '@jest/globals';
import { Intents } from './intents';

const AT = 1_000_000;

describe('Intents', () => {
  it('does not begin an action while another action is pending', () => {
    const intents = new Intents();
    expect(intents.begins({ name: 'A plan' }, AT)).toBe(true);
    expect(intents.begins({ name: 'A plan' }, AT)).toBe(false);
    expect(intents.begins({ name: 'Another plan' }, AT)).toBe(false);
  });

  it('ignores the second press of a double click after the first has succeeded', () => {
    const intents = new Intents();
    intents.begins(undefined, AT - 2_000);
    intents.end(true, AT);
    expect(intents.begins(undefined, AT + 300)).toBe(false);
    expect(intents.begins(undefined, AT + 3_000)).toBe(true);
  });

  it('keeps the key of a failed action', () => {
    const intents = new Intents();
    intents.begins(['a'], AT);
    const { key } = intents;
    intents.end(false);
    expect(intents.begins(['a'], AT + 20)).toBe(true);
    expect(intents.key).toBe(key);
  });

  it('uses a new key for a different action', () => {
    const intents = new Intents();
    intents.begins(['a'], AT);
    const { key } = intents;
    intents.end(false);
    intents.begins(['b'], AT + 20);
    expect(intents.key).not.toBe(key);
  });

  it('uses a new key when an action is repeated after a success', () => {
    const intents = new Intents();
    intents.begins('solve', AT);
    const { key } = intents;
    intents.end(true, AT);
    intents.begins('solve', AT + 60_000);
    expect(intents.key).not.toBe(key);
  });
});
