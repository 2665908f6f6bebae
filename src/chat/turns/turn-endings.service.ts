import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { UsageService } from '../../usage/usage.service.js';
import { AnswersService } from '../messages/answers.service.js';
import { closingEvents, EMPTY_BODY, fold } from '../messages/message-body.js';
import { MessagesService } from '../messages/messages.service.js';
import type { TurnOutcome } from './turn.entity.js';
import type { Progress } from './turn-journal.service.js';
import { held, type HeldTurn, type Holder, LeaseLost, TurnsService } from './turns.service.js';

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
  ) {}

  /**
   * Ends a running turn and starts the next one when messages wait.
   *
   * @throws LeaseLost when the turn is not the holder's any more; then nothing has changed.
   */
  async end(turn: HeldTurn, holder: Holder, ending: Ending): Promise<void> {
    const { id, project_id, conversation_id, company_id, user_id } = turn;
    await this.database.transaction(async (tx) => {
      // Only its holder changes the credits of a turn, so they can be read before the locks that come first.
      const credits = ending.progress?.credits ?? (await this.storedCredits(tx, id));
      await this.projects.adjust(tx, project_id, { active_turns: -1, credits });
      await tx.query('SELECT id FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversation_id]);
      const { message_id, next_seq } = await this.finishMessage(tx, turn, holder, ending);
      if (ending.notice !== undefined) {
        await this.messages.append(tx, { conversation_id, role: 'system', content: ending.notice, turn_id: id });
      }
      await tx.query(
        `UPDATE turns SET state = 'ended', outcome = $2, owner = NULL, due_at = NULL, ended_at = clock_timestamp(),
                message_id = $3, next_seq = $4, credits = $5
          WHERE id = $1`,
        [id, ending.outcome, message_id, next_seq, credits],
      );
      if (credits > 0) {
        await this.usage.record(tx, { company_id, project_id, user_id, source_type: 'turn', source_id: id, credits });
      }
      await tx.query('DELETE FROM workspace_changes WHERE turn_id = $1', [id]);
      const { waiting } = await this.turns.situation(tx, conversation_id);
      if (waiting > 0) await this.turns.start(tx, { id: conversation_id, project_id }, { company_id, user_id });
    });
  }

  /** Takes the turn's lock and gives its message its last body; no message as long as the agent has said nothing. */
  private async finishMessage(
    tx: Tx,
    { id, generation, conversation_id }: HeldTurn,
    holder: Holder,
    { progress, running }: Ending,
  ): Promise<{ message_id: string | null; next_seq: number }> {
    const [stored]: { message_id: string | null; next_seq: number }[] = await tx.query(
      `SELECT message_id, next_seq FROM turns WHERE ${held(holder)} FOR NO KEY UPDATE`,
      [id, generation],
    );
    if (stored === undefined) throw new LeaseLost();
    const { message_id } = stored;
    let body = progress?.body ?? (message_id === null ? EMPTY_BODY : await this.messages.body(tx, message_id));
    const events = [
      ...closingEvents(
        body,
        new Date(),
        running ?? { error: 'The turn ended before the call did', error_code: 'unfinished' },
      ),
      ...(await this.answers.pendingEvents(tx, conversation_id, body)),
    ];
    for (const event of events) body = fold(body, event);
    const next_seq = (progress ?? stored).next_seq + events.length;
    if (message_id !== null) {
      await this.messages.update(tx, message_id, body, false);
      return { message_id, next_seq };
    }
    if (next_seq === 0) return { message_id, next_seq };
    const created = await this.messages.append(tx, { conversation_id, role: 'assistant', turn_id: id, ...body });
    return { message_id: created.id, next_seq };
  }

  private async storedCredits(tx: Tx, turn_id: string): Promise<number> {
    const [turn]: { credits: number }[] = await tx.query('SELECT credits FROM turns WHERE id = $1', [turn_id]);
    if (turn === undefined) throw new LeaseLost();
    return turn.credits;
  }
}
