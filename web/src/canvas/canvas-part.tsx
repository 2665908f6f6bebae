import { Anchor, Button, Checkbox, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { Link } from 'wouter';
import { useCards } from '../project/cards';
import type { PartProps } from '../project/parts';
import { pathOf } from '../project/paths';
import { Failure } from '../service/failure';
import { Loading } from '../service/loading';
import { useDraft } from '../service/use-draft';
import { CanvasItem } from './canvas-item';
import { headKey, itemsOf, needsInput, newKey, type Opened } from './canvas-items';
import classes from './canvas.module.css';
import type { Card, Kind } from './cards';
import { KINDS } from './kinds';
import { NUMBER } from './numbers';
import { Checklist, type Count, Kinds } from './overview';
import { Snapshots } from './snapshots';
import { omitKeys } from './omit-keys';

/** Media query for screens that show the checklist and the snapshots beside the cards. */
const WIDE = '(min-width: 48em)';
const TYPING_MS = 150;
const ARRIVAL_MS = 300;

/** Item to scroll into view and then focus. */
interface Arrival {
  key: string;
  align: 'start' | 'nearest';
}

/** Shows a project's model: the cards by type, and their gaps. */
export default function CanvasPart({ project, mayWrite }: PartProps) {
  const { data: cards, error, refetch } = useCards(project.id);
  if (cards === undefined)
    return error === null ? (
      <Loading name="the canvas" />
    ) : (
      <div className={classes.alone}>
        <Failure title="Could not load the canvas" error={error} onRetry={() => void refetch()} />
      </div>
    );
  return (
    <Canvas project={project} mayWrite={mayWrite} cards={cards}>
      {error !== null && <Failure title="The canvas may be out of date" error={error} onRetry={() => void refetch()} />}
    </Canvas>
  );
}

interface CanvasProps extends PartProps {
  cards: Card[];
  /** Messages above the cards. */
  children: ReactNode;
}

function Canvas({ project, mayWrite, cards, children }: CanvasProps) {
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const list = useRef<VListHandle>(null);
  const [search, setSearch] = useState('');
  const [text] = useDebouncedValue(search.trim(), TYPING_MS);
  const [isIncomplete, setIncomplete] = useState(false);
  const [opened, setOpened] = useDraft<Readonly<Record<string, Opened>>>(`cards of ${project.id}`, {});
  const [adding, setAdding] = useDraft<readonly Kind[]>(`new cards of ${project.id}`, []);
  const [arrival, setArrival] = useState<Arrival>();
  const [announcement, setAnnouncement] = useState('');

  const items = useMemo(
    () => itemsOf(cards, { text, isIncomplete }, opened, adding),
    [cards, text, isIncomplete, opened, adding],
  );
  const counts = useMemo(() => countsOf(cards), [cards]);
  const incomplete = counts.reduce((sum, one) => sum + one.incomplete, 0);
  const context = useMemo(
    () => ({ objectives: counts.find(({ kind }) => kind === 'objective')?.total ?? 0 }),
    [counts],
  );
  const isFiltered = text !== '' || isIncomplete;
  const isEmpty = cards.length === 0 && adding.length === 0 && !isFiltered;
  /** Number of elements above the cards that scroll with them. On narrow screens this includes the overview. */
  const leadingCount = (isWide ? 0 : 1) + (isEmpty || items.length === 0 ? 1 : 0);

  useEffect(() => {
    if (arrival === undefined) return undefined;
    const at = items.findIndex(({ key }) => key === arrival.key);
    if (at < 0) return undefined;
    const scroll = () => list.current?.scrollToIndex(at + leadingCount, { align: arrival.align });
    scroll();
    // A form takes the focus by itself.
    if (items[at]?.type === 'new') setArrival(undefined);
    // Scrolls repeatedly. On a slow computer, the list stops scrolling before it has measured the cards in between.
    const timer = setInterval(scroll, ARRIVAL_MS);
    return () => clearInterval(timer);
  }, [arrival, items, leadingCount]);

  const edit = useCallback(
    (card: Card, start?: string) => setOpened((all) => ({ ...all, [card.id]: { card, start } })),
    [setOpened],
  );
  const close = useCallback(
    (card: Card, saved?: Card) => {
      setOpened((all) => omitKeys(all, [card.id]));
      setArrival({ key: saved?.id ?? card.id, align: 'nearest' });
      if (saved !== undefined) setAnnouncement(`${saved.label} was saved`);
    },
    [setOpened],
  );
  const add = useCallback(
    (kind: Kind) => {
      setAdding((all) => (all.includes(kind) ? all : [...all, kind]));
      setArrival({ key: newKey(kind), align: 'nearest' });
    },
    [setAdding],
  );
  const closeNew = useCallback(
    (kind: Kind, added?: Card) => {
      setAdding((all) => all.filter((one) => one !== kind));
      setArrival({ key: added?.id ?? headKey(kind), align: 'nearest' });
      if (added !== undefined) setAnnouncement(`${added.label} was added`);
    },
    [setAdding],
  );
  const announceRemoval = useCallback((card: Card) => {
    setArrival({ key: headKey(card.card_type as Kind), align: 'nearest' });
    setAnnouncement(`${card.label} was removed`);
  }, []);
  const clearArrival = useCallback(() => setArrival(undefined), []);
  const showAll = (): void => {
    setSearch('');
    setIncomplete(false);
  };
  const goTo = (kind: Kind): void => {
    showAll();
    setArrival({ key: headKey(kind), align: 'start' });
  };

  const overview = (
    <>
      <Checklist project={project} isShort={!isWide} />
      <Kinds counts={counts} onOpen={goTo} />
    </>
  );
  const mountedIndexes = items.flatMap((item, at) =>
    item.type === 'new' || (item.type === 'card' && item.opened !== undefined) ? [at + leadingCount] : [],
  );
  return (
    <div className={classes.canvas}>
      <div className={classes.main}>
        <div className={classes.tools}>
          <TextInput
            type="search"
            size="sm"
            aria-label="Find a card"
            placeholder="Find a card"
            value={search}
            onChange={({ currentTarget }) => {
              setSearch(currentTarget.value);
              clearArrival();
            }}
            className={classes.search}
          />
          <Checkbox
            size="sm"
            label={`Needs input (${NUMBER.format(incomplete)})`}
            checked={isIncomplete}
            disabled={incomplete === 0 && !isIncomplete}
            onChange={({ currentTarget }) => {
              setIncomplete(currentTarget.checked);
              clearArrival();
            }}
          />
          <Text size="sm" c="dimmed" className={classes.total}>
            {cards.length === 1 ? '1 card' : `${NUMBER.format(cards.length)} cards`}
          </Text>
        </div>
        {children}
        <VisuallyHidden role="status">{announcement}</VisuallyHidden>
        <VList
          ref={list}
          className={classes.list}
          role="group"
          aria-label="Cards"
          tabIndex={0}
          keepMounted={mountedIndexes}
        >
          {[
            ...(isWide ? [] : [<div key="overview">{overview}</div>]),
            ...(isEmpty ? [<Empty key="empty" projectId={project.id} mayWrite={mayWrite} onAdd={add} />] : []),
            ...(items.length === 0 ? [<NoMatches key="nothing" onShowAll={showAll} />] : []),
            ...items.map((item) => (
              <CanvasItem
                key={item.key}
                item={item}
                projectId={project.id}
                mayWrite={mayWrite}
                context={context}
                shouldFocus={arrival?.key === item.key}
                onFocused={clearArrival}
                onAdd={add}
                onEdit={edit}
                onClose={close}
                onCloseNew={closeNew}
                onRemoved={announceRemoval}
              />
            )),
            ...(isWide ? [] : [<Snapshots key="snapshots" projectId={project.id} mayWrite={mayWrite} />]),
          ]}
        </VList>
      </div>
      {isWide && (
        <aside className={classes.side} aria-label="Overview">
          {overview}
          <Snapshots projectId={project.id} mayWrite={mayWrite} />
        </aside>
      )}
    </div>
  );
}

/** Returns the number of cards of each kind. */
const countsOf = (cards: readonly Card[]): Count[] =>
  KINDS.map(({ kind, title }) => {
    const ofKind = cards.filter(({ card_type }) => card_type === kind);
    return { kind, title, total: ofKind.length, incomplete: ofKind.filter(needsInput).length };
  });

function Empty({ projectId, mayWrite, onAdd }: { projectId: string; mayWrite: boolean; onAdd: (kind: Kind) => void }) {
  return (
    <Stack gap="xs" align="flex-start" className={classes.empty}>
      <Text fw={550}>The canvas is empty</Text>
      <Text size="sm" c="dimmed" maw={560}>
        {mayWrite ? (
          <>
            Describe your planning problem in the{' '}
            <Anchor component={Link} href={pathOf(projectId)} size="sm">
              conversation
            </Anchor>
            : your goal, your decisions and your limits. The agent turns it into cards, which you can edit here. Or
            start with an objective of your own.
          </>
        ) : (
          'Cards appear here once an editor adds them.'
        )}
      </Text>
      {mayWrite && <Button onClick={() => onAdd('objective')}>Add an objective</Button>}
    </Stack>
  );
}

function NoMatches({ onShowAll }: { onShowAll: () => void }) {
  return (
    <Stack gap="xs" align="flex-start" className={classes.empty} role="status">
      <Text fw={550}>No matching cards</Text>
      <Text size="sm" c="dimmed">
        Search for part of a label, name or formula, or show all cards.
      </Text>
      <Button variant="default" onClick={onShowAll}>
        Show all cards
      </Button>
    </Stack>
  );
}
