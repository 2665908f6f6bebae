import { EventEmitter, once } from 'node:events';
import { expect, it } from '@jest/globals';
import { Principal } from '../auth/principal.js';
import { ClientTags } from '../common/etag/entity-tag.js';
import { ProjectReader } from '../projects/project-access.js';
import { ChatHistoryService } from './chat-history.service.js';
import type { ConversationsRepository } from './conversations/conversations.repository.js';
import { RecentMessagesService } from './messages/recent-messages.service.js';

const PROJECT = '01890000-0000-7000-8000-000000000000';
const WINDOW = { id: PROJECT, last_sequence: 0, first: 1, last: 0, versions: null, made: null, parts: null };

it.each([
  [
    'one caller',
    [
      ['a', 'one'],
      ['a', 'one'],
      ['a', 'one'],
      ['b', 'other'],
    ],
    ['a', 'b'],
  ],
  [
    'several callers of one company',
    [
      ['a', 'one'],
      ['a', 'two'],
      ['a', 'three'],
      ['b', 'other'],
    ],
    ['a', 'b'],
  ],
  [
    'several companies',
    [
      ['a', 'one'],
      ['b', 'one'],
      ['c', 'one'],
      ['d', 'one'],
    ],
    ['a', 'b'],
  ],
] as const)(
  'builds at most two large windows at a time, one per company, for requests from %s',
  async (_, asked, made) => {
    const database = new EventEmitter();
    const answer = once(database, 'answer');
    const begun: string[] = [];
    const window: ConversationsRepository['window'] = async ({ company_id }, _project, _id, _page, _known, inTurn) =>
      (await inTurn(async () => {
        begun.push(company_id);
        await answer;
        return { ...WINDOW, tag: '' } as never;
      })) as never;
    const recent = new RecentMessagesService({ MESSAGES_CACHE_MIB: 1 } as never);
    const service = new ChatHistoryService(undefined as never, { window } as never, recent);
    const answers = asked.map(async ([company_id, person_id]) => {
      const rights = { person_id, sees_all: true, access: 'write', project_ids: null } as const;
      const reader = ProjectReader.of(Principal.agent(company_id, rights));
      return await service.history(reader, PROJECT, { limit: 1_000, offset: 0 }, ClientTags.NONE);
    });
    await new Promise(setImmediate);
    expect(begun).toEqual(made);
    database.emit('answer');
    await Promise.all(answers);
    expect(begun).toHaveLength(asked.length);
  },
);
