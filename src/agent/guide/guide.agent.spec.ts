import { describe, expect, it } from '@jest/globals';
import { Config } from '../../config/config.js';
import { Principal } from '../../platform/auth/principal.js';
import type { MountedSkill } from '../../skills/skill.js';
import type { AgentContext, AgentEvent, AgentMessage } from '../agent.js';
import { ASK_USER_QUESTION, type Question, type QuestionAnswer } from '../ask-user-question.js';
import { readChecklist } from './checklist.js';
import { GuideAgent } from './guide.agent.js';

const NOTHING_MET: AgentContext['checklist'] = {
  all_constraints_classified: false,
  all_variables_provided: false,
  data_available: false,
  kpis_defined: false,
  objective_drafted: false,
  objectives_defined: false,
  production_requirements_defined: false,
  feasibility_result: 'unchecked',
  overall: 'incomplete',
};
const ALL_MET = {
  ...Object.fromEntries(Object.keys(NOTHING_MET).map((key) => [key, true])),
  feasibility_result: 'pass',
  overall: 'complete',
} as AgentContext['checklist'];

const skill = (name: string, scope: MountedSkill['scope']): MountedSkill => ({
  name,
  scope,
  description: '',
  files: new Map(),
  shadows: false,
});

const message = (overrides: Partial<AgentMessage>): AgentMessage => ({
  role: 'user',
  content: '',
  user_name: 'Ada',
  tool_calls: [],
  answer: null,
  file_ids: [],
  context: [],
  to_answer: false,
  ...overrides,
});

async function run(overrides: Partial<AgentContext> = {}): Promise<AgentEvent[]> {
  const context: AgentContext = {
    turn_id: 'turn',
    project_id: 'project',
    messages: [message({ content: 'Hello', to_answer: true })],
    workspace: { directories: [], files: [], total: 0 },
    attachments: new Map(),
    changes: [],
    cards: [],
    checklist: NOTHING_MET,
    configuration: { instructions: null, skills: [] },
    principal: Principal.agent('c'),
    spender: { user_id: 'u', api_key_id: null },
    signal: new AbortController().signal,
    ...overrides,
  };
  const events: AgentEvent[] = [];
  for await (const event of new GuideAgent(new Config()).run(context)) events.push(event);
  return events;
}

const said = (events: AgentEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

function question(events: AgentEvent[]): Question | undefined {
  const start = events.find((event) => event.type === 'tool_started');
  return start?.type === 'tool_started' ? (start.input['questions'] as Question[])[0] : undefined;
}

/** The agent's message that asked for an item, with what was answered. */
const asked = (asking: Question, result: QuestionAnswer | null): AgentMessage =>
  message({
    role: 'assistant',
    tool_calls: [
      {
        id: asking.id ?? '',
        tool: ASK_USER_QUESTION,
        status: 'completed',
        input: { questions: [asking] },
        result,
        started_at: '2026-03-01T10:00:00.000Z',
      },
    ],
  });

describe('GuideAgent', () => {
  it('says what it is and what is mounted', async () => {
    const text = said(
      await run({
        configuration: { instructions: '# Ask\n', skills: [skill('shifts', 'deployment'), skill('demand', 'project')] },
      }),
    );
    expect(text).toContain('rule-based');
    expect(text).toContain('AGENTS.md, 6 characters');
    expect(text).toContain('2 skills: `shifts` (deployment), `demand` (project)');
    expect(said(await run())).toContain('No instructions are mounted, and no skills');
  });

  it('reports the checklist', async () => {
    const text = said(await run({ checklist: { ...NOTHING_MET, kpis_defined: true } }));
    expect(text).toContain('Checklist, 1 of 8 met:');
    expect(text).toContain('- [x] The figures that judge a plan are defined');
    expect(text).toContain('- [ ] The data is available');
  });

  it('asks for the first missing item, in a call that stays open', async () => {
    const events = await run({ checklist: { ...NOTHING_MET, objective_drafted: true } });
    expect(question(events)).toMatchObject({ id: 'objectives_defined', header: 'Objectives' });
    expect(events.slice(-3)).toMatchObject([
      { type: 'tool_started', id: 'ask-turn', tool: ASK_USER_QUESTION },
      { type: 'tool_completed', id: 'ask-turn', result: null },
      { type: 'usage', credits: 0.01 },
    ]);
  });

  it('notes the answer and goes on to the next item', async () => {
    const [first, second] = readChecklist(NOTHING_MET);
    const answer: QuestionAnswer = { selections: { '0': ['Lowest cost'] }, other_text: 'on time' };
    const events = await run({
      messages: [asked(first!.question, answer), message({ answer, to_answer: true })],
    });
    expect(said(events)).toContain('Your answer is noted in this conversation: Lowest cost, on time.');
    expect(question(events)).toEqual(second!.question);
  });

  it('asks again what was left open', async () => {
    const [first] = readChecklist(NOTHING_MET);
    expect(question(await run({ messages: [asked(first!.question, null)] }))).toEqual(first!.question);
  });

  it('says so when every missing item was answered, and when nothing is missing', async () => {
    const answers = readChecklist(NOTHING_MET).map(({ question: asking }) =>
      asked(asking, { selections: { '0': asking.options[0]!.label } }),
    );
    const answered = await run({ messages: answers });
    expect(said(answered)).toContain('You have answered every missing point (Objective: Lowest cost;');
    const met = await run({ checklist: ALL_MET });
    expect(said(met)).toContain('Checklist, 8 of 8 met:');
    expect(said(met)).toContain('Nothing is missing.');
    for (const events of [answered, met]) expect(question(events)).toBeUndefined();
  });

  it('names the files that came and went', async () => {
    const text = said(
      await run({
        changes: [
          { kind: 'uploaded', path: 'a.csv' },
          { kind: 'deleted', path: 'b.csv' },
        ],
      }),
    );
    expect(text).toContain('Files since my last answer: uploaded `a.csv`, deleted `b.csv`.');
  });

  it('shows the top of the workspace', async () => {
    const workspace = { directories: ['inputs'], files: [{ path: 'a.csv', size: 3 }], total: 12 };
    expect(said(await run({ workspace }))).toContain('At the top of the workspace: `inputs/`, `a.csv` and 2 more.');
    expect(said(await run())).toContain('The workspace is empty.');
  });

  it('reports files of the message that are not there', async () => {
    const messages = [message({ to_answer: true, file_ids: ['a.csv', 'gone'] })];
    const attachments = new Map([['a.csv', { path: 'a.csv', size: 3 }]]);
    expect(said(await run({ messages, attachments }))).toContain('not in the workspace: `gone`.');
  });
});
