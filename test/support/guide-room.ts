import { expect } from '@jest/globals';
import { z } from 'zod';
import type { ProjectId } from '../../src/database/checked-id.js';
import { Config } from '../../src/config/config.js';
import { Principal } from '../../src/auth/principal.js';
import { type Highs, loadSolver } from '../../packages/solver/highs.js';
import { readCanvas } from '../../packages/canvas/model/canvas-reader.js';
import { type Model, ModelProblem } from '../../packages/solver/model.js';
import type { CardResponse, CompletenessResponse } from '../../src/projects/canvas/canvas.dto.js';
import { type FileStates, NO_FILES } from '../../packages/canvas/data-file.js';
import { derive, judge } from '../../packages/canvas/derivation.js';
import { modelDigest } from '../../packages/canvas/model-digest.js';
import type { AgentContext, AgentEvent, AgentMessage } from '../../src/agent/agent.js';
import {
  ASK_USER_QUESTION,
  type Question,
  type QuestionAnswer,
  type ToolCall,
} from '../../packages/conversation/index.js';
import type { RunResult } from '../../packages/guide/index.js';
import { askUserQuestion } from '../../src/agent/tools/question-tools.js';
import { type Tool, ToolFailure } from '../../src/agent/tools/tool.js';
import { ToolboxesService } from '../../src/agent/tools/toolboxes.service.js';
import { GuideAgent } from '../../src/agent/guide.agent.js';
import { solveModel } from './solve-model.js';

/** Access checks that allow everything. */
const NO_LIMITS = { assertReads: () => Promise.resolve(), assertWrites: () => Promise.resolve() };

type Contents = Parameters<typeof derive>[0];

/** Conversation with the guide. Its tools work on a canvas in memory instead of the database. */
export class Room {
  cards: CardResponse[] = [];
  messages: AgentMessage[] = [];
  files: string[] = [];
  /** Cached metadata of the files that cards reference. */
  fileStates: FileStates = NO_FILES;
  feasibility: CompletenessResponse['feasibility_result'] = 'unchecked';
  /** Cards to solve instead of the canvas. */
  snapshot: CardResponse[] | undefined;
  /** Newest run of the canvas. */
  private run: RunResult | undefined;
  private made = 0;

  /** Sends a message and returns the guide's turn. */
  async say(content: string, rest: Partial<AgentMessage> = {}, context: Partial<AgentContext> = {}): Promise<Turn> {
    this.messages = this.messages.map((message) => ({ ...message, to_answer: false }));
    this.messages.push({ ...MESSAGE, content, ...rest });
    const agent = new GuideAgent(new Config(), new ToolboxesService(this.tools(), NO_LIMITS), {
      statesOf: () => Promise.resolve(this.fileStates),
    });
    const turn = new Turn();
    for await (const event of agent.run({ ...this.context(), ...context })) turn.take(event as AgentEvent);
    this.messages.push({ ...MESSAGE, role: 'assistant', content: turn.text, tool_calls: turn.calls, to_answer: false });
    return turn;
  }

  /** Chooses options for the open question. */
  async choose(...labels: string[]): Promise<Turn> {
    return await this.answer({ selections: { '0': labels } });
  }

  async answer(answer: QuestionAnswer): Promise<Turn> {
    const open = this.messages.at(-1)?.tool_calls.at(-1);
    if (open === undefined) throw new Error('There is no question');
    open.result = answer;
    return await this.say('', { answer });
  }

  /** Returns the data of the card with this label. */
  data(label: string): Record<string, unknown> | undefined {
    return this.cards.find((card) => card.label === label)?.data;
  }

  get checklist(): CompletenessResponse {
    const derived = derive(this.cards as unknown as Contents, this.fileStates);
    const flags = Object.values(derived).filter((value) => typeof value === 'boolean');
    const isComplete = flags.every(Boolean) && this.feasibility === 'pass';
    return { ...derived, feasibility_result: this.feasibility, overall: isComplete ? 'complete' : 'incomplete' };
  }

  private context(): AgentContext {
    return {
      turn_id: 'turn',
      project_id: 'project' as ProjectId,
      messages: this.messages,
      workspace: {
        directories: [],
        files: this.files.map((path) => ({ path, size: 1 })),
        total: this.files.length,
      },
      attachments: new Map(),
      changes: [],
      cards: structuredClone(this.cards),
      checklist: this.checklist,
      configuration: { instructions: null, skills: [] },
      principal: Principal.agent('c', { person_id: 'u', sees_all: null, access: 'write', project_ids: null }),
      spender: { user_id: 'u', api_key_id: null },
      signal: new AbortController().signal,
    };
  }

  /** Returns the model to solve, or the problem that prevents the guide from building it. */
  private model(): Model | ModelProblem {
    try {
      return readCanvas((this.snapshot ?? this.cards) as unknown as Contents);
    } catch (error) {
      if (error instanceof ModelProblem) return error;
      throw error;
    }
  }

  private updateJudgements(): void {
    const judgements = judge(this.cards as unknown as Contents, this.fileStates);
    this.cards = this.cards.map((card, index) => ({ ...card, ...judgements[index] }));
  }

  private tools(): Tool[] {
    const put = z.strictObject({
      card_id: z.string().optional(),
      card_type: z.string().optional(),
      label: z.string().min(1).max(200).optional(),
      data: z.record(z.string(), z.unknown()).optional(),
      version: z.int().optional(),
    });
    const digest = () => modelDigest(this.cards as unknown as Contents);
    const changing = (work: () => CardResponse) => {
      const before = digest();
      const { id, version } = work();
      this.updateJudgements();
      if (digest() !== before) this.feasibility = 'unchecked';
      return Promise.resolve({ result: { card_id: id, version } });
    };
    const upsert: Tool<z.infer<typeof put>> = {
      name: 'upsert_card',
      description: '',
      input: put,
      run: async ({ card_id, card_type = '', label = '', data = {}, version }) => {
        const old = this.cards.find(
          (card) =>
            card.id === card_id || (card_id === undefined && card.card_type === card_type && card.label === label),
        );
        if (version !== undefined && old?.version !== version)
          throw new ToolFailure('conflict', 'The card has changed');
        return await changing(() => {
          const merged = Object.entries({ ...old?.data, ...data }).filter(([, value]) => value !== null);
          const card = {
            ...(old ?? { ...CARD, id: `card-${(this.made += 1)}`, card_type, label }),
            ...(label !== '' && { label }),
            data: Object.fromEntries(merged),
            version: (old?.version ?? 0) + 1,
          };
          if (old === undefined) this.cards.push(card);
          else this.cards[this.cards.indexOf(old)] = card;
          return card;
        });
      },
    };
    const remove: Tool<{ card_id: string }> = {
      name: 'remove_card',
      description: '',
      input: z.strictObject({ card_id: z.string() }),
      run: async ({ card_id }) =>
        await changing(() => {
          const [card] = this.cards.splice(
            this.cards.findIndex(({ id }) => id === card_id),
            1,
          );
          if (card === undefined) throw new ToolFailure('not_found', 'There is no such card');
          return card;
        }),
    };
    const list: Tool = {
      name: 'list_files',
      description: '',
      input: z.unknown(),
      run: () => Promise.resolve({ result: { files: this.files.map((path) => ({ path })), next_offset: null } }),
    };
    const solve: Tool = {
      name: 'run_solve',
      description: '',
      input: z.strictObject({}),
      run: async () => {
        const model = this.model();
        const { feasibility: before } = this;
        if (model instanceof ModelProblem) {
          const error = { type: model.code, message: model.message };
          return { result: { execution_id: 'e', status: 'failed', result: null, error, feasibility_result: before } };
        }
        const result = solveModel(await highs, model, 10);
        if (this.snapshot === undefined) this.feasibility = result.status === 'optimal' ? 'pass' : 'fail';
        const { feasibility: feasibility_result } = this;
        const { status: outcome, variables, constraints, ...rest } = result;
        this.run = {
          ...{ execution_id: 'e', status: 'succeeded', ended_at: null, outcome, variables, constraints },
          ...rest,
          is_integer: model.variables.some(({ isInteger, zeroOr }) => isInteger || zeroOr !== undefined),
          changed_since: [],
        };
        return { result: { execution_id: 'e', status: 'succeeded', result, error: null, feasibility_result } };
      },
    };
    const readResult: Tool = {
      name: 'read_result',
      description: '',
      input: z.strictObject({}),
      run: () => Promise.resolve({ result: { run: this.run ?? null } }),
    };
    const readValues: Tool<{ variable: string }> = {
      name: 'read_values',
      description: '',
      input: z.object({ variable: z.string() }),
      run: ({ variable }) => {
        const value = this.run?.variables?.[variable];
        if (value === undefined) throw new ToolFailure('not_found', 'The plan has no such variable');
        return Promise.resolve({
          result: { variable, values: [{ keys: [], value, reduced_cost: null }], count: 1, sum: value, size: 1 },
        });
      },
    };
    const readConstraints: Tool<{ name?: string | undefined; tight?: boolean | undefined }> = {
      name: 'read_constraints',
      description: '',
      input: z.object({ name: z.string().optional(), tight: z.boolean().optional() }),
      run: ({ name, tight }) => {
        const found = (this.run?.constraints ?? []).filter(
          (one) => (name === undefined || one.name === name) && (tight !== true || one.slack <= 1e-6),
        );
        const constraints = found.map(({ dual = null, ...one }) => ({ ...one, keys: '', dual }));
        return Promise.resolve({ result: { constraints, total: constraints.length } });
      },
    };
    return [upsert, remove, list, solve, readResult, readValues, readConstraints, askUserQuestion] as Tool[];
  }
}

/** The guide's messages and actions in a turn. */
export class Turn {
  readonly calls: ToolCall[] = [];
  text = '';
  credits = 0;

  take(event: AgentEvent): void {
    if (event.type === 'text') this.text += event.text;
    if (event.type === 'usage') this.credits += event.credits;
    if (event.type === 'tool_started') {
      const { id, tool, input } = event;
      this.calls.push({ id, tool, input, status: 'running', result: null, started_at: '2026-03-01T10:00:00.000Z' });
      this.text += '\n\n';
    }
    if (event.type === 'tool_completed' || event.type === 'tool_failed') {
      const call = this.calls.find(({ id }) => id === event.id);
      if (call === undefined) throw new Error(`No call ${event.id}`);
      if (event.type === 'tool_failed') Object.assign(call, { status: 'failed', error: event.error });
      else Object.assign(call, { status: 'completed', result: event.result });
    }
  }

  get question(): Question | undefined {
    const call = this.calls.find(({ tool }) => tool === ASK_USER_QUESTION);
    expect(call?.status ?? 'completed').toBe('completed');
    return (call?.input['questions'] as Question[] | undefined)?.[0];
  }
}

export const MESSAGE: AgentMessage = {
  role: 'user',
  content: '',
  user_name: 'Ada',
  tool_calls: [],
  answer: null,
  file_ids: [],
  context: [],
  to_answer: true,
};
const CARD = {
  project_id: 'project' as ProjectId,
  status: 'draft' as const,
  gaps: [],
  created_at: new Date(0),
  updated_at: new Date(0),
  instance_data: {},
};
/** Solver, loaded once. */
export const highs: Promise<Highs> = loadSolver(2048).then((loaded) => loaded.highs);
