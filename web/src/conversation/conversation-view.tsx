import { Button, Center, Container, Group, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
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
import { answerIn, hasQuestions, isAsking, Message } from './message';
import { type FollowedConversation, useConversation, useEarlierMessages } from './use-conversation';
import { usePosting } from './use-posting';

/** Distance from the end in pixels within which the list follows new messages. */
const AT_END = 40;
/** Time in milliseconds after a click or key press. Growth within it counts as the user expanding something. */
const TOUCH_MS = 500;

/** Live conversation of a project with the agent. */
export function ConversationView({ projectId, mayWrite }: { projectId: string; mayWrite: boolean }) {
  const { client } = useService();
  const followed = useConversation(projectId);
  const { attachments, add, remove, clear } = useAttachments(projectId);
  const [isOver, setOver] = useState(false);
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
    const isThere = await posting.send(content, paths);
    if (isThere) clear();
    return isThere;
  };
  const isActive = followed.turn !== undefined && followed.turn.state !== 'idle';
  const takesFiles = (event: DragEvent): boolean => mayWrite && event.dataTransfer.types.includes('Files');

  return (
    <div
      className={classes.conversation}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!takesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!takesFiles(event)) return;
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then((given) => add(given.map(({ file }) => file)));
      }}
    >
      <Messages
        projectId={projectId}
        followed={followed}
        onAnswer={mayWrite && !isActive ? posting.answer : undefined}
        posted={posting.posted}
        stopped={stopped}
        isSending={posting.isPending}
        onExample={posting.sendExample}
        mayWrite={mayWrite}
      />
      <Container size="md" w="100%" pb="md" pt={4}>
        <Stack gap="xs">
          <State followed={followed} />
          {posting.error !== null && (
            <Failure
              what={
                posting.isUncertain
                  ? 'The message may not have been sent. You can safely send it again.'
                  : 'Could not send the message'
              }
              error={posting.error}
            />
          )}
          {stop.error !== null && <Failure what="Could not stop the agent" error={stop.error} />}
          {mayWrite && (
            <Composer
              projectId={projectId}
              attachments={attachments}
              onFiles={add}
              onRemove={remove}
              onSend={send}
              isSending={posting.isPending}
              onStop={isActive ? () => stop.mutate(turnOf(followed)) : undefined}
              isStopping={stop.isPending}
            />
          )}
        </Stack>
      </Container>
    </div>
  );
}

/** Returns the active turn and the message that it writes. */
const turnOf = ({ turn }: FollowedConversation) => ({
  turn_id: turn?.turn_id ?? undefined,
  message_id: turn?.message_id ?? undefined,
});

/** Shows the conversation's status: an active turn, a lost connection, or a conversation that can no longer be followed. */
function State({ followed: { turn, isInterrupted, error, retry, messages } }: { followed: FollowedConversation }) {
  if (error !== null && messages !== undefined)
    return <Failure what="Live updates have stopped" error={error} onRetry={retry} />;
  const said = isInterrupted
    ? 'Connection lost. Reconnecting…'
    : turn?.state === 'dispatched'
      ? 'The agent is about to answer'
      : turn?.state === 'streaming'
        ? 'The agent is answering'
        : '';
  return (
    <Group gap="xs" role="status" mih={20}>
      {said !== '' && <Loader size={12} aria-hidden="true" />}
      <Text size="xs" c="dimmed">
        {said}
      </Text>
    </Group>
  );
}

interface MessagesProps {
  projectId: string;
  followed: FollowedConversation;
  /** Answers the question in a message. */
  onAnswer: ((asking: string, answer: Schemas['AskUserQuestionAnswer']) => void) | undefined;
  /** Number of messages posted here. A change scrolls to the end. */
  posted: number;
  /** Ids of messages whose turns were stopped here. */
  stopped: readonly string[];
  isSending: boolean;
  /** Posts a complete model for the agent to solve. */
  onExample: () => void;
  mayWrite: boolean;
}

function Messages({ projectId, followed, onAnswer, posted, stopped, isSending, onExample, mayWrite }: MessagesProps) {
  const { all, hasEarlier, read, isReading, error } = useEarlierMessages(projectId, followed.messages ?? []);
  const list = useRef<VListHandle>(null);
  const isAtEnd = useRef(true);
  /** Whether the end of the list is out of view. */
  const [isAway, setAway] = useState(false);
  const before = useRef({ offset: 0, viewport: 0, size: 0 });
  /** Time of the user's last interaction with the list. */
  const touched = useRef(-Infinity);
  const firstShown = useRef(Infinity);
  const first = all[0]?.sequence ?? Infinity;
  // Prepending earlier messages must not move the visible messages.
  const isPrepended = first < firstShown.current && firstShown.current !== Infinity;
  const last = all.length - 1;

  /** Scrolls to the end if the user was already there. */
  const keepEnd = (): void => {
    if (isAtEnd.current && last >= 0) list.current?.scrollToIndex(last + 1, { align: 'end' });
  };
  useLayoutEffect(() => {
    firstShown.current = first;
    keepEnd();
  });
  const toEnd = (): void => {
    isAtEnd.current = true;
    keepEnd();
  };
  const onPosted = useEffectEvent(toEnd);
  useEffect(() => {
    if (posted > 0) onPosted();
  }, [posted]);
  const box = useRef<HTMLDivElement>(null);
  const touch = (): void => {
    touched.current = performance.now();
  };
  const isShown = all.length > 0;
  const onReflow = useEffectEvent(keepEnd);
  useEffect(() => {
    const content = box.current?.firstElementChild?.firstElementChild;
    if (!content) return undefined;
    const observer = new ResizeObserver(() => {
      // When the user expands something in a message, the message stays in place.
      if (performance.now() - touched.current > TOUCH_MS) onReflow();
    });
    observer.observe(content);
    return () => observer.disconnect();
  }, [isShown]);

  if (followed.messages === undefined)
    return (
      <Center className={classes.messages} role="status">
        {followed.error === null ? (
          <>
            <Loader size="sm" />
            <VisuallyHidden>Loading the conversation</VisuallyHidden>
          </>
        ) : (
          <Failure what="Could not load the conversation" error={followed.error} onRetry={followed.retry} />
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
              ? 'Describe your planning problem in your own words: your goal, your decisions and your limits. The agent asks for anything that is missing. You can also drop tables here.'
              : 'Messages appear here once an editor starts the conversation.'}
          </Text>
          {mayWrite && (
            <Text size="sm" c="dimmed">
              For example: <code>maximize profit: 30 chairs + 55 tables</code>
            </Text>
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
  // The newest question stays open until the agent asks another question.
  const asking = all.findLast(hasQuestions);
  return (
    <div ref={box} className={classes.box} onPointerDown={touch} onKeyDown={touch}>
      <VList
        ref={list}
        shift={isPrepended}
        className={classes.messages}
        role="group"
        aria-label="Conversation"
        tabIndex={0}
        onResize={keepEnd}
        onScroll={(offset) => {
          const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
          const left = scrollSize - viewportSize - offset;
          const { current: last } = before;
          before.current = { offset, viewport: viewportSize, size: scrollSize };
          setAway(left > AT_END);
          // The scroll was caused by a change of the viewport size.
          if (viewportSize !== last.viewport) return;
          // Scrolling up stops following the end. Messages that grow or shrink do not count as scrolling.
          if (left < 2) isAtEnd.current = true;
          else if (offset < last.offset && scrollSize >= last.size) isAtEnd.current = false;
          else if (left < AT_END) isAtEnd.current = true;
        }}
      >
        <Container key="earlier" size="md" py={4}>
          {error !== null && (
            <Failure what="Could not load earlier messages" error={error} onRetry={() => void read()} />
          )}
          {hasEarlier && error === null && (
            <Button variant="subtle" size="compact-sm" loading={isReading} onClick={() => void read()}>
              Show earlier messages
            </Button>
          )}
        </Container>
        {all.map((message, index) => (
          <Container key={message.id} size="md">
            <Message
              message={message}
              onAnswer={
                message === asking && isAsking(message) && onAnswer !== undefined
                  ? (given) => onAnswer(message.id, given)
                  : undefined
              }
              isSending={isSending}
              isStopped={stopped.includes(message.id)}
              answer={answerIn(all, index)}
            />
          </Container>
        ))}
      </VList>
      {isAway && (
        <Button variant="default" size="compact-sm" className={classes.toEnd} onClick={toEnd}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}
