import { setTimeout as pause } from 'node:timers/promises';
import type { ChatMessageListResponse, ConversationSyncResponse } from '../../src/chat/chat.dto.js';
import type { Answer, Client } from './client.js';
import { eventually } from './eventually.js';

/** Results of the requests sent during a fault. */
export interface TrafficCounts {
  sent: number;
  acknowledged: number;
  /** Number of rejected requests by status. */
  refused: Record<string, number>;
  /** Number of acknowledged requests whose effect is missing. */
  lost: number;
  /** Number of requests whose effect exists more than once. */
  doubled: number;
  slowest_ms: number;
}

/** Kind of request that changes data, with functions that send it and find its changes. */
export interface Work {
  /** Sends a single request with a unique id. */
  send(id: string): Promise<Answer>;
  /** Returns the ids of all existing changes. */
  found(): Promise<string[]>;
}

/** Pause between two requests of the same kind. */
const PACE_MS = 250;
const PAGE = 1000;

/** Sends requests of every kind until it is stopped, regardless of the responses. */
export class Traffic {
  private readonly sent: { work: Work; id: string; status: number; ms: number }[] = [];
  private readonly loops: Promise<void>[];
  private isOver = false;

  constructor(private readonly works: readonly Work[]) {
    this.loops = works.map((work, number) => this.repeat(work, number));
  }

  /** Resolves when a new request of every kind has been acknowledged. */
  async flows(deadlineMs: number): Promise<void> {
    const from = this.sent.length;
    const acknowledged = (): Set<Work> =>
      new Set(this.sent.slice(from).flatMap(({ work, status }) => (status < 300 ? [work] : [])));
    await eventually(
      () => Promise.resolve(acknowledged().size),
      (count) => count === this.works.length,
      { deadlineMs, until: 'every kind of request is acknowledged again' },
    );
  }

  /** Stops the traffic and checks that all acknowledged changes are stored. */
  async stop(): Promise<TrafficCounts> {
    this.isOver = true;
    await Promise.all(this.loops);
    const counts: TrafficCounts = { sent: 0, acknowledged: 0, refused: {}, lost: 0, doubled: 0, slowest_ms: 0 };
    for (const work of this.works) {
      const found = await work.found();
      const times = (id: string): number => found.filter((one) => one === id).length;
      for (const { id, status, ms } of this.sent.filter((one) => one.work === work)) {
        counts.sent += 1;
        counts.slowest_ms = Math.max(counts.slowest_ms, Math.round(ms));
        if (times(id) > 1) counts.doubled += 1;
        if (status >= 300) counts.refused[status] = (counts.refused[status] ?? 0) + 1;
        else {
          counts.acknowledged += 1;
          if (times(id) === 0) counts.lost += 1;
        }
      }
    }
    return counts;
  }

  private async repeat(work: Work, number: number): Promise<void> {
    for (let round = 0; !this.isOver; round += 1) {
      const id = `request-${number}-${round}`;
      const began = performance.now();
      const { status } = await work.send(id);
      this.sent.push({ work, id, status, ms: performance.now() - began });
      await pause(PACE_MS);
    }
  }
}

/** Posts messages in a conversation. Each message makes the agent respond. */
export function posting(client: Client, project: string): Work {
  return {
    send: (id) =>
      client.send('POST', `/projects/${project}/chat`, { body: { content: id, client_msg_id: `${project}-${id}` } }),
    found: async () => {
      await waitUntilIdle(client, project);
      const { messages } = await client.get<ChatMessageListResponse>(`/projects/${project}/chat`, { limit: PAGE });
      return messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    },
  };
}

/** Creates skills in a project. Each skill is a file in the store whose content is read back. */
export function storing(client: Client, project: string): Work {
  const ids: string[] = [];
  return {
    send: (id) => {
      ids.push(id);
      return client.send('PUT', `/projects/${project}/skills/${id}`, {
        body: { files: { 'SKILL.md': `Content of ${id}` } },
      });
    },
    found: async () => {
      const skills = await Promise.all(
        ids.map((id) => client.send<{ files?: Record<string, string> }>('GET', `/projects/${project}/skills/${id}`)),
      );
      return ids.filter((id, index) => skills[index]?.body.files?.['SKILL.md'] === `Content of ${id}`);
    },
  };
}

/** Waits until the agent has answered every message. */
export async function waitUntilIdle(client: Client, project: string): Promise<void> {
  await eventually(
    () => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`, { limit: 1 }),
    ({ turn }) => turn.state === 'idle',
    { until: 'every turn has ended', deadlineMs: 60_000 },
  );
}
