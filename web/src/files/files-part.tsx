import { Anchor, Badge, Breadcrumbs, Button, FileButton, Group, Menu, Stack, Text } from '@mantine/core';
import { type DownloadProgress, NotFoundError } from '@project-workspace/client';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useCallback, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { PartProps } from '../project/parts';
import { Failure } from '../service/failure';
import { Loading } from '../service/loading';
import { useService } from '../service/service';
import { useChanges } from './changes';
import { type Container, containerOf, useContainers, WORKSPACE } from './containers';
import { DeleteDialog } from './dialogs/delete-dialog';
import { MoveDialog } from './dialogs/move-dialog';
import { NameDialog } from './dialogs/name-dialog';
import { type EntryActions, FileList } from './file-list';
import classes from './files.module.css';
import { type Entry, type Listing, useListing } from './listing';
import { folderOf, joined, nameOf } from './paths';
import { addressOf, type Place, usePlace } from './place';
import { Preview } from './previews/preview';
import { save } from './saving';
import { droppedFiles, type GivenFile } from './uploads/dropped-files';
import { UploadList } from './uploads/upload-list';
import { useUploads } from './uploads/uploads';

/** Files of a project: a folder, and the open file beside it. */
export default function FilesPart({ project, mayWrite }: PartProps) {
  const place = usePlace(project.id);
  const { containers, error, retry } = useContainers(project);
  const container = containerOf(containers, place.container);
  return (
    <Folder
      // Ticks, the active row and open dialogs belong to a single folder.
      key={`${container.key}/${place.folder}`}
      projectId={project.id}
      place={place}
      container={container}
      containers={containers}
      mayWrite={mayWrite && container.key === WORKSPACE}
      failure={error && <Failure title="Could not load the snapshots" error={error} onRetry={retry} />}
    />
  );
}

interface FolderProps {
  projectId: string;
  place: Place;
  container: Container;
  containers: Container[];
  mayWrite: boolean;
  /** Error shown above the folder. */
  failure: React.ReactNode;
}

/** Open dialog. */
type Asked = { what: 'folder' } | { what: 'rename'; entry: Entry } | { what: 'move' | 'delete'; entries: Entry[] };

const NOTHING_TICKED: ReadonlyMap<string, Entry> = new Map();

function Folder({ projectId, place, container, containers, mayWrite, failure }: FolderProps) {
  const { client } = useService();
  const [, open] = useLocation();
  const { folder, file } = place;
  const listing = useListing(projectId, container, folder);
  const { makeFolder, move, remove } = useChanges(projectId, container.ref);
  const { uploads, items } = useUploads(projectId);
  const [ticked, setTicked] = useState(NOTHING_TICKED);
  const [asked, setAsked] = useState<Asked>();
  const [said, setSaid] = useState('');
  const download = useMutation({
    mutationFn: async ({ path, file: known }: Entry) => {
      const doing = `Downloading ${nameOf(path)}`;
      setSaid(doing);
      const onProgress = ({ loaded, total = Infinity }: DownloadProgress) =>
        setSaid(`${doing}: ${PERCENT.format(loaded / total)}`);
      await save(client, { container: container.ref, path, size: known?.size }, { onProgress });
    },
    onSettled: () => setSaid(''),
  });
  const copy = useMutation({
    mutationFn: async (path: string) => await navigator.clipboard.writeText(path),
    onSuccess: (_, path) => setSaid(`Copied: ${path}`),
    // Browsers allow clipboard access only over HTTPS.
    onError: (_, path) => setSaid(`Copy it from here: ${path}`),
  });

  const at = (part: Partial<Place>): string => addressOf(projectId, { ...place, file: undefined, ...part });
  const addressOfEntry = ({ path, file: known }: Entry): string =>
    known === undefined ? at({ folder: path }) : at({ file: path });
  const close = useCallback((): void => setAsked(undefined), []);
  const ask = (next: Asked): void => {
    for (const change of [makeFolder, move, remove]) change.reset();
    setAsked(next);
  };
  const tick = useCallback((entry: Entry): void => {
    setTicked((before) => {
      const after = new Map(before);
      if (!after.delete(entry.path)) after.set(entry.path, entry);
      return after;
    });
  }, []);
  const done = (sentence: string): void => {
    setSaid(sentence);
    setTicked(NOTHING_TICKED);
    close();
  };
  /** Keeps showing the open file after it was moved. */
  const follow = (from: string, to: string | undefined): void => {
    if (file === from) open(at({ file: to }), { replace: true });
  };
  const actions: EntryActions = {
    onDownload: (entry) => download.mutate(entry),
    onCopyPath: ({ path }) => copy.mutate(path),
    ...(mayWrite && {
      onRename: (entry) => ask({ what: 'rename', entry }),
      onMove: (entries) => ask({ what: 'move', entries }),
      onDelete: (entries) => ask({ what: 'delete', entries }),
    }),
  };
  const add = (given: readonly GivenFile[]): void => uploads.add(given, folder);

  return (
    <DropTarget className={classes.files} onFiles={mayWrite ? add : undefined}>
      <Toolbar
        container={container}
        containers={containers}
        folder={folder}
        at={at}
        mayWrite={mayWrite}
        onNewFolder={() => ask({ what: 'folder' })}
        onFiles={add}
      />
      {ticked.size > 0 && (
        <Group gap="xs" className={classes.bar}>
          <Text size="sm" role="status">
            {ticked.size} selected
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => actions.onMove?.([...ticked.values()])}>
            Move
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => actions.onDelete?.([...ticked.values()])}>
            Delete
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => setTicked(NOTHING_TICKED)}>
            Clear selection
          </Button>
        </Group>
      )}
      {failure}
      {download.error !== null && <Failure title="Could not download the file" error={download.error} />}
      <div className={classes.beside} data-with-file={file !== undefined || undefined}>
        <div className={classes.folder}>
          <Entries
            listing={listing}
            place={place}
            mayWrite={mayWrite}
            upAddress={at({ folder: '' })}
            list={
              <FileList
                listing={listing}
                label={folder === '' ? container.label : `Folder ${folder}`}
                shown={file}
                addressOf={addressOfEntry}
                onOpen={(entry) => open(addressOfEntry(entry))}
                onUp={folder === '' ? undefined : () => open(at({ folder: folderOf(folder) }))}
                actions={actions}
                ticked={ticked}
                onTick={tick}
              />
            }
          />
          <Text
            size="xs"
            c="dimmed"
            className={classes.said}
            data-said={said !== '' || undefined}
            role="status"
            truncate
            title={said}
          >
            {said === '' ? counted(listing.total) : said}
          </Text>
        </div>
        {file !== undefined && (
          <div className={classes.beheld}>
            <Preview
              key={file}
              projectId={projectId}
              container={container}
              path={file}
              entry={listing.find(file)}
              mayWrite={mayWrite}
              actions={actions}
              onClose={() => open(at({}))}
            />
          </div>
        )}
      </div>
      {mayWrite && items.length > 0 && <UploadList uploads={uploads} items={items} />}
      {asked?.what === 'folder' && (
        <NameDialog
          title="New folder"
          action="Create folder"
          failure="Could not create the folder"
          name=""
          onName={(name) =>
            makeFolder.mutate(joined(folder, name), {
              onSuccess: ({ created }) => done(created ? `Created ${name}` : `${name} already exists`),
            })
          }
          isPending={makeFolder.isPending}
          error={makeFolder.error}
          onClose={close}
        />
      )}
      {asked?.what === 'rename' && (
        <NameDialog
          title={`Rename ${nameOf(asked.entry.path)}`}
          action="Rename"
          failure="Could not rename it"
          name={nameOf(asked.entry.path)}
          onName={(name) => {
            const { path } = asked.entry;
            const to = joined(folderOf(path), name);
            move.mutate([{ source_path: path, dest_path: to }], {
              onSuccess: () => {
                follow(path, to);
                done(`Renamed to ${name}`);
              },
            });
          }}
          isPending={move.isPending}
          error={move.error}
          onClose={close}
        />
      )}
      {asked?.what === 'move' && (
        <MoveDialog
          projectId={projectId}
          container={container}
          entries={asked.entries}
          onMove={(to) => {
            const moves = asked.entries.map(({ path }) => ({ source_path: path, dest_path: joined(to, nameOf(path)) }));
            move.mutate(moves, {
              onSuccess: () => {
                for (const { source_path } of moves) follow(source_path, undefined);
                done(`Moved to ${to === '' ? 'the top level' : to}`);
              },
            });
          }}
          isPending={move.isPending}
          error={move.error}
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && (
        <DeleteDialog
          projectId={projectId}
          container={container}
          entries={asked.entries}
          onDelete={() => {
            const paths = asked.entries.map(({ path }) => path);
            remove.mutate(paths, {
              onSuccess: () => {
                for (const path of paths) follow(path, undefined);
                done(paths.length === 1 ? `Deleted ${nameOf(paths[0] ?? '')}` : `Deleted ${paths.length} items`);
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

const counted = (total: number | undefined): string =>
  total === undefined || total === 0 ? '' : total === 1 ? '1 item' : `${NUMBERS.format(total)} items`;

interface EntriesProps {
  listing: Listing;
  place: Place;
  mayWrite: boolean;
  upAddress: string;
  list: React.ReactNode;
}

/** Shows the entries, or the reason why they are missing. */
function Entries({ listing, place: { container, folder }, mayWrite, upAddress, list }: EntriesProps) {
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
  at: (part: Partial<Place>) => string;
  mayWrite: boolean;
  onNewFolder: () => void;
  onFiles: (given: GivenFile[]) => void;
}

/** Shows the current location and the actions for adding files. */
function Toolbar({ container, containers, folder, at, mayWrite, onNewFolder, onFiles }: ToolbarProps) {
  const [, open] = useLocation();
  /** Resets the input, so that the same file can be selected again. */
  const forget = useRef<() => void>(null);
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
                href={at({ folder: path })}
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
            Read only
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
              <Menu.RadioGroup value={container.key} onChange={(key) => open(at({ container: key, folder: '' }))}>
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
              resetRef={forget}
              onChange={(files) => {
                onFiles(files.map((file) => ({ file, path: file.name })));
                forget.current?.();
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
  /** Undefined if files cannot be dropped here. */
  onFiles: ((given: GivenFile[]) => void) | undefined;
  children: React.ReactNode;
}

/** Accepts dropped files. */
function DropTarget({ className, onFiles, children }: DropTargetProps) {
  const [isOver, setOver] = useState(false);
  const reading = useMutation({ mutationFn: droppedFiles, onSuccess: (given) => onFiles?.(given) });
  const takes = (event: DragEvent): boolean => onFiles !== undefined && event.dataTransfer.types.includes('Files');
  return (
    <section
      aria-label="Files"
      className={className}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        reading.mutate(event.dataTransfer);
      }}
    >
      {reading.error !== null && <Failure title="Could not read the dropped files" error={reading.error} />}
      {children}
    </section>
  );
}
