import { Injectable } from '@nestjs/common';
import { Database, pipelined, type Tx } from '../../platform/database/database.js';
import { LeaseLost } from '../../platform/leases/lease.js';
import { Notifications } from '../../platform/database/notifications.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { UsageService } from '../../usage/usage.service.js';
import { AnswersService } from '../messages/answers.service.js';
import { closingEvents, EMPTY_BODY, fold, type MessageBody } from '../messages/message-body.js';
import { MessagesService } from '../messages/messages.service.js';
import { CONVERSATIONS } from '../notices.js';
import { spenderOf, type Turn, type TurnOutcome } from './turn.entity.js';
import {
  bodyEvent,
  endedEvent,
  eventParameters,
  type EventRow,
  insertEvents,
  STARTED,
  WITH_MESSAGE,
} from './turn-events.js';
import { firstUnstored, type Progress } from './turn-journal.service.js';
import {
  endedWithProject,
  heldParameters,
  type HeldTurn,
  type Holder,
  lockHeld,
  TurnsService,
} from './turns.service.js';

/** How a turn ends. */
export interface Ending {
  outcome: TurnOutcome;
  /** What the agent's message holds at last; absent: what is stored of it. */
  progress?: Progress;
  /** What becomes of calls that still run. */
  running?: { error: string; error_code: string };
  /** A sentence that the conversation gets as a system message. */
  notice?: string;
}

/** The end of a turn whose process went away after it had said something. */
export const INTERRUPTED: Ending = {
  outcome: 'interrupted',
  running: { error: 'The turn was interrupted before the call ended', error_code: 'interrupted' },
  notice: 'The agent was interrupted before it had finished.',
};

/** The end of a turn that a user wants no more of. */
const STOPPED: Ending = {
  outcome: 'stopped',
  running: { error: 'The turn was stopped before the call ended', error_code: 'stopped' },
};

/** What is stored of a turn that the transaction has locked. */
type StoredTurn = Pick<
  Turn,
  | 'id'
  | 'project_id'
  | 'conversation_id'
  | 'company_id'
  | 'user_id'
  | 'api_key_id'
  | 'message_id'
  | 'next_seq'
  | 'credits'
>;

const STORED =
  't.id, t.project_id, t.conversation_id, t.company_id, t.user_id, t.api_key_id, t.message_id, t.next_seq, t.credits';

/** The end of turns: one transaction for the finished message, the charge and the next turn. */
@Injectable()
export class TurnEndings {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly usage: UsageService,
    private readonly messages: MessagesService,
    private readonly answers: AnswersService,
    private readonly turns: TurnsService,
    private readonly notifications: Notifications,
  ) {}

  /**
   * Ends a running turn and starts the next one when messages wait.
   *
   * @throws LeaseLost when the turn is not the holder's any more; then nothing has changed.
   */
  async end(held: HeldTurn, holder: Holder, ending: Ending): Promise<void> {
    const { company_id, project_id, conversation_id } = held;
    await this.database.transaction(async (tx) => {
      // The project is the first to be locked.
      const [, [turn], { waiting }] = await pipelined(
        this.projects.lock(tx, company_id, project_id).catch(endedWithProject),
        tx.query<StoredTurn[]>(`SELECT ${STORED} ${lockHeld(holder)}`, heldParameters(held)),
        this.turns.situation(tx, conversation_id),
      );
      if (turn === undefined) throw new LeaseLost();
      await this.finish(tx, turn, ending);
      if (waiting > 0) await this.turns.start(tx, { id: conversation_id, project_id }, turn);
    });
    this.notifications.send(CONVERSATIONS, conversation_id);
  }

  /**
   * Ends the active turn of a conversation, or only a given one, whoever runs it: what was stored of it stays, and its
   * process can write no more. Messages that wait are left waiting. The project and the conversation are locked.
   *
   * @returns the turn's id; null when there was nothing to end.
   */
  async stop(tx: Tx, conversation_id: string, turn_id: string | null): Promise<string | null> {
    const [turn]: StoredTurn[] = await tx.query(
      `SELECT ${STORED} FROM turns t
        WHERE t.conversation_id = $1 AND t.state <> 'ended' AND ($2::uuid IS NULL OR t.id = $2) FOR NO KEY UPDATE`,
      [conversation_id, turn_id],
    );
    if (turn === undefined) return null;
    await this.finish(tx, turn, STOPPED);
    return turn.id;
  }

  private async finish(tx: Tx, turn: StoredTurn, ending: Ending): Promise<void> {
    const { id, project_id, conversation_id, company_id } = turn;
    const { outcome, progress, notice } = ending;
    const { body, events } = await this.lastWords(tx, turn, ending);
    const message_id =
      turn.message_id ?? (events.length === 0 ? null : await this.createMessage(tx, turn, body, events));
    events.push(endedEvent(outcome));
    const credits = progress?.credits ?? turn.credits;
    const charge = { company_id, project_id, ...spenderOf(turn), source_type: 'turn', source_id: id, credits } as const;
    await pipelined(
      turn.message_id !== null && this.messages.finish(tx, turn.message_id, body),
      notice !== undefined &&
        this.messages.append(tx, { conversation_id, role: 'system', content: notice, turn_id: id }),
      tx.query(
        `WITH ended AS (
           UPDATE turns SET state = 'ended', outcome = $2, owner = NULL, due_at = NULL, ended_at = clock_timestamp(),
                  message_id = $3, next_seq = $4, credits = $5
            WHERE id = $1 RETURNING id
         ), told AS (
           DELETE FROM workspace_changes w USING ended WHERE w.turn_id = ended.id
         ) ${insertEvents('ended.id', ['$6', '$7', '$8'], 'ended LEFT JOIN messages m ON m.id = $3,', WITH_MESSAGE)}`,
        [id, outcome, message_id, turn.next_seq + events.length, credits, ...eventParameters(turn.next_seq, events)],
      ),
      this.projects.adjust(tx, project_id, { active_turns: -1, credits }),
      credits > 0 && this.usage.record(tx, charge),
    );
  }

  /** What the turn's message holds at last, and the events that lead there from what is stored. */
  private async lastWords(
    tx: Tx,
    { conversation_id, message_id, next_seq }: StoredTurn,
    ending: Ending,
  ): Promise<{ body: MessageBody; events: EventRow[] }> {
    // Of an effect whose outcome the process never learned, what is stored knows more.
    const progress =
      ending.progress !== undefined && ending.progress.next_seq >= next_seq ? ending.progress : undefined;
    let body = progress?.body ?? (message_id === null ? EMPTY_BODY : await this.messages.body(tx, message_id));
    const closing = [
      ...closingEvents(
        body,
        new Date(),
        ending.running ?? { error: 'The turn ended before the call did', error_code: 'unfinished' },
      ),
      ...(await this.answers.pendingEvents(tx, conversation_id, body)),
    ];
    for (const event of closing) body = fold(body, event);
    // A write whose outcome the process never learned may have been stored.
    const unstored =
      progress === undefined ? [] : progress.unstored.slice(Math.max(0, next_seq - firstUnstored(progress)));
    return { body, events: [...unstored, ...closing].map(bodyEvent) };
  }

  /** The message of a turn of which nothing is stored, before its `events`. */
  private async createMessage(
    tx: Tx,
    { id, conversation_id }: StoredTurn,
    body: MessageBody,
    events: EventRow[],
  ): Promise<string> {
    const created = await this.messages.append(tx, { conversation_id, role: 'assistant', turn_id: id, ...body });
    events.unshift(STARTED);
    return created.id;
  }
}
