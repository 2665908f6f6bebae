import { Anchor, Button, Group, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { type Schemas, ValidationError } from '@project-workspace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { problemMessage } from '../../service/problems';
import { useService } from '../../service/service';
import { useIntent } from '../../service/use-intent';
import { type Container, WORKSPACE } from '../containers';
import { folderOf } from '../paths';
import { fileUrl } from '../file-location';
import { isFile } from '../uploads/free-path';
import { tableColumns } from './cells';
import { TableGrid } from './table-grid';
import { errorRange, identifier, tableNames, tablesIn } from './statement';
import classes from './tables.module.css';

/** Maximum number of rows shown. */
const MAX_ROWS = 10_000;
/** Maximum length of a statement. */
const MAX_LENGTH = 100_000;
/** Maximum number of files in the folder that are given a table name. */
const MAX_TABLES = 1_000;
const NUMBERS = new Intl.NumberFormat();

type QueryResult = Schemas['QueryResponse'];

/** Options for a query, in addition to its statement. */
interface QueryOptions {
  save_as?: string;
  mayReplace?: boolean;
}

interface SqlBoxProps {
  projectId: string;
  container: Container;
  path: string;
  sheet: string | undefined;
  mayWrite: boolean;
  /** Statement that the user had entered before switching to another view. */
  draft: string | undefined;
  onSqlChange: (sql: string) => void;
}

/** Runs SQL on tables and saves the results. */
export function SqlBox({ projectId, container, path, sheet, mayWrite, draft, onSqlChange: setSql }: SqlBoxProps) {
  const { client } = useService();
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const listing = useQuery({
    queryKey: keyOf(projectId, 'files', 'tables', container.key, folderOf(path)),
    queryFn: async ({ signal }) => {
      const body = { ...container.ref, path: folderOf(path), limit: MAX_TABLES, offset: 0 };
      return (await client.POST('/api/v1/files/list', { body, signal })).data.entries;
    },
  });
  const names = useMemo(
    () => tableNames(path, sheet, listing.data?.map((entry) => entry.path) ?? []),
    [path, sheet, listing.data],
  );
  const defaultTable = names.keys().next().value ?? '';
  const sql = draft ?? `SELECT *\nFROM ${identifier(defaultTable)}\nLIMIT 100`;
  const [target, setTarget] = useState(`results/${defaultTable.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}-query.csv`);
  /** Latest result. It stays visible until the next result arrives. */
  const [result, setResult] = useState<QueryResult>();

  const query = useIntent({
    mutationFn: async ({ sql: statement, save_as, mayReplace = false }: QueryOptions & { sql: string }, headers) => {
      if (save_as !== undefined && !mayReplace && (await isFile(client, projectId, save_as)))
        throw new FileExistsError(save_as);
      const tables = Object.fromEntries(tablesIn(statement, names));
      const body = {
        ...container.ref,
        project_id: projectId,
        tables,
        sql: statement,
        limit: MAX_ROWS,
        ...(save_as !== undefined && { save_as }),
      };
      return (await client.POST('/api/v1/files/query', { body, headers })).data;
    },
    onSuccess: async (response) => {
      setResult(response);
      if (response.saved !== null) await queries.invalidateQueries({ queryKey: keyOf(projectId, 'files') });
    },
    onError: (error) => {
      const problem = problemsOf(error).sql;
      const { current } = field;
      if (problem === undefined || current === null) return;
      // Selects the part of the statement that caused the error, if it is known.
      const range = errorRange(problem, sql);
      if (range === undefined) return;
      current.focus();
      current.setSelectionRange(...range);
    },
  });
  const { error, isPending } = query;
  const problems = problemsOf(error);
  const columns = useMemo(() => tableColumns(result?.columns ?? [], result?.rows ?? []), [result]);
  const run = (options: QueryOptions = {}): void => {
    if (!isPending && sql.trim() !== '') query.mutate({ ...options, sql });
  };
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  const insert = (name: string): void => {
    const { current } = field;
    if (current === null) return;
    const { selectionStart: from, selectionEnd: to } = current;
    const text = identifier(name);
    setSql(sql.slice(0, from) + text + sql.slice(to));
    current.focus();
    requestAnimationFrame(() => current.setSelectionRange(from + text.length, from + text.length));
  };

  return (
    <div className={classes.part}>
      <Stack gap={6} className={[classes.bar, classes.sql].join(' ')}>
        <Textarea
          ref={field}
          aria-label="SQL"
          autosize
          minRows={3}
          maxRows={9}
          maxLength={MAX_LENGTH}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          value={sql}
          onChange={({ currentTarget }) => setSql(currentTarget.value)}
          onKeyDown={handleKeyDown}
          error={problems.sql}
        />
        <Group gap={6} className={classes.names} role="group" aria-label="Available tables">
          <Text size="xs" c="dimmed">
            Tables
          </Text>
          {Array.from(names, ([name, reference]) => (
            <UnstyledButton
              key={name}
              className={classes.tableName}
              title={`Insert ${name} (${reference.path})`}
              onClick={() => insert(name)}
            >
              {name}
            </UnstyledButton>
          ))}
        </Group>
        {listing.error !== null && (
          <Failure
            title="Could not load the other tables in this folder"
            error={listing.error}
            onRetry={() => void listing.refetch()}
          />
        )}
        <Group gap="xs" align="flex-end">
          <Button size="xs" onClick={() => run()} loading={isPending} title="Ctrl+Enter">
            Run
          </Button>
          {mayWrite && (
            <Group gap="xs" flex={1} wrap="nowrap" align="flex-start" miw={300}>
              <Text size="xs" c="dimmed" lh="30px" style={{ whiteSpace: 'nowrap' }}>
                Save as
              </Text>
              <TextInput
                size="xs"
                flex={1}
                aria-label="Save the result as"
                placeholder="results/query.csv"
                value={target}
                onChange={({ currentTarget }) => setTarget(currentTarget.value)}
                error={problems.target}
              />
              <Button
                size="xs"
                variant="default"
                disabled={isPending || target.trim() === ''}
                onClick={() => run({ save_as: target.trim() })}
              >
                Run and save
              </Button>
            </Group>
          )}
        </Group>
        {error instanceof FileExistsError && (
          <Group gap="xs" role="alert">
            <Text size="sm">The file {error.path} already exists.</Text>
            <Button size="compact-sm" variant="default" onClick={() => run({ save_as: error.path, mayReplace: true })}>
              Replace it
            </Button>
          </Group>
        )}
        {problems.other !== undefined && <Failure title="The query failed" error={problems.other} />}
        {result?.saved != null && !isPending && error === null && (
          <Text size="sm" role="status">
            Saved as{' '}
            <Anchor
              component={Link}
              href={fileUrl(projectId, { container: WORKSPACE, folder: '', file: result.saved.path })}
            >
              {result.saved.path}
            </Anchor>
          </Text>
        )}
      </Stack>
      {result === undefined ? (
        <Text size="sm" c="dimmed" className={classes.bar}>
          Write a single SELECT statement in DuckDB SQL and press Ctrl+Enter to run it. For files in other folders,
          write the path in double quotes: <code>&quot;data/lanes.csv&quot;</code>.
        </Text>
      ) : (
        <>
          <TableGrid
            label="Query result"
            columns={columns}
            total={result.rows.length}
            row={(index) => result.rows[index]}
            isStale={isPending || error !== null}
          />
          <Text size="xs" c="dimmed" className={classes.about} role="status">
            {result.truncated
              ? `First ${NUMBERS.format(result.rows.length)} rows. Save the result to get all of them.`
              : `${NUMBERS.format(result.rows.length)} ${result.rows.length === 1 ? 'row' : 'rows'}`}
          </Text>
        </>
      )}
    </div>
  );
}

/** The target file already exists, and the user has not confirmed that it may be replaced. */
class FileExistsError extends Error {
  override name = 'FileExistsError';

  constructor(readonly path: string) {
    super(`The file ${path} already exists.`);
  }
}

/** Returns the error messages for the statement, the target and anything else. */
function problemsOf(error: unknown): { sql?: string; target?: string; other?: unknown } {
  if (error === null || error instanceof FileExistsError) return {};
  if (!(error instanceof ValidationError)) return { other: error };
  const messageOf = (field: string): string | undefined => {
    const messages = error.entries.filter(({ loc }) => loc[1] === field).map(problemMessage);
    return messages.length === 0 ? undefined : messages.join(' ');
  };
  const problems = { sql: messageOf('sql') ?? messageOf('tables'), target: messageOf('save_as') ?? messageOf('path') };
  if (problems.sql === undefined && problems.target === undefined) return { other: error };
  return {
    ...(problems.sql !== undefined && { sql: problems.sql }),
    ...(problems.target !== undefined && { target: problems.target }),
  };
}
