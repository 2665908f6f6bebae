import { ActionIcon, Menu, Text } from '@mantine/core';
import { type KeyboardEvent, memo, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Link } from 'wouter';
import { RelativeTime } from '../frame/relative-time';
import { formatBytes } from '../frame/sizes';
import classes from './files.module.css';
import type { Entry, Listing } from './listing';
import { displayName } from './paths';

/** Actions for an entry. An action that is not available is undefined. */
export interface EntryActions {
  onDownload: (entry: Entry) => void;
  onCopyPath: (entry: Entry) => void;
  onRename?: (entry: Entry) => void;
  onMove?: (entries: Entry[]) => void;
  onDelete?: (entries: Entry[]) => void;
}

interface FileListProps {
  listing: Listing;
  /** Accessible name of the list. */
  label: string;
  /** Path of the file that is open next to the list. */
  openPath: string | undefined;
  urlOf: (entry: Entry) => string;
  onOpen: (entry: Entry) => void;
  /** Opens the parent folder. Undefined in the root folder. */
  onUp: (() => void) | undefined;
  actions: EntryActions;
  /** Selected entries by path. */
  selection: ReadonlyMap<string, Entry>;
  onToggle: (entry: Entry) => void;
}

/** Number of rows by which PageUp and PageDown move. */
const PAGE_ROWS = 10;

/** Contents of a folder. The list is a single tab stop and has an active row. */
export function FileList({
  listing,
  label,
  openPath,
  urlOf,
  onOpen,
  onUp,
  actions,
  selection,
  onToggle,
}: FileListProps) {
  const { entry, setVisibleRange, total = 0 } = listing;
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [active, setActive] = useState(0);
  /** Index of the row whose menu is open. */
  const [menuIndex, setMenuIndex] = useState<number>();
  const rows = useMemo(() => ({ length: total }), [total]);
  const isSelectable = actions.onDelete !== undefined;
  const reportVisibleRange = (): void => {
    const { current } = list;
    if (current !== null) setVisibleRange(current.findItemIndex(current.scrollOffset), lastVisibleIndex(current));
  };
  useEffect(() => setActive((index) => Math.min(index, Math.max(0, total - 1))), [total]);

  const go = (index: number): void => {
    const to = Math.max(0, Math.min(total - 1, index));
    setActive(to);
    list.current?.scrollToIndex(to, { align: 'nearest' });
  };
  const affected = (one: Entry): Entry[] => (selection.has(one.path) ? [...selection.values()] : [one]);
  const handleKeyDown = (event: KeyboardEvent): void => {
    // Keys pressed in a menu are handled by the menu.
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const one = entry(active);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + PAGE_ROWS,
      PageUp: active - PAGE_ROWS,
      Home: 0,
      End: total - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) go(to);
    else if (event.key === 'Backspace' || event.key === 'ArrowLeft') onUp?.();
    else if (one === undefined) return;
    else if (event.key === 'Enter' || (event.key === 'ArrowRight' && one.file === undefined)) onOpen(one);
    else if (event.key === ' ' && isSelectable) onToggle(one);
    else if (event.key === 'F2') actions.onRename?.(one);
    else if (event.key === 'Delete') actions.onDelete?.(affected(one));
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      setMenuIndex(active);
      // Without this, the click would also close the menu that it opens.
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  const closeMenu = (): void => {
    setMenuIndex(undefined);
    scroll.current?.focus();
  };

  return (
    <div
      ref={scroll}
      className={classes.list}
      role="grid"
      aria-label={label}
      aria-rowcount={total}
      aria-multiselectable={isSelectable || undefined}
      aria-activedescendant={rowId(active)}
      tabIndex={0}
      onKeyDown={handleKeyDown}
    >
      <Virtualizer
        ref={list}
        scrollRef={scroll}
        data={rows}
        itemSize={36}
        keepMounted={[active]}
        onScroll={reportVisibleRange}
        onResize={reportVisibleRange}
      >
        {(_, index) => {
          const one = entry(index);
          return (
            <Row
              key={index}
              index={index}
              entry={one}
              href={one && urlOf(one)}
              isActive={index === active}
              isOpen={one !== undefined && one.path === openPath}
              isSelected={one !== undefined && selection.has(one.path)}
              onToggle={isSelectable ? onToggle : undefined}
              onActive={setActive}
              onMenu={setMenuIndex}
              menu={
                one !== undefined && menuIndex === index ? (
                  <EntryMenu entry={one} affected={affected(one)} actions={actions} onClose={closeMenu} />
                ) : undefined
              }
            />
          );
        }}
      </Virtualizer>
    </div>
  );
}

const rowId = (index: number): string => `file-row-${index}`;

const lastVisibleIndex = (list: VirtualizerHandle): number => list.findItemIndex(list.scrollOffset + list.viewportSize);

interface RowProps {
  index: number;
  /** Undefined while the entry is loading. */
  entry: Entry | undefined;
  href: string | undefined;
  isActive: boolean;
  isOpen: boolean;
  isSelected: boolean;
  onToggle: ((entry: Entry) => void) | undefined;
  onActive: (index: number) => void;
  onMenu: (index: number) => void;
  menu: React.ReactNode;
}

const Row = memo(function Row(props: RowProps) {
  const { index, entry, href, isActive, isOpen, isSelected, onToggle, onActive, onMenu, menu } = props;
  const common = {
    id: rowId(index),
    role: 'row',
    'aria-rowindex': index + 1,
    className: classes.row,
    'data-active': isActive || undefined,
    'data-open': isOpen || undefined,
  };
  if (entry === undefined || href === undefined)
    return (
      <div {...common}>
        <span role="gridcell" className={classes.pending}>
          …
        </span>
      </div>
    );
  const { path, file } = entry;
  const name = displayName(path);
  const openMenu = (event: MouseEvent): void => {
    event.preventDefault();
    onActive(index);
    onMenu(index);
  };
  return (
    <div {...common} aria-selected={onToggle === undefined ? undefined : isSelected} onContextMenu={openMenu}>
      {onToggle !== undefined && (
        <span role="gridcell" className={classes.tick}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={() => onToggle(entry)}
          />
        </span>
      )}
      <span role="gridcell" className={classes.nameCell}>
        <Link href={href} tabIndex={-1} className={classes.entryLink} title={name} onClick={() => onActive(index)}>
          <Icon isFolder={file === undefined} />
          <span className={classes.fileName}>{name}</span>
        </Link>
      </span>
      <span role="gridcell" className={classes.size}>
        {file === undefined ? '' : formatBytes(file.size)}
      </span>
      <span role="gridcell" className={classes.modified}>
        {file?.modified == null ? '' : <RelativeTime moment={file.modified} />}
      </span>
      <span role="gridcell" className={classes.more}>
        {menu ?? (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            tabIndex={-1}
            aria-label={`Actions for ${name}`}
            aria-haspopup="menu"
            onClick={openMenu}
          >
            <Dots />
          </ActionIcon>
        )}
      </span>
    </div>
  );
});

interface EntryMenuProps {
  entry: Entry;
  /** Entries to move or delete: all selected entries if this entry is selected, otherwise only this entry. */
  affected: Entry[];
  actions: EntryActions;
  onClose: () => void;
}

function EntryMenu({ entry, affected, actions, onClose }: EntryMenuProps) {
  const { onDownload, onCopyPath, onRename, onMove, onDelete } = actions;
  const several = affected.length > 1 ? ` ${affected.length} items` : '';
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-end"
      withinPortal
      returnFocus={false}
      // Focuses the first item initially, because the menu contains only items.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon
          variant="light"
          color="gray"
          size="sm"
          tabIndex={-1}
          aria-label={`Actions for ${displayName(entry.path)}`}
        >
          <Dots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {entry.file !== undefined && <Menu.Item onClick={() => onDownload(entry)}>Download</Menu.Item>}
        <Menu.Item onClick={() => onCopyPath(entry)}>Copy path</Menu.Item>
        {onRename !== undefined && (
          <Menu.Item rightSection={<Key name="F2" />} onClick={() => onRename(entry)}>
            Rename
          </Menu.Item>
        )}
        {onMove !== undefined && <Menu.Item onClick={() => onMove(affected)}>Move{several}</Menu.Item>}
        {onDelete !== undefined && (
          <Menu.Item
            c="var(--mantine-color-error)"
            rightSection={<Key name="Del" />}
            onClick={() => onDelete(affected)}
          >
            Delete{several}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const Key = ({ name }: { name: string }) => (
  <Text size="xs" c="dimmed" span>
    {name}
  </Text>
);

export const Dots = () => (
  <svg width="14" height="14" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
    <circle cx="3" cy="8" r="1.4" />
    <circle cx="8" cy="8" r="1.4" />
    <circle cx="13" cy="8" r="1.4" />
  </svg>
);

const Icon = ({ isFolder }: { isFolder: boolean }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    className={classes.icon}
    data-folder={isFolder || undefined}
    aria-hidden="true"
  >
    {isFolder ? (
      <path d="M1.5 4a1 1 0 0 1 1-1h3.6l1.4 1.5h6a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z" />
    ) : (
      <path d="M3.5 2a.5.5 0 0 1 .5-.5h5.3L12.5 4.7V14a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5z M9.2 1.6v3.3h3.2" />
    )}
  </svg>
);
