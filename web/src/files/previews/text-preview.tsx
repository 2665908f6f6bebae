import { Text } from '@mantine/core';
import { NotFoundError, TooLargeError, ValidationError } from '@project-workspace/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Virtualizer } from 'virtua';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { problemMessage } from '../../service/problems';
import { useService } from '../../service/service';
import type { Container } from '../containers';
import classes from './previews.module.css';
import { MissingFile, Notice } from './notice';

/** Maximum number of characters shown per line. */
const MAX_LINE_LENGTH = 5_000;
const NUMBERS = new Intl.NumberFormat();

interface TextPreviewProps {
  projectId: string;
  container: Container;
  path: string;
  /** Whether the text was extracted from a document. Its lines have no line numbers. */
  isDocument: boolean;
}

/** Shows text line by line. */
export function TextPreview({ projectId, container, path, isDocument }: TextPreviewProps) {
  const { client } = useService();
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(projectId, 'files', 'content', container.key, path, isDocument),
    queryFn: async ({ signal }) => {
      const params = isDocument ? { query: { as: 'text' as const } } : {};
      return (await client.POST('/api/v1/files/content', { params, body: { ...container.ref, path }, signal })).data;
    },
    staleTime: Infinity,
    // Text files can be large and are rarely reopened soon, so they are cached only briefly.
    gcTime: 30_000,
  });
  const lines = useMemo(() => linesOf(data?.text ?? ''), [data]);
  if (error instanceof NotFoundError) return <MissingFile />;
  if (data === undefined) {
    if (error === null) return <Loading name="the file" />;
    if (error instanceof TooLargeError)
      return <Notice title="This file is too large to preview" text="Download it to read it." />;
    if (error instanceof ValidationError && isDocument)
      return (
        <Notice title="The text of this file cannot be displayed" text={error.entries.map(problemMessage).join(' ')} />
      );
    return <Failure title="Could not load the file" error={error} onRetry={() => void refetch()} />;
  }
  if (data.text == null)
    return <Notice title="No preview for this type of file" text="Download it to open it in another program." />;
  if (data.text.trim() === '')
    return (
      <Notice
        title={isDocument ? 'This document contains no text' : 'The file is empty'}
        text={isDocument ? 'Scanned pages contain no text. Download the file to view it.' : ''}
      />
    );
  return <Lines lines={lines} label={`Text of ${path}`} isNumbered={!isDocument} />;
}

function Lines({ lines, label, isNumbered }: { lines: string[]; label: string; isNumbered: boolean }) {
  const scroll = useRef<HTMLDivElement>(null);
  const gutter = `${String(lines.length).length}ch`;
  return (
    <>
      <div
        ref={scroll}
        className={classes.text}
        data-document={!isNumbered || undefined}
        role="group"
        aria-label={label}
        tabIndex={0}
        style={{ '--gutter': gutter } as React.CSSProperties}
      >
        <Virtualizer data={lines} scrollRef={scroll}>
          {(line, index) => (
            <div key={index} className={classes.line}>
              {isNumbered && (
                <span className={classes.number} aria-hidden="true">
                  {index + 1}
                </span>
              )}
              <span className={classes.lineText}>
                {line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH) : line}
                {line.length > MAX_LINE_LENGTH && (
                  <span className={classes.cut}>
                    {' '}
                    … {NUMBERS.format(line.length - MAX_LINE_LENGTH)} more characters
                  </span>
                )}
              </span>
            </div>
          )}
        </Virtualizer>
      </div>
      <Text size="xs" c="dimmed" className={classes.about}>
        {NUMBERS.format(lines.length)} {lines.length === 1 ? 'line' : 'lines'}
      </Text>
    </>
  );
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  // A line break at the end of the text does not start another line.
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  return lines;
}
