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
import { parseColumns, parseTable, textsOf } from './texts';
import { ValueTableView } from './value-table-view';

/** Maximum number of members shown for a set without values. */
const MAX_MEMBERS = 20;
const STATUS_LABELS: Record<string, string | undefined> = { draft: 'Draft', needs_input: 'Needs input' };

interface CardViewProps {
  card: Card;
  /** Opens the card form, optionally at a field. Undefined for users with read access. */
  onEdit: ((field?: string) => void) | undefined;
  onRemoved: (card: Card) => void;
}

/** Read-only view of a card. */
export function CardView({ card, onEdit, onRemoved }: CardViewProps) {
  const { label, status, gaps, data } = card;
  const [isRemoving, setRemoving] = useState(false);
  const statement = statementOf(card);
  const statusLabel = STATUS_LABELS[status];
  const description = typeof data['description'] === 'string' ? data['description'] : '';
  return (
    <>
      <div className={classes.cardHead}>
        <h3 className={classes.label}>{label}</h3>
        {statusLabel !== undefined && (
          <span className={classes.status} data-status={status}>
            {statusLabel}
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
        <Facts card={card} coveredFields={statement?.coveredFields ?? []} />
      </div>
      {description !== '' && (
        <p className={classes.description}>
          <LongText text={description} />
        </p>
      )}
      <Gaps gaps={gaps} onOpen={onEdit} />
      {isRemoving && <RemovalConfirmation card={card} onRemoved={onRemoved} onKeep={() => setRemoving(false)} />}
    </>
  );
}

/** Shows the card fields that the card's statement does not cover. */
function Facts({ card, coveredFields }: { card: Card; coveredFields: readonly string[] }) {
  const kind = kindOf(card.card_type);
  if (kind === undefined) return null;
  const texts = textsOf(kind, card);
  const isCovered = (name: string): boolean => name === 'description' || coveredFields.includes(name);
  const isEmptyRequirement =
    card.card_type === 'production_requirement' &&
    kind.variants?.select(texts) === 'nothing' &&
    texts['description'] === '';
  const filledFields = kind.fields.filter(({ name }) => (texts[name] ?? '') !== '' && !isCovered(name));
  const tables = filledFields.filter(({ table }) => table !== undefined);
  return (
    <>
      {isEmptyRequirement ? (
        <p className={classes.statement}>
          <span className={classes.lead}>No production requirements</span>
        </p>
      ) : (
        filledFields.length > tables.length && (
          <dl className={classes.facts}>
            {filledFields.map((field) => (
              <Fact key={field.name} field={field} text={texts[field.name] ?? ''} />
            ))}
          </dl>
        )
      )}
      {tables.map((field) => {
        const table = parseTable(field, texts[field.name] ?? '');
        return table.columns.length > 0 ? (
          <ValueTableView key={field.name} table={table} subject={card.label} />
        ) : (
          <dl key={field.name} className={classes.facts}>
            <div>
              <dt>Members</dt>
              <dd>{memberList(table.rows.map(([member = '']) => member))}</dd>
            </div>
          </dl>
        );
      })}
    </>
  );
}

function Fact({ field: { label, short = label, type, choices, table }, text }: { field: Field; text: string }) {
  if (table !== undefined) return null;
  if (type === 'flag' && text === 'true')
    return (
      <div>
        <VisuallyHidden component="dt">Option</VisuallyHidden>
        <dd>{short}</dd>
      </div>
    );
  return (
    <div>
      {type === 'choice' ? <VisuallyHidden component="dt">{short}</VisuallyHidden> : <dt>{short}</dt>}
      <dd
        data-formula={
          type === 'formula' ||
          type === 'amount' ||
          type === 'range' ||
          type === 'file' ||
          type === 'pairs' ||
          undefined
        }
      >
        {type === 'columns' ? (
          parseColumns(text).join(', ')
        ) : type === 'number' ? (
          formatNumber(text)
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

const formatNumber = (text: string): string => (Number.isFinite(Number(text)) ? NUMBER.format(Number(text)) : text);

const memberList = (members: string[]): string =>
  members.length > MAX_MEMBERS
    ? `${members.slice(0, MAX_MEMBERS).join(', ')} and ${NUMBER.format(members.length - MAX_MEMBERS)} more`
    : members.join(', ');

interface RemovalConfirmationProps {
  card: Card;
  onRemoved: (card: Card) => void;
  onKeep: () => void;
}

/** Asks for confirmation. If another user has changed the card, shows the new version first. */
function RemovalConfirmation({ card, onRemoved, onKeep }: RemovalConfirmationProps) {
  const removal = useRemoveCard(card.project_id, onRemoved);
  const keepButton = useRef<HTMLButtonElement>(null);
  const [initialVersion] = useState(card.version);
  const hasChanged = card.version !== initialVersion;
  useEffect(() => keepButton.current?.focus(), []);
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
        <Button ref={keepButton} variant="default" size="compact-sm" onClick={onKeep}>
          Keep it
        </Button>
      </Group>
      {removal.error !== null && !(removal.error instanceof CardChangedError) && (
        <Failure title="Could not remove the card" error={removal.error} />
      )}
    </div>
  );
}
