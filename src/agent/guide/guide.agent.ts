import { setImmediate as breathe } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Agent, type AgentContext, type AgentEvent, type AgentMessage } from '../agent.js';
import { ASK_USER_QUESTION, type QuestionAnswer, questionsOf } from '../ask-user-question.js';
import { type ChecklistItem, readChecklist } from './checklist.js';

const SHOWN_ENTRIES = 10;

/**
 * The agent that needs neither key nor network: rules alone, and it says so.
 *
 * It reports what the turn has mounted and what the checklist misses, and asks for the next point that nobody has
 * answered in the conversation yet.
 */
@Injectable()
export class GuideAgent extends Agent {
  constructor(private readonly config: Config) {
    super();
  }

  async *run(context: AgentContext): AsyncGenerator<AgentEvent> {
    const items = readChecklist(context.checklist);
    const answers = answersIn(context.messages);
    const next = items.find(({ key, met }) => !met && !answers.has(key));
    const paragraphs = [
      'I am the rule-based guide: I follow fixed rules, no language model reads what you write.',
      describeMount(context),
      describeWorkspace(context),
      ...describeChanges(context),
      ...describeUnknownFiles(context),
      ...describeAnswer(context.messages),
      describeChecklist(items),
      describeNext(items, answers, next),
    ];
    for (const [index, paragraph] of paragraphs.entries()) {
      yield { type: 'text', text: index === 0 ? paragraph : `\n\n${paragraph}` };
      // Between two events the other work of the process goes on.
      await breathe();
    }
    if (next !== undefined) {
      const id = `ask-${context.turn_id}`;
      yield { type: 'tool_started', id, tool: ASK_USER_QUESTION, input: { questions: [next.question] } };
      yield { type: 'tool_completed', id, result: null };
    }
    yield { type: 'usage', credits: this.config.PRICE_GUIDE_TURN };
  }
}

/** What the conversation's questions were answered, by the id of the question. */
function answersIn(messages: AgentMessage[]): Map<string, string> {
  const answers = new Map<string, string>();
  for (const call of messages.flatMap(({ tool_calls }) => tool_calls)) {
    if (call.result === null || call.status !== 'completed') continue;
    const { selections = {}, other_text } = call.result as QuestionAnswer;
    questionsOf(call).forEach(({ id }, index) => {
      const text = [selections[index] ?? [], other_text ?? []].flat().join(', ');
      if (id !== undefined && text !== '') answers.set(id, text);
    });
  }
  return answers;
}

function describeMount({ configuration: { instructions, skills } }: AgentContext): string {
  const guidance =
    instructions === null
      ? 'No instructions are mounted'
      : `Instructions are mounted (AGENTS.md, ${instructions.length} characters)`;
  const names = skills.map(({ name, scope }) => `\`${name}\` (${scope})`);
  return `${guidance}, and ${names.length === 0 ? 'no skills' : `${counted(names.length, 'skill')}: ${names.join(', ')}`}.`;
}

function describeWorkspace({ workspace: { directories, files, total } }: AgentContext): string {
  const names = [...directories.map((path) => `\`${path}/\``), ...files.map(({ path }) => `\`${path}\``)];
  const shown = names.slice(0, SHOWN_ENTRIES).join(', ');
  const more = total > SHOWN_ENTRIES ? ` and ${total - SHOWN_ENTRIES} more` : '';
  return total === 0 ? 'The workspace is empty.' : `At the top of the workspace: ${shown}${more}.`;
}

function describeUnknownFiles({ messages, attachments }: AgentContext): string[] {
  const named = messages.flatMap(({ to_answer, file_ids }) => (to_answer ? file_ids : []));
  const unknown = named.filter((reference) => !attachments.has(reference));
  if (unknown.length === 0) return [];
  const shown = unknown.slice(0, SHOWN_ENTRIES).map((reference) => `\`${reference}\``);
  const more = unknown.length > SHOWN_ENTRIES ? ` and ${unknown.length - SHOWN_ENTRIES} more` : '';
  return [`Your message names files that are not in the workspace: ${shown.join(', ')}${more}.`];
}

function describeChanges({ changes }: AgentContext): string[] {
  if (changes.length === 0) return [];
  return [`Files since my last answer: ${changes.map(({ kind, path }) => `${kind} \`${path}\``).join(', ')}.`];
}

function describeAnswer(messages: AgentMessage[]): string[] {
  const chosen = messages
    .filter(({ to_answer }) => to_answer)
    .flatMap(({ answer }) =>
      answer === null ? [] : [Object.values(answer.selections ?? {}), answer.other_text ?? []].flat(2),
    );
  return chosen.length === 0 ? [] : [`Your answer is noted in this conversation: ${chosen.join(', ')}.`];
}

function describeChecklist(items: ChecklistItem[]): string {
  const lines = items.map(({ met, statement }) => `- [${met ? 'x' : ' '}] ${statement}`);
  return [`Checklist, ${items.filter(({ met }) => met).length} of ${items.length} met:`, ...lines].join('\n');
}

function describeNext(items: ChecklistItem[], answers: Map<string, string>, next: ChecklistItem | undefined): string {
  if (next !== undefined) return `Next missing point: ${lowerFirst(next.statement)}.`;
  const open = items.filter(({ met }) => !met);
  if (open.length === 0) return 'Nothing is missing.';
  const noted = open.map(({ question: { header }, key }) => `${header}: ${answers.get(key)}`);
  return `You have answered every missing point (${noted.join('; ')}). The checklist itself follows the cards on the canvas, which I do not write.`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
