import { Injectable } from '@nestjs/common';
import type { AgentContext, AgentMessage, WorkspaceFile } from '../../agent/agent.js';
import { TreeReader } from '../../files/tree/tree-reader.service.js';
import { Principal } from '../../platform/auth/principal.js';
import { Database, pipelined, type Tx } from '../../platform/database/database.js';
import { CardResponse, CompletenessResponse } from '../../projects/canvas/canvas.dto.js';
import { CanvasService } from '../../projects/canvas/canvas.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { MountsService } from '../../skills/mounts.service.js';
import { WorkspaceChangesService } from '../conversations/workspace-changes.service.js';
import type { Message } from '../messages/message.entity.js';
import { spenderOf } from './turn.entity.js';
import { endedWithProject, type HeldTurn } from './turns.service.js';

/** Messages that the agent is given, from the newest back. */
const MOST_MESSAGES = 200;
/** Bytes of earlier messages with all that they hold, from the newest back: large results stay out of the process's memory. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Entries of the workspace that the agent is shown without asking. */
const MOST_ENTRIES = 100;

/** Gathers what a turn gives the agent. */
@Injectable()
export class TurnContexts {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly canvas: CanvasService,
    private readonly mounts: MountsService,
    private readonly files: TreeReader,
    private readonly changes: WorkspaceChangesService,
  ) {}

  /** @throws LeaseLost when the project was deleted. */
  async build(turn: HeldTurn, signal: AbortSignal): Promise<AgentContext> {
    const { id, company_id, project_id, conversation_id } = turn;
    const [project, messages, changes, cards] = await this.database.together((tx) =>
      pipelined(
        this.projects.require(company_id, project_id, tx).catch(endedWithProject),
        this.messages(tx, conversation_id, id),
        this.changes.of(tx, id),
        this.canvas.list(project_id, tx),
      ),
    );
    const workspace = { company_id, container_id: project.workspace_id };
    const [configuration, top] = await Promise.all([
      this.mounts.mount(project),
      this.files.list(workspace, '', { recursive: false, limit: MOST_ENTRIES, offset: 0 }),
    ]);
    const references = messages.flatMap(({ to_answer, file_ids }) => (to_answer ? file_ids : []));
    const attached = references.length === 0 ? [] : await this.files.findAll(workspace, references);
    return {
      turn_id: id,
      project_id,
      messages,
      workspace: { directories: top.directories, files: top.files.map(toWorkspaceFile), total: top.total },
      attachments: new Map(Array.from(attached, ([reference, file]) => [reference, toWorkspaceFile(file)])),
      changes,
      cards: cards.map((card) => CardResponse.from(card)),
      checklist: CompletenessResponse.from(project),
      configuration,
      principal: Principal.agent(company_id),
      spender: spenderOf(turn),
      signal,
    };
  }

  /** Without messages that wait for the next turn. */
  private async messages(tx: Tx, conversation_id: string, turn_id: string): Promise<AgentMessage[]> {
    type Row = Pick<
      Message,
      'role' | 'content' | 'user_name' | 'tool_calls' | 'answer' | 'file_ids' | 'context' | 'turn_id'
    >;
    const rows: Row[] = await tx.query(
      `SELECT role, content, coalesce(user_name, api_key_name) AS user_name, tool_calls, answer, file_ids, context, turn_id
         FROM (SELECT *, sum(octet_length(concat(tool_calls, answer, file_ids, context)) + octet_length(content))
                           FILTER (WHERE turn_id <> $2) OVER (ORDER BY sequence DESC) AS bytes
                 FROM (SELECT * FROM messages WHERE conversation_id = $1 AND turn_id IS NOT NULL
                        ORDER BY sequence DESC LIMIT ${MOST_MESSAGES}) newest) counted
        WHERE turn_id = $2 OR bytes <= ${MOST_BYTES}
        ORDER BY sequence DESC`,
      [conversation_id, turn_id],
    );
    return rows.reverse().map(({ tool_calls, file_ids, context, turn_id: answering, ...message }) => ({
      ...message,
      tool_calls: tool_calls ?? [],
      file_ids: file_ids ?? [],
      context: context ?? [],
      to_answer: message.role === 'user' && answering === turn_id,
    }));
  }
}

const toWorkspaceFile = ({ path, size }: WorkspaceFile): WorkspaceFile => ({ path, size });
