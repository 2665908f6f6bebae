import type { ProjectId } from '../database/checked-id.js';
import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { BEFORE_ALL_IDS } from '../database/checked-id.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { RowQueuesService } from '../database/queues/row-queues.service.js';
import { type Actor, type CompanyEventData, MAX_PATHS, type ProjectEventData, SERVICE } from './event-types.js';
import { EventsChannel } from './events.channel.js';
import { type Delivered, EventsRepository, type NewEvent } from './events.repository.js';

/** How long events can be read. */
const KEPT = '24 h';
/** Streams whose old events are removed at once, and how many of each. */
const STREAMS_AT_ONCE = 100;
const REMOVED_AT_ONCE = 50;
const PURGED_AT_ONCE = 1_000;

/** Name of the queue in which deliveries to webhooks wait for a worker. */
export const DELIVERY_QUEUE = 'webhook';
/** Name of the periodic work that counts events which webhooks have skipped. */
export const COUNT_SKIPPED = 'count_skipped_events';

/** What a transaction has to tell. */
interface Notes extends Delivered {
  actor: Actor;
  events: Map<string, NewEvent[]>;
}

/**
 * The events of projects: whoever changes something in one notes it in the transaction of the change. Both commit, or neither;
 * then readers of the project's stream are sent it, whatever process they are connected to.
 *
 * Events are numbered when all other work of the transaction is done, so that the numbers become visible in their order and
 * nobody waits for another's work because of them.
 */
@Injectable()
export class ProjectEventsService implements OnModuleInit {
  private readonly notes = new WeakMap<Tx, Notes>();

  constructor(
    private readonly database: DatabaseService,
    private readonly events: EventsRepository,
    private readonly channel: EventsChannel,
    private readonly periodic: PeriodicWorkService,
    private readonly queues: RowQueuesService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/20 * * * *', 'remove_old_events', async () => await this.removeOld());
    this.periodic.every('* * * * *', 'deliver_left_events', async () => await this.deliverLeft());
  }

  /** Says who makes the changes of a transaction; where nobody does it is the service. */
  by(tx: Tx, actor: Actor | Principal): void {
    this.of(tx).actor = 'company_id' in actor ? actorOf(actor) : actor;
  }

  /** Notes that something in a project has changed; `data` names what. */
  note<Type extends keyof ProjectEventData>(
    tx: Tx,
    project_id: ProjectId,
    type: Type,
    data: ProjectEventData[Type],
  ): void {
    this.add(tx, project_id, type, data);
  }

  /** Notes that something has happened in a company that concerns no project. */
  async noteInCompany<Type extends keyof CompanyEventData>(
    tx: Tx,
    company_id: string,
    type: Type,
    data: CompanyEventData[Type],
  ): Promise<void> {
    const stream_id = streamOf(company_id);
    await tx.withRepository(this.events).openCompany(stream_id, company_id);
    this.add(tx, stream_id, type, data);
  }

  /** Notes that files of a workspace have changed; nothing when there are none. */
  noteFiles(tx: Tx, project_id: ProjectId, paths: readonly string[]): void {
    const named = [...new Set(paths)];
    if (named.length === 0) return;
    this.note(tx, project_id, 'files.changed', {
      paths: named.length > MAX_PATHS ? null : named,
      count: named.length,
    });
  }

  /** Removes a page of the events of a project that is purged; false when nothing was left. */
  async removePage(tx: Tx, project_id: ProjectId): Promise<boolean> {
    return await tx.withRepository(this.events).removePage(project_id, PURGED_AT_ONCE);
  }

  private add(tx: Tx, stream_id: string, type: string, data: object): void {
    const { events } = this.of(tx);
    const known = events.get(stream_id) ?? [];
    events.set(stream_id, known);
    known.push({ type, data: JSON.stringify(data) });
  }

  private of(tx: Tx): Notes {
    const known = this.notes.get(tx);
    if (known !== undefined) return known;
    const notes: Notes = { actor: SERVICE, events: new Map(), deliveries: 0, skips: false };
    this.notes.set(tx, notes);
    this.database.beforeCommit(tx, async () => {
      // In one order everywhere, as each locks its stream.
      const streams = [...notes.events].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [stream_id, noted] of streams) {
        const { deliveries, skips } = await tx.withRepository(this.events).append(stream_id, notes.actor, noted);
        notes.deliveries += deliveries;
        notes.skips ||= skips;
      }
    });
    this.database.afterCommit(tx, () => {
      for (const stream_id of notes.events.keys()) this.channel.send(stream_id);
      this.tell(notes);
    });
    return notes;
  }

  /** Wakes whoever sees to deliveries, once they have committed. */
  private tell({ deliveries, skips }: Delivered): void {
    if (deliveries > 0) this.queues.wake(DELIVERY_QUEUE);
    if (skips) this.periodic.soon(COUNT_SKIPPED);
  }

  /** Has events delivered to webhooks that processes of the version before have appended. */
  private async deliverLeft(): Promise<void> {
    for (let left = true; left;) {
      const delivered = await this.database.transaction(
        async (tx) => await tx.withRepository(this.events).deliverLeft(STREAMS_AT_ONCE),
      );
      this.tell(delivered);
      left = delivered.streams === STREAMS_AT_ONCE;
    }
  }

  private async removeOld(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
      const streams: string[] = await this.events.streams(last, STREAMS_AT_ONCE);
      let left = streams;
      while (left.length > 0) left = await this.events.removeOld(left, KEPT, REMOVED_AT_ONCE);
      last = streams.at(-1);
    }
  }
}

/** The stream of what concerns a company and no project: a UUID of the custom version, made of its name. */
export function streamOf(company_id: string): string {
  const hash = createHash('sha256').update(`company:${company_id}`).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** @throws Error for the agent, of whom the turn has to be named */
function actorOf({ kind, user_id, api_key_id }: Principal): Actor {
  const id = user_id ?? api_key_id;
  if (id === null) throw new Error('Of an agent the turn is the actor');
  return { kind, id };
}
