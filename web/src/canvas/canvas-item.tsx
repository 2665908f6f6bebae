import { Button, Text } from '@mantine/core';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { Item } from './canvas-items';
import classes from './canvas.module.css';
import { CardForm } from './card-form';
import { CardView } from './card-view';
import type { Card, Kind } from './cards';
import { focusWhenVisible } from './focus';
import type { CanvasContext } from './kinds';
import { NUMBER } from './numbers';

interface CanvasItemProps {
  item: Item;
  projectId: string;
  mayWrite: boolean;
  context: CanvasContext;
  /** Whether this item should take the focus. */
  shouldFocus: boolean;
  onFocused: () => void;
  onAdd: (kind: Kind) => void;
  onEdit: (card: Card, start?: string) => void;
  onClose: (card: Card, saved?: Card) => void;
  onCloseNew: (kind: Kind, added?: Card) => void;
  onRemoved: (card: Card) => void;
}

/** Item on the canvas: the heading of a card type, a card, or a card form. */
export const CanvasItem = memo(function CanvasItem(props: CanvasItemProps) {
  const { item, projectId, mayWrite, context, shouldFocus, onFocused, onAdd, onEdit, onClose, onCloseNew, onRemoved } =
    props;
  const { kind } = item;
  switch (item.type) {
    case 'head':
      return (
        <div className={classes.head}>
          <FocusTarget as="h2" shouldFocus={shouldFocus} onFocused={onFocused}>
            {kind.title}
          </FocusTarget>
          <Text size="sm" c="dimmed" aria-label={item.count === 1 ? '1 card' : `${item.count} cards`}>
            {NUMBER.format(item.count)}
          </Text>
          <Text size="xs" c="dimmed" className={classes.about} data-empty={item.count === 0 || undefined}>
            {kind.purpose}
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
            context={context}
            onDone={(added) => onCloseNew(kind.kind, added)}
          />
        </div>
      );
    case 'card': {
      const { card, opened, isRemoved } = item;
      if (opened !== undefined)
        return (
          <div className={classes.card} data-open>
            <CardForm
              kind={kind}
              projectId={projectId}
              card={card}
              isRemoved={isRemoved}
              start={opened.start}
              context={context}
              onDone={(saved) => onClose(card, saved)}
            />
          </div>
        );
      return (
        <FocusTarget as="article" label={card.label} shouldFocus={shouldFocus} onFocused={onFocused}>
          <CardView card={card} onEdit={mayWrite ? (start) => onEdit(card, start) : undefined} onRemoved={onRemoved} />
        </FocusTarget>
      );
    }
  }
});

interface FocusTargetProps {
  as: 'h2' | 'article';
  label?: string;
  shouldFocus: boolean;
  onFocused: () => void;
  children: ReactNode;
}

/** Element that takes the focus once it has been scrolled into view. */
function FocusTarget({ as: Element, label, shouldFocus, onFocused, children }: FocusTargetProps) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!shouldFocus) return;
    return focusWhenVisible(() => element.current, onFocused);
  }, [shouldFocus, onFocused]);
  return (
    <Element
      ref={element as never}
      tabIndex={-1}
      aria-label={label}
      className={Element === 'article' ? classes.card : classes.title}
    >
      {children}
    </Element>
  );
}
