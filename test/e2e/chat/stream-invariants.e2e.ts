import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { AgentEvent } from '../../../src/agent/agent.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { agentEvents } from '../../support/agent-events.js';
import type { Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { type Script, ScriptedService } from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment, type ServiceEnvironment } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { EventStream, foldMessage, type Message, type StreamedEvent } from '../../support/stream.js';

type Sync = Wire<ConversationSyncResponse>;

let script: Script;
let environment: ServiceEnvironment;
/** Service for the API, which a test restarts. */
let api: ScriptedService;
let workers: ScriptedService[];
let database: pg.Client;
let session: Session;

const play: Script = (context) => script(context);
const fold = (events: StreamedEvent[]): Message | null => events.reduce<Message | null>(foldMessage, null);
const numbered = (events: StreamedEvent[]): StreamedEvent[] => events.filter(({ id }) => id !== undefined);
const sync = (project: string): Promise<Sync> =>
  session.client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);

/** Agent that plays events, with a pause in milliseconds before each event. */
const paced = (events: AgentEvent[], pauses: number[]): Script =>
  async function* () {
    for (const [index, event] of events.entries()) {
      const wait = pauses[index % pauses.length] ?? 0;
      if (wait > 0) await pause(wait);
      yield event;
    }
  };

beforeAll(async () => {
  environment = await makeEnvironment();
  api = await ScriptedService.start(environment, play, 'api');
  workers = await Promise.all([1, 2].map(() => ScriptedService.start(environment, play, 'worker')));
  database = new pg.Client(environment.databaseUrl);
  await database.connect();
  session = await api.session({ company: 'company', user: 'user' });
});

afterAll(async () => {
  await Promise.all([api, ...workers].map((service) => service.stop()));
  await database.end();
  await removeEnvironment(environment);
});

/** Reads sync at random times until the turn has ended. */
async function watch(project: string, gaps: number[]): Promise<Sync[]> {
  const seen: Sync[] = [];
  for (let read = 0; ; read += 1) {
    const now = await sync(project);
    seen.push(now);
    if (now.turn.state === 'idle') return seen;
    await pause(gaps[read % gaps.length]);
  }
}

/** Minimum number of reads during a running turn. Fewer reads would prove little. */
const ENOUGH = 12;
const ROUNDS = 4;

describe('sync during a turn', () => {
  it('contains the effects of all events before next_seq, and the remaining events complete the final message', async () => {
    const moments = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 6 });
    const random = fc.record({ events: agentEvents(25), pauses: moments, gaps: moments });
    let partial = 0;
    const property = fc.asyncProperty(random, async ({ events, pauses, gaps }) => {
      script = paced(events, pauses);
      const { id: project } = await makeProject(session.client);
      const whole = await EventStream.open(api.url, session.token, project);
      await session.client.post(`/projects/${project}/chat`, { content: 'Hello' });
      const reads = await watch(project, gaps);
      await whole.ended();
      const all = numbered(whole.events);
      expect(all.map(({ id }) => Number(id?.split(':')[1]))).toEqual(all.map((_, index) => index));

      const final = (await sync(project)).messages.find(({ role }) => role === 'assistant') ?? null;
      expect(whole.named('turn.ended')[0]?.data['message']).toEqual(final);
      expect(fold(all)).toEqual(final);
      for (const { messages, turn } of reads) {
        const shown = messages.find(({ role }) => role === 'assistant') ?? null;
        if (turn.state === 'idle') expect(shown).toEqual(final);
        else {
          if (turn.next_seq > 0) partial += 1;
          expect(shown).toEqual(fold(all.slice(0, turn.next_seq)));
          expect(all.slice(turn.next_seq).reduce(foldMessage, shown)).toEqual(final);
        }
      }
      whole.close();
    });
    // A busy machine performs fewer reads during a turn and therefore needs more rounds.
    for (let round = 0; round < ROUNDS && partial <= ENOUGH; round += 1)
      await fc.assert(property, { numRuns: 12, endOnFailure: true });
    expect(partial).toBeGreaterThan(ENOUGH);
  });
});

describe('a reader that reconnects', () => {
  /** Reads over a connection that is cut repeatedly. Each connection resumes after the last received event. */
  async function readInPieces(project: string, done: (events: StreamedEvent[]) => boolean): Promise<StreamedEvent[]> {
    const got: StreamedEvent[] = [];
    while (!done(got)) {
      const last = got.at(-1)?.id;
      const stream = await EventStream.open(api.url, session.token, project, {
        ...(last !== undefined && { headers: { 'last-event-id': last } }),
      }).catch(() => undefined);
      await pause(20 + Math.random() * 150);
      stream?.close();
      expect(stream?.named('resync') ?? []).toEqual([]);
      got.push(...numbered(stream?.events ?? []));
    }
    return got;
  }

  it('receives every event exactly once while workers lose turns and the API restarts', async () => {
    // Each turn takes a second. The first turn loses its worker before its first word, and the second turn after its
    // first word.
    const sentence = 'word '
      .repeat(30)
      .split(' ')
      .map((text): AgentEvent => ({ type: 'text', text: `${text} ` }));
    const attempts = new Map<string, number>();
    script = (context) => {
      const { content = '' } = context.messages.findLast(({ to_answer }) => to_answer) ?? {};
      attempts.set(content, (attempts.get(content) ?? 0) + 1);
      const silent = content === 'silent' && attempts.get(content) === 1;
      return (async function* () {
        if (silent) await new Promise<never>(() => {});
        yield* paced(sentence, [30])(context);
      })();
    };
    const { id: project } = await makeProject(session.client);
    const steady = await EventStream.open(api.url, session.token, project);
    const post = (content: string) => session.client.post(`/projects/${project}/chat`, { content });
    const expire = async (condition: string): Promise<void> => {
      // The new generation makes the process lose the turn immediately. Otherwise, the next word would renew the lease.
      await database.query(
        `UPDATE turns SET due_at = now() - interval '1 s', generation = generation + 1
          WHERE project_id = $1 AND ${condition}`,
        [project],
      );
      await workers[1]?.app.get(TurnReaperService).recover();
    };
    const ends = (events: StreamedEvent[]): number => events.filter(({ event }) => event === 'turn.ended').length;

    await post('silent');
    const reading = readInPieces(project, (events) => ends(events) === 3);
    await eventually(() => Promise.resolve(attempts.get('silent')), Boolean, { until: 'the first turn runs' });
    await expire(`state = 'streaming' AND next_seq = 0`);
    await steady.ended(1);
    await post('spoken');
    await steady.until((events) => events.filter(({ event }) => event === 'turn.started').length === 2, 'it speaks');
    await expire(`state = 'streaming'`);
    await steady.ended(2);
    await post('last');
    await pause(200);
    const { port } = new URL(api.url);
    steady.close();
    await api.stop();
    api = await ScriptedService.start(environment, play, 'api', Number(port));

    const got = await reading;
    const { rows } = await database.query<{ id: string; outcome: string; next_seq: number }>(
      'SELECT id, outcome, next_seq FROM turns WHERE project_id = $1 ORDER BY id',
      [project],
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'interrupted', 'completed']);
    expect(attempts.get('silent')).toBe(2);
    expect(got.map(({ id }) => id)).toEqual(
      rows.flatMap(({ id, next_seq }) => Array.from({ length: next_seq }, (_, seq) => `${id}:${seq}`)),
    );
    const answers = (await idle(session.client, project)).messages.filter(({ role }) => role === 'assistant');
    expect(rows.map(({ id }) => fold(got.filter((event) => event.id?.startsWith(id))))).toEqual(answers);
  });
});
