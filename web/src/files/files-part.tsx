import { Anchor, Badge, Breadcrumbs, Button, FileButton, Group, Menu, Stack, Text } from '@mantine/core';
import { type DownloadProgress, NotFoundError } from '@project-workspace/client';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useCallback, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { PartProps } from '../project/parts';
import { Failure } from '../service/failure';
import { Loading } from '../service/loading';
import { useService } from '../service/service';
import { FollowError, useChanges } from './changes';
import { type Container, containerOf, useContainers, WORKSPACE } from './containers';
import { DeleteDialog } from './dialogs/delete-dialog';
import { MoveDialog } from './dialogs/move-dialog';
import { NameDialog } from './dialogs/name-dialog';
import { useFileUsers } from './file-users';
import { type EntryActions, FileList } from './file-list';
import classes from './files.module.css';
import { type Entry, type Listing, useListing } from './listing';
import { folderOf, joinPath, nameOf } from './paths';
import { type FileLocation, fileUrl, useFileLocation } from './file-location';
import { Preview } from './previews/preview';
import { saveToDisk } from './save-to-disk';
import { droppedFiles, type FileToUpload } from './uploads/dropped-files';
import { UploadList } from './uploads/upload-list';
import { useUploads } from './uploads/uploads';

/** A project's files: a folder, and the open file next to it. */
export default function FilesPart({ project, mayWrite }: PartProps) {
  const location = useFileLocation(project.id);
  const { containers, error, retry } = useContainers(project);
  const container = containerOf(containers, location.container);
  return (
    <Folder
      // The selection, the active row and open dialogs belong to this folder, so another folder must not reuse them.
      key={`${container.key}/${location.folder}`}
      projectId={project.id}
      location={location}
      container={container}
      containers={containers}
      mayWrite={mayWrite && container.key === WORKSPACE}
      failure={error && <Failure title="Could not load the snapshots" error={error} onRetry={retry} />}
    />
  );
}

interface FolderProps {
  projectId: string;
  location: FileLocation;
  container: Container;
  containers: Container[];
  mayWrite: boolean;
  /** Error shown above the folder. */
  failure: React.ReactNode;
}

/** Open dialog. */
type DialogState =
  { what: 'folder' } | { what: 'rename'; entry: Entry } | { what: 'move' | 'delete'; entries: Entry[] };

const NO_SELECTION: ReadonlyMap<string, Entry> = new Map();

function Folder({ projectId, location, container, containers, mayWrite, failure }: FolderProps) {
  const { client } = useService();
  const [, open] = useLocation();
  const { folder, file } = location;
  const listing = useListing(projectId, container, folder);
  const { makeFolder, move, remove } = useChanges(projectId, container.ref);
  const { uploads, items } = useUploads(projectId);
  const [selection, setSelection] = useState(NO_SELECTION);
  const [dialog, setDialog] = useState<DialogState>();
  const [statusText, setStatusText] = useState('');
  const download = useMutation({
    mutationFn: async ({ path, file: metadata }: Entry) => {
      const activity = `Downloading ${nameOf(path)}`;
      setStatusText(activity);
      const onProgress = ({ loaded, total = Infinity }: DownloadProgress) =>
        setStatusText(`${activity}: ${PERCENT.format(loaded / total)}`);
      await saveToDisk(client, { container: container.ref, path, size: metadata?.size }, { onProgress });
    },
    onSettled: () => setStatusText(''),
  });
  const copy = useMutation({
    mutationFn: async (path: string) => await navigator.clipboard.writeText(path),
    onSuccess: (_, path) => setStatusText(`Copied: ${path}`),
    // Browsers allow clipboard access only over HTTPS.
    onError: (_, path) => setStatusText(`Copy it from here: ${path}`),
  });

  const urlOf = (part: Partial<FileLocation>): string => fileUrl(projectId, { ...location, file: undefined, ...part });
  const entryUrl = ({ path, file: metadata }: Entry): string =>
    metadata === undefined ? urlOf({ folder: path }) : urlOf({ file: path });
  const usersOfRenamed = useFileUsers(projectId, container, dialog?.what === 'rename' ? [dialog.entry.path] : []);
  const close = useCallback((): void => setDialog(undefined), []);
  const openDialog = (next: DialogState): void => {
    for (const change of [makeFolder, move, remove]) change.reset();
    setDialog(next);
  };
  const toggle = useCallback((entry: Entry): void => {
    setSelection((before) => {
      const after = new Map(before);
      if (!after.delete(entry.path)) after.set(entry.path, entry);
      return after;
    });
  }, []);
  const finish = (sentence: string): void => {
    setStatusText(sentence);
    setSelection(NO_SELECTION);
    close();
  };
  /** Keeps showing the open file after it was moved. */
  const updateOpenFile = (from: string, to: string | undefined): void => {
    if (file === from) open(urlOf({ file: to }), { replace: true });
  };
  const actions: EntryActions = {
    onDownload: (entry) => download.mutate(entry),
    onCopyPath: ({ path }) => copy.mutate(path),
    ...(mayWrite && {
      onRename: (entry) => openDialog({ what: 'rename', entry }),
      onMove: (entries) => openDialog({ what: 'move', entries }),
      onDelete: (entries) => openDialog({ what: 'delete', entries }),
    }),
  };
  const add = (files: readonly FileToUpload[]): void => uploads.add(files, folder);

  return (
    <DropTarget className={classes.files} onFiles={mayWrite ? add : undefined}>
      <Toolbar
        container={container}
        containers={containers}
        folder={folder}
        urlOf={urlOf}
        mayWrite={mayWrite}
        onNewFolder={() => openDialog({ what: 'folder' })}
        onFiles={add}
      />
      {selection.size > 0 && (
        <Group gap="xs" className={classes.bar}>
          <Text size="sm" role="status">
            {selection.size} selected
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => actions.onMove?.([...selection.values()])}>
            Move
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => actions.onDelete?.([...selection.values()])}>
            Delete
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => setSelection(NO_SELECTION)}>
            Clear selection
          </Button>
        </Group>
      )}
      {failure}
      {download.error !== null && <Failure title="Could not download the file" error={download.error} />}
      <div className={classes.split} data-with-file={file !== undefined || undefined}>
        <div className={classes.folder}>
          <Entries
            listing={listing}
            location={location}
            mayWrite={mayWrite}
            upAddress={urlOf({ folder: '' })}
            list={
              <FileList
                listing={listing}
                label={folder === '' ? container.label : `Folder ${folder}`}
                openPath={file}
                urlOf={entryUrl}
                onOpen={(entry) => open(entryUrl(entry))}
                onUp={folder === '' ? undefined : () => open(urlOf({ folder: folderOf(folder) }))}
                actions={actions}
                selection={selection}
                onToggle={toggle}
              />
            }
          />
          <Text
            size="xs"
            c="dimmed"
            className={classes.statusLine}
            data-has-text={statusText !== '' || undefined}
            role="status"
            truncate
            title={statusText}
          >
            {statusText === '' ? itemCountLabel(listing.total) : statusText}
          </Text>
        </div>
        {file !== undefined && (
          <div className={classes.openFile}>
            <Preview
              key={file}
              projectId={projectId}
              container={container}
              path={file}
              entry={listing.find(file)}
              mayWrite={mayWrite}
              actions={actions}
              onClose={() => open(urlOf({}))}
            />
          </div>
        )}
      </div>
      {mayWrite && items.length > 0 && <UploadList uploads={uploads} items={items} />}
      {dialog?.what === 'folder' && (
        <NameDialog
          title="New folder"
          action="Create folder"
          failure="Could not create the folder"
          name=""
          onName={(name) =>
            makeFolder.mutate(joinPath(folder, name), {
              onSuccess: ({ created }) => finish(created ? `Created ${name}` : `${name} already exists`),
            })
          }
          isPending={makeFolder.isPending}
          error={makeFolder.error}
          onClose={close}
        />
      )}
      {dialog?.what === 'rename' && (
        <NameDialog
          title={`Rename ${nameOf(dialog.entry.path)}`}
          action="Rename"
          failure={
            move.error instanceof FollowError
              ? 'Renamed, but not everywhere'
              : `Could not rename ${nameOf(dialog.entry.path)}`
          }
          name={nameOf(dialog.entry.path)}
          userNames={usersOfRenamed.names}
          onName={(name) => {
            const { path } = dialog.entry;
            const to = joinPath(folderOf(path), name);
            move.mutate([{ source_path: path, dest_path: to }], {
              onSuccess: () => {
                updateOpenFile(path, to);
                finish(`Renamed to ${name}`);
              },
            });
          }}
          isPending={move.isPending}
          error={move.error}
          onClose={close}
        />
      )}
      {dialog?.what === 'move' && (
        <MoveDialog
          projectId={projectId}
          container={container}
          entries={dialog.entries}
          onMove={(to) => {
            const moves = dialog.entries.map(({ path }) => ({
              source_path: path,
              dest_path: joinPath(to, nameOf(path)),
            }));
            move.mutate(moves, {
              onSuccess: () => {
                for (const { source_path } of moves) updateOpenFile(source_path, undefined);
                finish(`Moved to ${to === '' ? 'the top level' : to}`);
              },
            });
          }}
          isPending={move.isPending}
          error={move.error}
          onClose={close}
        />
      )}
      {dialog?.what === 'delete' && (
        <DeleteDialog
          projectId={projectId}
          container={container}
          entries={dialog.entries}
          onDelete={() => {
            const paths = dialog.entries.map(({ path }) => path);
            remove.mutate(paths, {
              onSuccess: () => {
                for (const path of paths) updateOpenFile(path, undefined);
                finish(paths.length === 1 ? `Deleted ${nameOf(paths[0] ?? '')}` : `Deleted ${paths.length} items`);
              },
            });
          }}
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
        />
      )}
    </DropTarget>
  );
}

const NUMBERS = new Intl.NumberFormat();
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent' });

const itemCountLabel = (total: number | undefined): string =>
  total === undefined || total === 0 ? '' : total === 1 ? '1 item' : `${NUMBERS.format(total)} items`;

interface EntriesProps {
  listing: Listing;
  location: FileLocation;
  mayWrite: boolean;
  upAddress: string;
  list: React.ReactNode;
}

/** Shows the entries, or the reason why there are no entries. */
function Entries({ listing, location: { container, folder }, mayWrite, upAddress, list }: EntriesProps) {
  const { total, error, retry } = listing;
  if (error instanceof NotFoundError)
    return (
      <Stack align="flex-start" gap="xs" className={classes.empty} role="status">
        <Text fw={550}>This folder no longer exists</Text>
        <Anchor component={Link} href={upAddress} size="sm">
          Go to the top level
        </Anchor>
      </Stack>
    );
  if (error !== null)
    return (
      <Failure
        title={total === undefined ? 'Could not load the files' : 'Could not load some files'}
        error={error}
        onRetry={retry}
      />
    );
  if (total === undefined) return <Loading name="the folder" />;
  if (total > 0) return list;
  const isWorkspace = container === WORKSPACE && folder === '';
  return (
    <Stack gap="xs" className={classes.empty} role="status">
      <Text fw={550}>{isWorkspace ? 'No files yet' : 'This folder is empty'}</Text>
      <Text size="sm" c="dimmed">
        {mayWrite
          ? 'Drop files here or click “Upload”, for example tables of demand, prices or capacities. Files from the agent and from runs also appear here.'
          : isWorkspace
            ? 'Files appear here once an editor or the agent adds them.'
            : ''}
      </Text>
    </Stack>
  );
}

interface ToolbarProps {
  container: Container;
  containers: Container[];
  folder: string;
  urlOf: (part: Partial<FileLocation>) => string;
  mayWrite: boolean;
  onNewFolder: () => void;
  onFiles: (files: FileToUpload[]) => void;
}

/** Shows the current location and the actions for adding files. */
function Toolbar({ container, containers, folder, urlOf, mayWrite, onNewFolder, onFiles }: ToolbarProps) {
  const [, open] = useLocation();
  /** Resets the input, so that the same file can be selected again. */
  const resetInput = useRef<() => void>(null);
  const names = folder === '' ? [] : folder.split('/');
  const crumbs = useMemo(
    () => names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') })),
    [folder],
  );
  return (
    <Group gap="xs" justify="space-between" className={classes.bar}>
      <Group gap="xs" flex="1 1 auto" miw={0} wrap="nowrap">
        <Breadcrumbs role="navigation" aria-label="Folders" separatorMargin={4} classNames={{ root: classes.crumbs }}>
          {[{ name: container.label, path: '' }, ...crumbs].map(({ name, path }) =>
            path === folder ? (
              <Text key={path} size="sm" fw={550} className={classes.crumb} title={name} aria-current="location">
                {name}
              </Text>
            ) : (
              <Anchor
                key={path}
                component={Link}
                href={urlOf({ folder: path })}
                size="sm"
                className={classes.crumb}
                title={name}
              >
                {name}
              </Anchor>
            ),
          )}
        </Breadcrumbs>
        {container.key !== WORKSPACE && (
          <Badge variant="default" size="sm" className={classes.fixed}>
            Read-only
          </Badge>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        {containers.length > 1 && (
          <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <Button size="compact-sm" variant="subtle" color="gray">
                Other files
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
              <Menu.RadioGroup value={container.key} onChange={(key) => open(urlOf({ container: key, folder: '' }))}>
                {containers.map(({ key, label }) => (
                  <Menu.RadioItem key={key} value={key} closeMenuOnClick>
                    {label}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Dropdown>
          </Menu>
        )}
        {mayWrite && (
          <>
            <Button size="compact-sm" variant="default" onClick={onNewFolder}>
              New folder
            </Button>
            <FileButton
              multiple
              resetRef={resetInput}
              onChange={(files) => {
                onFiles(files.map((file) => ({ file, path: file.name })));
                resetInput.current?.();
              }}
            >
              {(props) => (
                <Button {...props} size="compact-sm">
                  Upload
                </Button>
              )}
            </FileButton>
          </>
        )}
      </Group>
    </Group>
  );
}

interface DropTargetProps {
  className: string | undefined;
  /** Called with the dropped files. Undefined if files cannot be dropped here. */
  onFiles: ((files: FileToUpload[]) => void) | undefined;
  children: React.ReactNode;
}

/** Area that accepts dropped files. */
function DropTarget({ className, onFiles, children }: DropTargetProps) {
  const [isDragOver, setDragOver] = useState(false);
  const reading = useMutation({ mutationFn: droppedFiles, onSuccess: (files) => onFiles?.(files) });
  const acceptsFiles = (event: DragEvent): boolean =>
    onFiles !== undefined && event.dataTransfer.types.includes('Files');
  return (
    <section
      aria-label="Files"
      className={className}
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
        reading.mutate(event.dataTransfer);
      }}
    >
      {reading.error !== null && <Failure title="Could not read the dropped files" error={reading.error} />}
      {children}
    </section>
  );
}
