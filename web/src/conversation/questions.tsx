import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { type ReactNode, useState } from 'react';
import classes from './conversation.module.css';

interface Question {
  question: string;
  options: { label: string; description?: string }[];
  multi_select?: boolean;
}

type Answer = Schemas['AskUserQuestionAnswer'];
/** Selected labels by question index. */
type Selections = Record<number, string[]>;

const ASK_TOOL = 'ask_user_question';

/** Returns the questions in a call. Returns an empty list if the call does not ask any. */
export function questionsOf(call: { tool?: string | null; input?: unknown }): Question[] {
  if (call.tool !== ASK_TOOL) return [];
  const { questions } = (call.input ?? {}) as { questions?: unknown };
  return Array.isArray(questions) && questions.every(isQuestion) ? questions : [];
}

function isQuestion(value: unknown): value is Question {
  const { question, options } = (value ?? {}) as Partial<Record<keyof Question, unknown>>;
  return (
    typeof question === 'string' &&
    Array.isArray(options) &&
    options.every((option) => typeof (option as { label?: unknown } | null)?.label === 'string')
  );
}

interface QuestionsProps {
  questions: Question[];
  /** Null until the question is answered. */
  answer: Answer | null;
  /** Undefined if the question cannot be answered now. */
  onAnswer: ((answer: Answer) => void) | undefined;
  isSending: boolean;
}

/** Shows the agent's questions. A single choice is sent on click. Multiple choices are sent together with a button. */
export function Questions({ questions, answer, onAnswer, isSending }: QuestionsProps) {
  const [selections, setSelections] = useState<Selections>({});
  const [single] = questions;
  if (answer !== null || onAnswer === undefined) return <AnsweredQuestions questions={questions} answer={answer} />;
  if (questions.length === 1 && single !== undefined && single.multi_select !== true)
    return (
      <fieldset className={classes.question}>
        <legend>{withCode(single.question)}</legend>
        <Group gap="xs">
          {single.options.map(({ label, description }) => (
            <Button
              key={label}
              variant="default"
              size="xs"
              fz="sm"
              className={classes.option}
              classNames={{ label: classes.optionLabel ?? '' }}
              title={description}
              disabled={isSending}
              onClick={() => onAnswer({ selections: { '0': label } })}
            >
              {label}
            </Button>
          ))}
        </Group>
        <Descriptions options={single.options} />
      </fieldset>
    );
  const choose = (index: number, labels: string[]) => setSelections({ ...selections, [index]: labels });
  const isComplete = questions.every((_, index) => (selections[index]?.length ?? 0) > 0);
  return (
    <Stack gap="sm">
      {questions.map(({ question, options, multi_select }, index) => {
        const labels = selections[index] ?? [];
        const toggle = (label: string) =>
          labels.includes(label) ? labels.filter((other) => other !== label) : [...labels, label];
        return (
          <fieldset key={index} className={classes.question} disabled={isSending}>
            <legend>{withCode(question)}</legend>
            <Stack gap={6}>
              {options.map(({ label, description }) => {
                const option = { label, description, checked: labels.includes(label) };
                return multi_select === true ? (
                  <Checkbox key={label} {...option} onChange={() => choose(index, toggle(label))} />
                ) : (
                  <Radio key={label} {...option} onChange={() => choose(index, [label])} />
                );
              })}
            </Stack>
          </fieldset>
        );
      })}
      <Group>
        <Button
          size="xs"
          fz="sm"
          disabled={!isComplete}
          loading={isSending}
          onClick={() => onAnswer({ selections: selectionsOf(questions, selections) })}
        >
          Answer
        </Button>
      </Group>
    </Stack>
  );
}

/** Returns the chosen labels for all questions in a call, followed by the free text. */
export const answerInWords = ({ selections, other_text }: Answer): string =>
  [...Object.values(selections ?? {}).flat(), other_text ?? ''].filter((part) => part !== '').join(', ');

/** Shows text in backticks as code. Other markup is ignored. */
const withCode = (text: string): ReactNode[] =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

/** Returns the chosen label for a single-choice question, or all chosen labels for other questions. */
function selectionsOf(questions: Question[], selections: Selections): NonNullable<Answer['selections']> {
  return Object.fromEntries(
    questions.map(({ multi_select }, index) => {
      const labels = selections[index] ?? [];
      return [String(index), multi_select === true ? labels : (labels[0] ?? '')];
    }),
  );
}

function Descriptions({ options }: { options: Question['options'] }) {
  const described = options.filter(
    ({ label, description = '' }) => description !== '' && description.toLowerCase() !== label.toLowerCase(),
  );
  return described.length === 0 ? null : (
    <dl className={classes.descriptions}>
      {described.map(({ label, description }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  );
}

function AnsweredQuestions({ questions, answer }: { questions: Question[]; answer: Answer | null }) {
  return (
    <Stack gap={4}>
      {questions.map(({ question }, index) => (
        <div key={index}>
          <Text size="sm">{withCode(question)}</Text>
          {answer !== null && (
            <Text size="sm" c="dimmed">
              Answer: {[answer.selections?.[String(index)] ?? []].flat().join(', ') || answer.other_text || '–'}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
