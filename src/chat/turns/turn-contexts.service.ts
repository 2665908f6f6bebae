import { Injectable } from '@nestjs/common';
import type { WorkspaceFile } from '../../../packages/conversation/index.js';
import { type AgentContext, type AgentMessage, AskerRefused } from '../../agent/agent.js';
import { TURN_SENTENCES } from '../../agent/turn-sentences.js';
import { assertAskerBudget } from '../../agent/asker-budget.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import { Principal } from '../../auth/principal.js';
import { DatabaseService, pipelined } from '../../database/database.service.js';
import { NotFound } from '../../common/errors/errors.js';
import { CardResponse, CompletenessResponse } from '../../projects/canvas/canvas.dto.js';
import { CardsRepository } from '../../projects/canvas/cards.repository.js';
import { ProjectReader } from '../../projects/project-access.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { EffectiveConfigService } from '../../skills/effective-config.service.js';
import { WorkspaceChangesRepository } from '../conversations/workspace-changes.repository.js';
import { type ContextMessage, MessagesRepository } from '../messages/messages.repository.js';
import { AskersService } from './askers.service.js';
import { leaseLostIfMissing } from './lease-lost-if-missing.js';
import { spenderOf } from './turn.entity.js';
import type { LeasedTurn } from './turns.repository.js';

/** Maximum number of messages shown to the agent. The newest messages have priority. */
const MAX_MESSAGES = 200;
/**
 * Maximum total size of earlier messages with all their data, in bytes. The newest messages have priority. Without this limit,
 * large tool results could fill the process's memory.
 */
const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of workspace changes that a turn reports to the agent. Only the newest are reported. */
const MAX_CHANGES = 100;
/** Maximum number of workspace entries shown to the agent by default. */
const MAX_ENTRIES = 100;

/** Builds the context that the agent receives for a turn. */
@Injectable()
export class TurnContextsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly messages: MessagesRepository,
    private readonly changes: WorkspaceChangesRepository,
    private readonly effectiveConfig: EffectiveConfigService,
    private readonly reader: FileTreeReaderService,
    private readonly askers: AskersService,
  ) {}

  /**
   * @throws LeaseLost if the project was deleted
   * @throws AskerRefused before anything starts, if the asker has lost access or a budget is used up
   */
  async build(turn: LeasedTurn, signal: AbortSignal): Promise<AgentContext> {
    const { id, company_id, project_id, conversation_id } = turn;
    const spender = spenderOf(turn);
    const principal = Principal.agent(company_id, await this.askers.rightsOf(spender));
    const [project, , history, changes, cards, exhausted] = await this.database.together((tx) =>
      pipelined(
        tx.withRepository(this.projects).requireById(project_id).catch(leaseLostIfMissing),
        tx.withRepository(this.projects).require(ProjectReader.of(principal), project_id).catch(lostWithAsker),
        tx.withRepository(this.messages).contextOf(conversation_id, id, { limit: MAX_MESSAGES, bytes: MAX_BYTES }),
        tx.withRepository(this.changes).of(id, MAX_CHANGES),
        tx.withRepository(this.cards).list(project_id),
        this.askers.exhaustedBudget(tx, turn),
      ),
    );
    assertAskerBudget(exhausted);
    const messages = history.map((message) => toAgentMessage(message, id));
    const workspace = { company_id, container_id: project.workspace_id };
    const [configuration, top] = await Promise.all([
      this.effectiveConfig.resolve(project),
      this.reader.list(workspace, '', { recursive: false, limit: MAX_ENTRIES, offset: 0 }),
    ]);
    const references = messages.flatMap(({ to_answer, file_ids }) => (to_answer ? file_ids : []));
    const attached = references.length === 0 ? [] : await this.reader.findAll(workspace, references);
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
      principal,
      spender,
      signal,
    };
  }
}

function lostWithAsker(error: unknown): never {
  throw error instanceof NotFound ? new AskerRefused(TURN_SENTENCES.askerLeft) : error;
}

function toAgentMessage(
  { content_segments, model_steps, file_ids, context, ...message }: ContextMessage,
  turn_id: string,
): AgentMessage {
  const parts = content_segments?.map((segment) => (segment.type === 'text' ? segment.content : segment));
  return {
    ...message,
    tool_calls: parts?.filter((part) => typeof part !== 'string') ?? [],
    ...(parts && { parts }),
    ...(model_steps && { steps: model_steps }),
    file_ids: file_ids ?? [],
    context: context ?? [],
    to_answer: message.role === 'user' && message.turn_id === turn_id,
  };
}

const toWorkspaceFile = ({ path, size }: WorkspaceFile): WorkspaceFile => ({ path, size });
