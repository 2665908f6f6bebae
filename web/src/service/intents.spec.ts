import { describe, expect, it } from '@jest/globals';
import { Intents } from './intents';

const AT = 1_000_000;

describe('Intents', () => {
  it('begins a pending action once', () => {
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

  it('keeps the key of an action that failed', () => {
    const intents = new Intents();
    intents.begins(['a'], AT);
    const { key } = intents;
    intents.end(false);
    expect(intents.begins(['a'], AT + 20)).toBe(true);
    expect(intents.key).toBe(key);
  });

  it('gives another action another key', () => {
    const intents = new Intents();
    intents.begins(['a'], AT);
    const { key } = intents;
    intents.end(false);
    intents.begins(['b'], AT + 20);
    expect(intents.key).not.toBe(key);
  });

  it('gives a repetition after a success another key', () => {
    const intents = new Intents();
    intents.begins('solve', AT);
    const { key } = intents;
    intents.end(true, AT);
    intents.begins('solve', AT + 60_000);
    expect(intents.key).not.toBe(key);
  });
});
