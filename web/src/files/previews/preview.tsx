import { ActionIcon, Button, CloseButton, Group, Menu, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime } from '../../frame/times';
import { formatBytes } from '../../frame/sizes';
import type { Container } from '../containers';
import { Dots, type EntryActions } from '../file-list';
import type { Entry } from '../listing';
import { displayName, extensionOf } from '../paths';
import { SqlBox } from '../tables/sql-box';
import { isTable } from '../tables/statement';
import { useDraft } from '../../service/use-draft';
import { TablePreview } from '../tables/table-preview';
import { ImagePreview, isImage } from './image-preview';
import classes from './previews.module.css';
import { TextPreview } from './text-preview';

type View = 'table' | 'sql' | 'text' | 'image';
const LABELS: Record<View, string> = { table: 'Table', sql: 'SQL', text: 'Text', image: 'Image' };
/** Documents whose text is extracted. */
const DOCUMENTS = new Set(['.pdf', '.docx', '.xlsx', '.xlsm']);

/** Returns the views that are available for a file, starting with the default view. */
function viewsOf(path: string): View[] {
  const extension = extensionOf(path);
  if (isImage(path)) return extension === '.svg' ? ['image', 'text'] : ['image'];
  if (!isTable(path)) return ['text'];
  if (extension === '.parquet') return ['table', 'sql'];
  // Files with these extensions are rarely tables.
  if (extension === '.txt' || extension === '.json') return ['text', 'table', 'sql'];
  return ['table', 'sql', 'text'];
}

interface PreviewProps {
  projectId: string;
  container: Container;
  path: string;
  /** Metadata of the file. Undefined until its folder has loaded. */
  entry: Entry | undefined;
  mayWrite: boolean;
  actions: EntryActions;
  onClose: () => void;
}

/** Shows a file with its name, actions and content. */
export function Preview({ projectId, container, path, entry, mayWrite, actions, onClose }: PreviewProps) {
  const views = viewsOf(path);
  const [chosenView, setView] = useState<View>();
  const [sheet, setSheet] = useState<string>();
  const [sql, setSql] = useDraft<string | null>(`SQL of ${path} in ${container.key} of ${projectId}`, null);
  const view = chosenView ?? views[0] ?? 'text';
  const file = entry?.file;
  const name = displayName(path);
  // A file of unknown size is downloaded in the same way as a large file.
  const entryOrDefault: Entry = entry ?? { path, file: { path, size: Infinity } };
  const { onDownload, onCopyPath, onRename, onMove, onDelete } = actions;
  const common = { projectId, container, path };
  const lead = views.length > 1 && (
    <SegmentedControl
      className={classes.views}
      size="xs"
      aria-label="View"
      data={views.map((one) => ({ value: one, label: LABELS[one] }))}
      value={view}
      onChange={setView}
    />
  );
  return (
    <section className={classes.preview} aria-label={`File ${name}`}>
      <Group gap="xs" wrap="nowrap" className={classes.head}>
        <div className={classes.title}>
          <Text component="h2" size="sm" fw={600} truncate title={path} className={classes.name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {[
              file === undefined ? undefined : formatBytes(file.size),
              file?.modified == null ? undefined : formatDateTime(file.modified),
              file?.source == null ? undefined : ORIGINS[file.source],
            ]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </Text>
        </div>
        <Button size="compact-sm" variant="default" onClick={() => onDownload(entryOrDefault)}>
          Download
        </Button>
        <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <ActionIcon variant="default" size="md" aria-label={`More actions for ${name}`}>
              <Dots />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onCopyPath(entryOrDefault)}>Copy path</Menu.Item>
            {onRename !== undefined && <Menu.Item onClick={() => onRename(entryOrDefault)}>Rename</Menu.Item>}
            {onMove !== undefined && <Menu.Item onClick={() => onMove([entryOrDefault])}>Move</Menu.Item>}
            {onDelete !== undefined && (
              <Menu.Item c="var(--mantine-color-error)" onClick={() => onDelete([entryOrDefault])}>
                Delete
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
        <CloseButton aria-label={`Close ${name}`} onClick={onClose} />
      </Group>
      {view === 'table' && (
        <TablePreview
          // Sorting and filters apply to a single sheet, so another sheet must not reuse them.
          key={sheet}
          {...common}
          lead={lead}
          sheet={sheet}
          onSheet={setSheet}
          onText={views.includes('text') ? () => setView('text') : undefined}
        />
      )}
      {view !== 'table' && lead !== false && <div className={classes.lead}>{lead}</div>}
      {view === 'sql' && (
        <SqlBox {...common} sheet={sheet} mayWrite={mayWrite} draft={sql ?? undefined} onSqlChange={setSql} />
      )}
      {view === 'image' && <ImagePreview {...common} size={file?.size} />}
      {view === 'text' && <TextPreview {...common} isDocument={DOCUMENTS.has(extensionOf(path))} />}
    </section>
  );
}

/** Labels for the origins of files. */
const ORIGINS: Record<string, string> = {
  upload: 'uploaded',
  agent: 'created by the agent',
  execution: 'created by a run',
  deployment: 'from the deployment',
};
