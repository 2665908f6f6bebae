import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Failure } from '../service/failure';
import { type Card, CardChangedError, useRemoveCard } from './cards';
import classes from './canvas.module.css';
import { Gaps } from './gaps';
import { type Field, kindOf } from './kinds';
import { LongText } from './long-text';
import { NUMBER } from './numbers';
import { statementOf } from './statement';
import { columnsIn, tableIn, textsOf } from './texts';
import { ValueTableView } from './value-table-view';

/** Maximum number of members shown for a set without figures. */
const MEMBERS_SHOWN = 20;
const STATUS: Record<string, string | undefined> = { draft: 'Draft', needs_input: 'Needs input' };

interface CardViewProps {
  card: Card;
  /** Opens the card form, optionally at a field. Undefined for users with read access. */
  onEdit: ((field?: string) => void) | undefined;
  onRemoved: (card: Card) => void;
}

/** Shows a card for reading. */
export function CardView({ card, onEdit, onRemoved }: CardViewProps) {
  const { label, status, gaps, data } = card;
  const [isRemoving, setRemoving] = useState(false);
  const statement = statementOf(card);
  const said = STATUS[status];
  const description = typeof data['description'] === 'string' ? data['description'] : '';
  return (
    <>
      <div className={classes.cardHead}>
        <h3 className={classes.label}>{label}</h3>
        {said !== undefined && (
          <span className={classes.status} data-status={status}>
            {said}
          </span>
        )}
        {onEdit !== undefined && !isRemoving && (
          <span className={classes.actions}>
            <Button
              variant="subtle"
              size="compact-xs"
              className={classes.quiet}
              aria-label={`Edit ${label}`}
              onClick={() => onEdit()}
            >
              Edit
            </Button>
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              className={classes.quiet}
              aria-label={`Remove ${label}`}
              onClick={() => setRemoving(true)}
            >
              Remove
            </Button>
          </span>
        )}
      </div>
      <div className={classes.body}>
        {statement !== undefined && (
          <p className={classes.statement}>
            {statement.lead !== undefined && <span className={classes.lead}>{statement.lead} </span>}
            <code>
              <LongText text={statement.formula} />
            </code>
            {statement.index !== '' && (
              <span className={classes.index}>
                <span className={classes.lead}>for</span> <code>{statement.index}</code>
              </span>
            )}
          </p>
        )}
        <Facts card={card} told={statement?.tells ?? []} />
      </div>
      {description !== '' && (
        <p className={classes.description}>
          <LongText text={description} />
        </p>
      )}
      <Gaps gaps={gaps} onOpen={onEdit} />
      {isRemoving && <Removal card={card} onRemoved={onRemoved} onKeep={() => setRemoving(false)} />}
    </>
  );
}

/** Shows the fields of a card that its statement does not cover. */
function Facts({ card, told }: { card: Card; told: readonly string[] }) {
  const kind = kindOf(card.card_type);
  if (kind === undefined) return null;
  const texts = textsOf(kind, card);
  const isTold = (name: string): boolean => name === 'description' || told.includes(name);
  const isNothing =
    card.card_type === 'production_requirement' && kind.ways?.of(texts) === 'nothing' && texts['description'] === '';
  const shown = kind.fields.filter(({ name }) => (texts[name] ?? '') !== '' && !isTold(name));
  const tables = shown.filter(({ table }) => table !== undefined);
  return (
    <>
      {isNothing ? (
        <p className={classes.statement}>
          <span className={classes.lead}>No production requirements</span>
        </p>
      ) : (
        shown.length > tables.length && (
          <dl className={classes.facts}>
            {shown.map((field) => (
              <Fact key={field.name} field={field} text={texts[field.name] ?? ''} />
            ))}
          </dl>
        )
      )}
      {tables.map((field) => {
        const table = tableIn(field, texts[field.name] ?? '');
        return table.columns.length > 0 ? (
          <ValueTableView key={field.name} table={table} of={card.label} />
        ) : (
          <dl key={field.name} className={classes.facts}>
            <div>
              <dt>Members</dt>
              <dd>{someOf(table.rows.map(([member = '']) => member))}</dd>
            </div>
          </dl>
        );
      })}
    </>
  );
}

function Fact({ field: { label, short = label, is, choices, table }, text }: { field: Field; text: string }) {
  if (table !== undefined) return null;
  if (is === 'flag' && text === 'true')
    return (
      <div>
        <VisuallyHidden component="dt">Option</VisuallyHidden>
        <dd>{short}</dd>
      </div>
    );
  return (
    <div>
      {is === 'choice' ? <VisuallyHidden component="dt">{short}</VisuallyHidden> : <dt>{short}</dt>}
      <dd data-formula={is === 'formula' || is === 'amount' || is === 'file' || is === 'renamed' || undefined}>
        {is === 'columns' ? (
          columnsIn(text).join(', ')
        ) : is === 'number' ? (
          formatted(text)
        ) : (
          <LongText text={shortOf(choices, text)} />
        )}
      </dd>
    </div>
  );
}

function shortOf(choices: Field['choices'] = [], text: string): string {
  const choice = choices.find(({ value }) => value === text);
  return choice?.short ?? choice?.label ?? text;
}

const formatted = (text: string): string => (Number.isFinite(Number(text)) ? NUMBER.format(Number(text)) : text);

const someOf = (members: string[]): string =>
  members.length > MEMBERS_SHOWN
    ? `${members.slice(0, MEMBERS_SHOWN).join(', ')} and ${NUMBER.format(members.length - MEMBERS_SHOWN)} more`
    : members.join(', ');

interface RemovalProps {
  card: Card;
  onRemoved: (card: Card) => void;
  onKeep: () => void;
}

/** Asks for confirmation. If another user has changed the card, shows the new version first. */
function Removal({ card, onRemoved, onKeep }: RemovalProps) {
  const removal = useRemoveCard(card.project_id, onRemoved);
  const keep = useRef<HTMLButtonElement>(null);
  const [asked] = useState(card.version);
  const hasChanged = card.version !== asked;
  useEffect(() => keep.current?.focus(), []);
  return (
    <div
      className={classes.removal}
      role="group"
      aria-label={`Remove ${card.label}?`}
      onKeyDown={({ key }) => key === 'Escape' && onKeep()}
    >
      <Text size="sm" role={hasChanged ? 'alert' : undefined}>
        {hasChanged
          ? 'Someone else changed this card, so it was not removed. Remove the new version?'
          : 'Remove this card? This cannot be undone.'}
      </Text>
      <Group gap="xs">
        <Button color="red" size="compact-sm" loading={removal.isPending} onClick={() => removal.mutate(card)}>
          {hasChanged ? 'Remove it anyway' : 'Remove it'}
        </Button>
        <Button ref={keep} variant="default" size="compact-sm" onClick={onKeep}>
          Keep it
        </Button>
      </Group>
      {removal.error !== null && !(removal.error instanceof CardChangedError) && (
        <Failure what="Could not remove the card" error={removal.error} />
      )}
    </div>
  );
}
