import { Button, Text } from '@mantine/core';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { Item } from './canvas-items';
import classes from './canvas.module.css';
import { CardForm } from './card-form';
import { CardView } from './card-view';
import type { Card, Kind } from './cards';
import { focusSoon } from './focus';
import type { Beside } from './kinds';
import { NUMBER } from './numbers';

interface CanvasItemProps {
  item: Item;
  projectId: string;
  mayWrite: boolean;
  beside: Beside;
  /** Whether this item should take the focus. */
  isArriving: boolean;
  onArrived: () => void;
  onAdd: (kind: Kind) => void;
  onEdit: (card: Card, start?: string) => void;
  onClose: (card: Card, saved?: Card) => void;
  onCloseNew: (kind: Kind, added?: Card) => void;
  onRemoved: (card: Card) => void;
}

/** Item of the canvas: the heading of a kind, a card, or a card form. */
export const CanvasItem = memo(function CanvasItem(props: CanvasItemProps) {
  const { item, projectId, mayWrite, beside, isArriving, onArrived, onAdd, onEdit, onClose, onCloseNew, onRemoved } =
    props;
  const { kind } = item;
  switch (item.is) {
    case 'head':
      return (
        <div className={classes.head}>
          <Arriving as="h2" isArriving={isArriving} onArrived={onArrived}>
            {kind.title}
          </Arriving>
          <Text size="sm" c="dimmed" aria-label={item.count === 1 ? '1 card' : `${item.count} cards`}>
            {NUMBER.format(item.count)}
          </Text>
          <Text size="xs" c="dimmed" className={classes.about} data-empty={item.count === 0 || undefined}>
            {kind.about}
          </Text>
          {mayWrite && (
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={`Add ${kind.noun}`}
              onClick={() => onAdd(kind.kind)}
              className={[classes.actions, classes.quiet].join(' ')}
            >
              Add
            </Button>
          )}
        </div>
      );
    case 'new':
      return (
        <div className={classes.card} data-open>
          <CardForm
            kind={kind}
            projectId={projectId}
            beside={beside}
            onDone={(added) => onCloseNew(kind.kind, added)}
          />
        </div>
      );
    case 'card': {
      const { card, opened, isGone } = item;
      if (opened !== undefined)
        return (
          <div className={classes.card} data-open>
            <CardForm
              kind={kind}
              projectId={projectId}
              card={card}
              isGone={isGone}
              start={opened.start}
              beside={beside}
              onDone={(saved) => onClose(card, saved)}
            />
          </div>
        );
      return (
        <Arriving as="article" label={card.label} isArriving={isArriving} onArrived={onArrived}>
          <CardView card={card} onEdit={mayWrite ? (start) => onEdit(card, start) : undefined} onRemoved={onRemoved} />
        </Arriving>
      );
    }
  }
});

interface ArrivingProps {
  as: 'h2' | 'article';
  label?: string;
  isArriving: boolean;
  onArrived: () => void;
  children: ReactNode;
}

/** Takes the focus after it was scrolled into view. */
function Arriving({ as: Element, label, isArriving, onArrived, children }: ArrivingProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isArriving) return;
    return focusSoon(() => place.current, onArrived);
  }, [isArriving, onArrived]);
  return (
    <Element
      ref={place as never}
      tabIndex={-1}
      aria-label={label}
      className={Element === 'article' ? classes.card : classes.title}
    >
      {children}
    </Element>
  );
}
