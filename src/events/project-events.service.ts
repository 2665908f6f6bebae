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

/** Retention period for events. */
const KEPT = '24 h';
/** Number of streams per batch when old events are removed, and number of events removed from each. */
const STREAMS_AT_ONCE = 100;
const REMOVED_AT_ONCE = 50;
const PURGED_AT_ONCE = 1_000;

/** Name of the queue for pending webhook deliveries. */
export const DELIVERY_QUEUE = 'webhook';
/** Name of the periodic work that counts the events skipped by webhooks. */
export const COUNT_SKIPPED = 'count_skipped_events';

/** Events recorded in a transaction. */
interface Notes extends Delivered {
  actor: Actor;
  events: Map<string, NewEvent[]>;
}

/**
 * Records events in the transaction of the change that they report. Change and event commit together. Readers of the project's
 * stream then receive the event, regardless of the process they are connected to.
 *
 * Events are numbered after all other work in the transaction, so that numbers become visible in order and transactions do not
 * wait for each other's work.
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
    this.periodic.every('* * * * *', 'deliver_left_events', async () => await this.deliverUndelivered());
  }

  /** Sets the actor of a transaction's events. Defaults to the service. */
  by(tx: Tx, actor: Actor | Principal): void {
    this.of(tx).actor = 'company_id' in actor ? actorOf(actor) : actor;
  }

  /** Records a change in a project. `data` identifies the changed objects. */
  note<Type extends keyof ProjectEventData>(
    tx: Tx,
    project_id: ProjectId,
    type: Type,
    data: ProjectEventData[Type],
  ): void {
    this.add(tx, project_id, type, data);
  }

  /** Records a company event that does not belong to a project. */
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

  /** Records changed workspace files. Does nothing if `paths` is empty. */
  noteFiles(tx: Tx, project_id: ProjectId, paths: readonly string[]): void {
    const changedPaths = [...new Set(paths)];
    if (changedPaths.length === 0) return;
    this.note(tx, project_id, 'files.changed', {
      paths: changedPaths.length > MAX_PATHS ? null : changedPaths,
      count: changedPaths.length,
    });
  }

  /** Removes a page of a project's events while the project is purged. Returns false if nothing is left. */
  async removePage(tx: Tx, project_id: ProjectId): Promise<boolean> {
    return await tx.withRepository(this.events).removePage(project_id, PURGED_AT_ONCE);
  }

  private add(tx: Tx, stream_id: string, type: string, data: object): void {
    const { events } = this.of(tx);
    const pending = events.get(stream_id) ?? [];
    events.set(stream_id, pending);
    pending.push({ type, data: JSON.stringify(data) });
  }

  private of(tx: Tx): Notes {
    const existing = this.notes.get(tx);
    if (existing !== undefined) return existing;
    const notes: Notes = { actor: SERVICE, events: new Map(), deliveries: 0, skips: false };
    this.notes.set(tx, notes);
    this.database.beforeCommit(tx, async () => {
      // Appends to streams in a fixed order to prevent deadlocks, because each append locks its stream.
      const streams = [...notes.events].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [stream_id, noted] of streams) {
        const { deliveries, skips } = await tx.withRepository(this.events).append(stream_id, notes.actor, noted);
        notes.deliveries += deliveries;
        notes.skips ||= skips;
      }
    });
    this.database.afterCommit(tx, () => {
      for (const stream_id of notes.events.keys()) this.channel.send(stream_id);
      this.wakeWorkers(notes);
    });
    return notes;
  }

  /** Wakes workers for committed deliveries. */
  private wakeWorkers({ deliveries, skips }: Delivered): void {
    if (deliveries > 0) this.queues.wake(DELIVERY_QUEUE);
    if (skips) this.periodic.requestRun(COUNT_SKIPPED);
  }

  /** Delivers events that processes of the previous version appended without delivering them. */
  private async deliverUndelivered(): Promise<void> {
    for (let more = true; more;) {
      const delivered = await this.database.transaction(
        async (tx) => await tx.withRepository(this.events).deliverUndelivered(STREAMS_AT_ONCE),
      );
      this.wakeWorkers(delivered);
      more = delivered.streams === STREAMS_AT_ONCE;
    }
  }

  private async removeOld(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
      const streams: string[] = await this.events.streams(last, STREAMS_AT_ONCE);
      let remaining = streams;
      while (remaining.length > 0) remaining = await this.events.removeOld(remaining, KEPT, REMOVED_AT_ONCE);
      last = streams.at(-1);
    }
  }
}

/** Returns the stream id of a company's own events: a custom UUID (version 8) derived from the company id. */
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

/** @throws Error for an agent, whose turn must be named as the actor */
function actorOf({ kind, user_id, api_key_id }: Principal): Actor {
  const id = user_id ?? api_key_id;
  if (id === null) throw new Error('The actor for an agent must be its turn');
  return { kind, id };
}
