import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ChatMessage, Schemas } from '@project-workspace/client';
import { memo } from 'react';
import { RelativeTime } from '../frame/relative-time';
import classes from './conversation.module.css';
import { Markdown } from './markdown';
import { answerInWords, Questions, questionsOf } from './questions';
import { ToolCall } from './tool-call';

type Segment = Schemas['ContentSegmentData'];
type Answer = Schemas['AskUserQuestionAnswer'];

interface MessageProps {
  message: ChatMessage;
  /** Answers the open question in this message. Undefined if the message cannot be answered now. */
  onAnswer: ((answer: Answer) => void) | undefined;
  isSending: boolean;
  /** Whether this message's turn was stopped in this tab. */
  isStopped: boolean;
  /** Answer that the user gave with a button. */
  answer: string | undefined;
}

/** Message in a conversation. Unchanged messages are not rendered again. */
export const Message = memo(function Message({ message, onAnswer, isSending, isStopped, answer }: MessageProps) {
  const { role, created_at, file_ids } = message;
  return (
    <article
      className={classes.message}
      data-own={role === 'user' || undefined}
      aria-label={`Message from ${authorOf(message)}`}
    >
      <Group gap="xs" mb={2}>
        <Text size="xs" fw={600}>
          {authorOf(message)}
        </Text>
        <Text size="xs" c="dimmed">
          <RelativeTime moment={created_at} />
        </Text>
      </Group>
      <Stack gap="xs">
        {segmentsOf(message, answer).map((segment, index) => (
          <SegmentView
            key={segment.id ?? index}
            segment={segment}
            isPlain={role === 'user'}
            onAnswer={onAnswer}
            isSending={isSending}
          />
        ))}
        {file_ids != null && file_ids.length > 0 && (
          <Group gap={6}>
            {file_ids.map((file) => (
              <Badge key={file} variant="default" size="md" fw={450} maw="100%" title={file}>
                {file}
              </Badge>
            ))}
          </Group>
        )}
        {isStopped && (
          <Text size="sm" c="dimmed">
            Stopped by you
          </Text>
        )}
      </Stack>
    </article>
  );
});

function SegmentView({
  segment,
  isPlain,
  onAnswer,
  isSending,
}: Omit<MessageProps, 'message' | 'isStopped' | 'answer'> & { segment: Segment; isPlain: boolean }) {
  if (segment.type === 'text') {
    const { content } = segment;
    if (content == null || content === '') return null;
    return isPlain ? (
      <Text className={classes.plain} dir="auto">
        {content}
      </Text>
    ) : (
      <Markdown text={content} />
    );
  }
  const questions = questionsOf(segment);
  if (questions.length === 0) return <ToolCall call={segment} />;
  const answer = segment.result ?? null;
  return <Questions questions={questions} answer={answer} onAnswer={onAnswer} isSending={isSending} />;
}

/** Returns the text and tool calls in a message, in order. Older messages have only text. */
function segmentsOf({ content, content_segments }: ChatMessage, answer: string | undefined): Segment[] {
  if (content_segments != null && content_segments.length > 0) return content_segments;
  const text = content === '' ? answer : content;
  return text === undefined ? [] : [{ type: 'text', content: text }];
}

/** Returns the answer that a message without text contains: the labels chosen for the previous question. */
export function answerIn(messages: readonly ChatMessage[], index: number): string | undefined {
  const { role, content, file_ids } = messages[index] ?? {};
  if (role !== 'user' || content !== '' || (file_ids ?? []).length > 0) return undefined;
  const questionMessage = messages.slice(0, index).findLast(hasQuestions);
  const answers = questionMessage?.content_segments?.flatMap((segment) =>
    questionsOf(segment).length > 0 && segment.result != null ? [answerInWords(segment.result)] : [],
  );
  return answers?.join(', ') || '(answered a question)';
}

/** Whether an agent message asks questions, whether or not they were answered. */
export const hasQuestions = ({ content_segments }: ChatMessage): boolean =>
  content_segments?.some((segment) => segment.type === 'tool_call' && questionsOf(segment).length > 0) ?? false;

/** Whether an agent message has a question that can still be answered. */
export const hasOpenQuestion = ({ content_segments }: ChatMessage): boolean =>
  content_segments?.some(
    (segment) =>
      segment.type === 'tool_call' &&
      segment.result == null &&
      segment.status === 'completed' &&
      questionsOf(segment).length > 0,
  ) ?? false;

function authorOf({ role, user_name, api_key_name }: ChatMessage): string {
  if (role === 'assistant') return 'Agent';
  if (role === 'system') return 'System';
  return user_name ?? api_key_name ?? 'Unknown user';
}
