import { Button, CloseButton, FileButton, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { useMediaQuery, useSessionStorage } from '@mantine/hooks';
import { type FormEvent, type KeyboardEvent, useRef } from 'react';
import { formatBytes } from '../frame/sizes';
import { reasonOf } from '../service/failure';
import { useService } from '../service/service';
import type { Attachment } from './attachments';
import classes from './conversation.module.css';

/** Maximum length of a message. */
const MAX_LENGTH = 100_000;

interface ComposerProps {
  projectId: string;
  attachments: Attachment[];
  onFiles: (files: Iterable<File>) => void;
  onRemove: (key: number) => void;
  /** Resolves to whether the message was posted. A message that could not be posted stays in the field. */
  onSend: (content: string) => Promise<boolean>;
  isSending: boolean;
  /** Stops the agent's turn. Undefined if no turn is active. */
  onStop: (() => void) | undefined;
  isStopping: boolean;
}

/**
 * Input for messages and files. Enter sends the message, and Shift+Enter starts a new line. On touch devices, only the button
 * sends the message. Drafts are kept in the tab until they are sent.
 */
export function Composer({
  projectId,
  attachments,
  onFiles,
  onRemove,
  onSend,
  isSending,
  onStop,
  isStopping,
}: ComposerProps) {
  const { me } = useService();
  const [text, setText] = useSessionStorage({
    key: `message of ${me.user_id ?? me.api_key_id} in ${projectId}`,
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const isTouchDevice = useMediaQuery('(pointer: coarse)');
  /** Resets the input, so that the same file can be selected again. */
  const resetInput = useRef<() => void>(null);
  const isUploading = attachments.some(({ isDone, error }) => !isDone && error === null);
  const isEmpty = text.trim() === '' && !attachments.some(({ isDone }) => isDone);
  const send = async (): Promise<void> => {
    if (isEmpty || isSending || isUploading) return;
    if (await onSend(text.trim())) setText('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    // While an input method composes text, for example in Japanese, Enter confirms the composed text.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || isTouchDevice === true) return;
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {attachments.length > 0 && (
          <Stack
            gap="xs"
            className={classes.attachments}
            role="group"
            aria-label={`Attached files: ${attachments.length}`}
          >
            {attachments.map((attachment) => (
              <AttachmentLine key={attachment.key} attachment={attachment} onRemove={() => onRemove(attachment.key)} />
            ))}
          </Stack>
        )}
        <Textarea
          aria-label="Message"
          placeholder="Message the agent"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MAX_LENGTH}
          dir="auto"
          readOnly={isSending}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={handleKeyDown}
          onPaste={({ clipboardData }) => {
            if (clipboardData.files.length > 0) onFiles(clipboardData.files);
          }}
        />
        <Group justify="space-between">
          <FileButton
            multiple
            resetRef={resetInput}
            onChange={(files) => {
              onFiles(files);
              resetInput.current?.();
            }}
          >
            {(props) => (
              <Button {...props} variant="default" size="xs" fz="sm">
                Attach files
              </Button>
            )}
          </FileButton>
          <Group gap="xs">
            {onStop !== undefined && (
              <Button variant="default" size="xs" fz="sm" onClick={onStop} loading={isStopping}>
                Stop
              </Button>
            )}
            <Button type="submit" size="xs" fz="sm" loading={isSending} disabled={isEmpty || isUploading}>
              Send
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

function AttachmentLine({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const { name, path, loaded, total, isDone, error } = attachment;
  const percent = total === 0 ? 100 : Math.floor((loaded / total) * 100);
  return (
    <Group gap="xs" wrap="nowrap" className={classes.attachment}>
      <Stack gap={2} flex={1} miw={0}>
        <Text size="sm" truncate title={path ?? name}>
          {path ?? name}
        </Text>
        {error !== null ? (
          <Text size="xs" c="red" role="alert">
            Upload failed. Remove the file and attach it again. {reasonOf(error)}
          </Text>
        ) : isDone ? (
          <Text size="xs" c="dimmed">
            {formatBytes(total)}, added to the project files
          </Text>
        ) : (
          <Progress value={percent} size="sm" aria-label={`Uploading ${name}`} />
        )}
      </Stack>
      <CloseButton size="sm" aria-label={`Remove ${name}`} onClick={onRemove} />
    </Group>
  );
}
