import type { Schemas } from '@project-workspace/client';
import { Code, Loader, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './conversation.module.css';

/** Displayed fields of a call. A message segment has the same fields, but all of them are optional. */
export type Call = Partial<Pick<Schemas['ToolCallData'], 'children'>> &
  Pick<Schemas['ContentSegmentData'], 'tool' | 'status' | 'input' | 'result' | 'error' | 'error_code' | 'duration_ms'>;

/** Maximum number of characters shown per value. */
const MAX_CHARACTERS = 20_000;

/** Tool call in a single line that can be expanded. */
export function ToolCall({ call }: { call: Call }) {
  const { tool, status, error, duration_ms, children } = call;
  const isStopped = call.error_code === 'stopped';
  // The values are not formatted until they are visible.
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.call} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={classes.line}>
          <Text component="span" size="sm">
            {toolLabel(tool ?? 'tool')}
          </Text>
          {status === 'running' && <Loader size={12} aria-label="running" />}
          {status === 'failed' && (
            <Text component="span" size="sm" {...(isStopped ? { c: 'dimmed' } : { c: 'red', fw: 550 })}>
              {isStopped ? 'stopped' : 'failed'}
            </Text>
          )}
          {duration_ms != null && (
            <Text component="span" size="xs" c="dimmed">
              {formatDuration(duration_ms)}
            </Text>
          )}
        </span>
      </summary>
      {isOpen && (
        <Stack gap="xs" mt="xs">
          {error != null && (
            <Text size="sm" c={isStopped ? 'dimmed' : 'red'}>
              {error}
            </Text>
          )}
          {call.input != null && <Value title="Input" value={call.input} />}
          {call.result != null && <Value title="Result" value={call.result} />}
          {children?.map((child) => (
            <ToolCall key={child.id} call={child} />
          ))}
        </Stack>
      )}
    </details>
  );
}

function Value({ title, value }: { title: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Code block className={classes.value} tabIndex={0}>
        {text.slice(0, MAX_CHARACTERS)}
      </Code>
      {text.length > MAX_CHARACTERS && (
        <Text size="xs" c="dimmed">
          {(text.length - MAX_CHARACTERS).toLocaleString()} more characters are not shown.
        </Text>
      )}
    </div>
  );
}

/** Returns a tool name, such as `describe_table`, in plain words. */
const toolLabel = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
