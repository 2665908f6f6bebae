import { Button, Center, Code, Container, Group, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import type { Schemas } from '@project-workspace/client';
import { type DragEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { droppedFiles } from '../files/uploads/dropped-files';
import { Failure } from '../service/failure';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';
import { useAttachments } from './attachments';
import { Composer } from './composer';
import classes from './conversation.module.css';
import { EXAMPLE } from './example';
import { answerIn, hasOpenQuestion, hasQuestions, Message } from './message';
import { type LiveConversation, useConversation, useEarlierMessages } from './use-conversation';
import { usePosting } from './use-posting';

/** Maximum distance from the end, in pixels, at which the list still follows new messages. */
const END_THRESHOLD = 40;
/**
 * Time in milliseconds after a click or key press. If the list grows within this time, the user has probably expanded
 * something.
 */
const INTERACTION_MS = 500;

/** A project's live conversation with the agent. */
export function ConversationView({ projectId, mayWrite }: { projectId: string; mayWrite: boolean }) {
  const { client } = useService();
  const conversation = useConversation(projectId);
  const { attachments, add, remove, clear } = useAttachments(projectId);
  const [isDragOver, setDragOver] = useState(false);
  const posting = usePosting(projectId);
  /** Ids of messages whose turns were stopped in this tab. */
  const [stopped, setStopped] = useSessionStorage<string[]>({
    key: `stopped in ${projectId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const stop = useIntent({
    mutationFn: async ({ turn_id }: { turn_id: string | undefined; message_id: string | undefined }) =>
      await client.conversation(projectId).stop(turn_id === undefined ? {} : { turn_id }),
    onSuccess: (answer, { message_id }) => {
      if (answer.stopped && message_id !== undefined) setStopped((ids) => [...ids, message_id]);
    },
  });
  const send = async (content: string): Promise<boolean> => {
    const paths = attachments.flatMap(({ isDone, path }) => (isDone && path !== undefined ? [path] : []));
    const isPosted = await posting.send(content, paths);
    if (isPosted) clear();
    return isPosted;
  };
  const isActive = conversation.turn !== undefined && conversation.turn.state !== 'idle';
  const acceptsFiles = (event: DragEvent): boolean => mayWrite && event.dataTransfer.types.includes('Files');

  return (
    <div
      className={classes.conversation}
      data-over={isDragOver || undefined}
      onDragOver={(event) => {
        if (!acceptsFiles(event)) return;
        event.preventDefault();
        setDragOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setDragOver(false);
      }}
      onDrop={(event) => {
        setDragOver(false);
        if (!acceptsFiles(event)) return;
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then((files) => add(files.map(({ file }) => file)));
      }}
    >
      <Messages
        projectId={projectId}
        conversation={conversation}
        onAnswer={mayWrite && !isActive ? posting.answer : undefined}
        postedCount={posting.postedCount}
        stopped={stopped}
        isSending={posting.isPending}
        onExample={posting.sendExample}
        mayWrite={mayWrite}
      />
      <Container size="md" w="100%" pb="md" pt={4}>
        <Stack gap="xs">
          <State conversation={conversation} />
          {posting.error !== null && (
            <Failure
              title={
                posting.isUncertain
                  ? 'The message may not have been sent. You can safely send it again.'
                  : 'Could not send the message'
              }
              error={posting.error}
            />
          )}
          {stop.error !== null && <Failure title="Could not stop the agent" error={stop.error} />}
          {mayWrite && (
            <Composer
              projectId={projectId}
              attachments={attachments}
              onFiles={add}
              onRemove={remove}
              onSend={send}
              isSending={posting.isPending}
              onStop={isActive ? () => stop.mutate(turnOf(conversation)) : undefined}
              isStopping={stop.isPending}
            />
          )}
        </Stack>
      </Container>
    </div>
  );
}

/** Returns the ids of the active turn and of the message that it writes. */
const turnOf = ({ turn }: LiveConversation) => ({
  turn_id: turn?.turn_id ?? undefined,
  message_id: turn?.message_id ?? undefined,
});

/** Shows the state of the conversation: an active turn, a lost connection, or an error that prevents following it. */
function State({ conversation: { turn, isInterrupted, error, retry, messages } }: { conversation: LiveConversation }) {
  if (error !== null && messages !== undefined)
    return <Failure title="Live updates have stopped" error={error} onRetry={retry} />;
  const statusText = isInterrupted
    ? 'Connection lost. Reconnecting…'
    : turn?.state === 'dispatched'
      ? 'The agent is about to answer'
      : turn?.state === 'streaming'
        ? 'The agent is answering'
        : '';
  return (
    <Group gap="xs" role="status" mih={20}>
      {statusText !== '' && <Loader size={12} aria-hidden="true" />}
      <Text size="xs" c="dimmed">
        {statusText}
      </Text>
    </Group>
  );
}

interface MessagesProps {
  projectId: string;
  conversation: LiveConversation;
  /** Answers the question in a message. */
  onAnswer: ((messageId: string, answer: Schemas['AskUserQuestionAnswer']) => void) | undefined;
  /** Number of messages posted in this tab. A change scrolls to the end. */
  postedCount: number;
  /** Ids of messages whose turns were stopped in this tab. */
  stopped: readonly string[];
  isSending: boolean;
  /** Posts a complete model for the agent to solve. */
  onExample: () => void;
  mayWrite: boolean;
}

function Messages({
  projectId,
  conversation,
  onAnswer,
  postedCount,
  stopped,
  isSending,
  onExample,
  mayWrite,
}: MessagesProps) {
  const { all, hasEarlier, readEarlier, isLoading, error } = useEarlierMessages(projectId, conversation.messages ?? []);
  const list = useRef<VListHandle>(null);
  const isAtEnd = useRef(true);
  /** Whether the end of the list is out of view. */
  const [isEndHidden, setEndHidden] = useState(false);
  const lastScroll = useRef({ offset: 0, viewport: 0, size: 0 });
  /** Time of the user's last interaction with the list. */
  const lastInteraction = useRef(-Infinity);
  const firstSequence = useRef(Infinity);
  const first = all[0]?.sequence ?? Infinity;
  // Prepending earlier messages must not move the visible messages.
  const isPrepended = first < firstSequence.current && firstSequence.current !== Infinity;
  const last = all.length - 1;

  /** Scrolls to the end if the user was already there. */
  const stickToEnd = (): void => {
    if (isAtEnd.current && last >= 0) list.current?.scrollToIndex(last + 1, { align: 'end' });
  };
  useLayoutEffect(() => {
    firstSequence.current = first;
    stickToEnd();
  });
  const scrollToEnd = (): void => {
    isAtEnd.current = true;
    stickToEnd();
  };
  const onPosted = useEffectEvent(scrollToEnd);
  useEffect(() => {
    if (postedCount > 0) onPosted();
  }, [postedCount]);
  const box = useRef<HTMLDivElement>(null);
  const recordInteraction = (): void => {
    lastInteraction.current = performance.now();
  };
  const hasMessages = all.length > 0;
  const onReflow = useEffectEvent(stickToEnd);
  useEffect(() => {
    const content = box.current?.firstElementChild?.firstElementChild;
    if (!content) return undefined;
    const observer = new ResizeObserver(() => {
      // If the user has expanded something in a message, the message stays in place.
      if (performance.now() - lastInteraction.current > INTERACTION_MS) onReflow();
    });
    observer.observe(content);
    return () => observer.disconnect();
  }, [hasMessages]);

  if (conversation.messages === undefined)
    return (
      <Center className={classes.messages} role="status">
        {conversation.error === null ? (
          <>
            <Loader size="sm" />
            <VisuallyHidden>Loading the conversation</VisuallyHidden>
          </>
        ) : (
          <Failure title="Could not load the conversation" error={conversation.error} onRetry={conversation.retry} />
        )}
      </Center>
    );
  if (all.length === 0)
    return (
      <Container size="md" w="100%" className={classes.messages}>
        <Stack gap="xs" py="xl" maw={560}>
          <Text fw={550}>{mayWrite ? 'Start here' : 'No messages yet'}</Text>
          <Text size="sm" c="dimmed">
            {mayWrite
              ? 'Write your goal, your decisions and your limits, each on its own line. The agent asks for anything that is missing. You can also drop tables here.'
              : 'Messages appear here once an editor starts the conversation.'}
          </Text>
          {mayWrite && (
            <Code block aria-label="Example">
              {EXAMPLE}
            </Code>
          )}
          {mayWrite && (
            <Group>
              <Button variant="default" size="xs" fz="sm" loading={isSending} onClick={onExample}>
                Solve an example
              </Button>
            </Group>
          )}
        </Stack>
      </Container>
    );
  // The newest question can be answered until the agent asks another question.
  const questionMessage = all.findLast(hasQuestions);
  return (
    <div ref={box} className={classes.box} onPointerDown={recordInteraction} onKeyDown={recordInteraction}>
      <VList
        ref={list}
        shift={isPrepended}
        className={classes.messages}
        role="group"
        aria-label="Conversation"
        tabIndex={0}
        onResize={stickToEnd}
        onScroll={(offset) => {
          const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
          const distanceToEnd = scrollSize - viewportSize - offset;
          const { current: last } = lastScroll;
          lastScroll.current = { offset, viewport: viewportSize, size: scrollSize };
          setEndHidden(distanceToEnd > END_THRESHOLD);
          // The viewport has been resized, so the user has not scrolled.
          if (viewportSize !== last.viewport) return;
          // When the user scrolls up, the list no longer follows the end. Messages that grow or shrink do not count as
          // scrolling.
          if (distanceToEnd < 2) isAtEnd.current = true;
          else if (offset < last.offset && scrollSize >= last.size) isAtEnd.current = false;
          else if (distanceToEnd < END_THRESHOLD) isAtEnd.current = true;
        }}
      >
        <Container key="earlier" size="md" py={4}>
          {error !== null && (
            <Failure title="Could not load earlier messages" error={error} onRetry={() => void readEarlier()} />
          )}
          {hasEarlier && error === null && (
            <Button variant="subtle" size="compact-sm" loading={isLoading} onClick={() => void readEarlier()}>
              Show earlier messages
            </Button>
          )}
        </Container>
        {all.map((message, index) => (
          <Container key={message.id} size="md">
            <Message
              message={message}
              onAnswer={
                message === questionMessage && hasOpenQuestion(message) && onAnswer !== undefined
                  ? (answer) => onAnswer(message.id, answer)
                  : undefined
              }
              isSending={isSending}
              isStopped={stopped.includes(message.id)}
              answer={answerIn(all, index)}
            />
          </Container>
        ))}
      </VList>
      {isEndHidden && (
        <Button variant="default" size="compact-sm" className={classes.toEnd} onClick={scrollToEnd}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}
