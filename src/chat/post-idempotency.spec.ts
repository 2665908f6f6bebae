import { describe, expect, it } from '@jest/globals';
import { Principal } from '../auth/principal.js';
import type { ChatMessageCreate } from './chat.dto.js';
import { identify, toQuestionAnswer } from './post-idempotency.js';

const user = (user_id: string): Principal =>
  Principal.user({
    company_id: 'c',
    role: 'member',
    user_id,
    user_name: user_id,
    user_email: null,
    user_avatar_url: null,
    expires_at: null,
  });
const key = (api_key_id: string): Principal =>
  Principal.apiKey({
    company_id: 'c',
    role: 'member',
    person_id: 'ada',
    sees_all: false,
    access: 'write',
    project_ids: null,
    api_key_id,
    api_key_name: 'Import',
    api_key_prefix: '0f3a9c71be52',
    expires_at: null,
  });
const post: ChatMessageCreate = {
  content: 'Hello',
  client_msg_id: 'm1',
  file_ids: ['a'],
  context: [{ id: '1', type: 'card' }],
  answer: {
    selections: new Map<string, string | string[]>([
      ['0', 'A'],
      ['1', ['B', 'C']],
    ]),
    other_text: 'x',
  },
};
const identified = (change: Partial<ChatMessageCreate> = {}, conversation = 'conv', author = user('ada')) => {
  const identity = identify(author, conversation, { ...post, ...change });
  if (identity === null) throw new Error('The post has a client_msg_id');
  return { key: identity.client_msg_key.toString('hex'), payload: identity.payload_hash.toString('hex') };
};

describe('identify', () => {
  it('returns null without a client_msg_id', () => {
    expect(identify(user('ada'), 'conv', { content: '' })).toBeNull();
    expect(identify(user('ada'), 'conv', { content: '', client_msg_id: null })).toBeNull();
  });

  it('recognizes a repeated post regardless of the order of its selections', () => {
    const selections = new Map<string, string | string[]>([
      ['1', ['B', 'C']],
      ['0', 'A'],
    ]);
    expect(identified({ answer: { selections, other_text: 'x' } })).toEqual(identified());
    expect(identified({ conversation_id: 'conv' })).toEqual(identified());
  });

  it('derives the key from the author and the client_msg_id', () => {
    expect(identified({ content: 'Bye' }).key).toBe(identified().key);
    expect(identified({}, 'conv', user('bob')).key).not.toBe(identified().key);
    expect(identified({ client_msg_id: 'm2' }).key).not.toBe(identified().key);
    expect(identified({ client_msg_id: 'b' }, 'conv', user('a')).key).not.toBe(
      identified({ client_msg_id: '' }, 'conv', user('ab')).key,
    );
    expect(identified({}, 'conv', key('ada')).key).not.toBe(identified().key);
    expect(identified({}, 'conv', key('one')).key).not.toBe(identified({}, 'conv', key('two')).key);
  });

  it.each<[string, Partial<ChatMessageCreate>]>([
    ['content', { content: 'Hello ' }],
    ['file_ids', { file_ids: [] }],
    ['context', { context: [{ id: 'card', type: '1' }] }],
    ['answer', { answer: { other_text: 'x' } }],
    ['a null answer', { answer: null }],
  ])('distinguishes payloads that differ in %s', (_, change) => {
    expect(identified(change).payload).not.toBe(identified().payload);
  });

  it('distinguishes payloads for different conversations', () => {
    expect(identified({}, 'other').payload).not.toBe(identified().payload);
  });
});

describe('toQuestionAnswer', () => {
  it('returns the answer as plain JSON', () => {
    expect(toQuestionAnswer({ selections: new Map([['0', 'A']]) })).toEqual({ selections: { '0': 'A' } });
    expect(toQuestionAnswer({ other_text: 'x' })).toEqual({ selections: {}, other_text: 'x' });
  });
});
