import { ActionIcon, Autocomplete, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import classes from '../runs.module.css';
import { type CanvasNames, type Named, useMembers } from './canvas-names';
import type { ChangeDraft, Kind, Operation } from './change-draft';

/** Kinds of changes with their labels. */
export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: 'value', label: 'Value' },
  { value: 'bound', label: 'Bound' },
  { value: 'limit', label: 'Limit' },
  { value: 'column', label: 'Column' },
  { value: 'cell', label: 'One cell' },
  { value: 'add', label: 'New limit' },
  { value: 'off', label: 'Leave out' },
  { value: 'file', label: 'Other file' },
];

const OPERATIONS: readonly { value: Operation; label: string }[] = [
  { value: 'times', label: 'times' },
  { value: 'plus', label: 'plus' },
  { value: 'to', label: 'set to' },
];

/** Labels of the target field by kind. */
const TARGETS: Record<Kind, string> = {
  value: 'Value',
  bound: 'Bound',
  limit: 'Constraint',
  column: 'Column',
  cell: 'Column',
  add: 'Constraint',
  off: 'Card',
  file: 'Set',
};

const OFFERED = 50;

interface ChangeFieldsProps {
  projectId: string;
  draft: ChangeDraft;
  /** Position of the change, starting at 1, and number of changes. */
  place: number;
  count: number;
  names: CanvasNames;
  /** Problems by field. The empty key applies to the change as a whole. */
  problems: ReadonlyMap<string, string>;
  onChange: (draft: ChangeDraft) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** Form fields of a change. */
export function ChangeFields({
  projectId,
  draft,
  place,
  count,
  names,
  problems,
  onChange,
  onMove,
  onRemove,
}: ChangeFieldsProps) {
  const { kind, target, operation, amount } = draft;
  const change = (part: Partial<ChangeDraft>) => onChange({ ...draft, ...part });
  const offered = offeredFor(kind, names);
  const hasAmount = kind !== 'add' && kind !== 'off' && kind !== 'file';
  const whole = problems.get('');
  return (
    <fieldset className={classes.fieldset}>
      <legend>
        <Text span size="xs" c="dimmed">
          Change {place}
        </Text>
      </legend>
      <Group gap="xs" align="flex-start">
        <NativeSelect
          size="xs"
          w={118}
          label="Kind"
          data={[...KINDS]}
          value={kind}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value as Kind;
            // `column` and `cell` share the same target, so it is kept.
            const keeps = [kind, next].every((one) => one === 'column' || one === 'cell');
            change({ kind: next, ...(!keeps && { target: '', key: [] }) });
          }}
          error={problems.get('kind')}
        />
        <Autocomplete
          size="xs"
          className={classes.target}
          label={TARGETS[kind]}
          placeholder={kind === 'add' ? 'x + y <= 40' : offered.length === 0 ? 'None on the canvas yet' : undefined}
          data={[...new Set(offered.map(({ value }) => value))]}
          limit={OFFERED}
          renderOption={({ option }) => {
            const named = offered.find(({ value }) => value === option.value);
            return (
              <div>
                <Text size="xs">{named?.label ?? option.value}</Text>
                <Text size="xs" c="dimmed">
                  {named?.about}
                </Text>
              </div>
            );
          }}
          value={target}
          onChange={(value) => change({ target: value })}
          description={aboutOf(offered, target)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={problems.get('target')}
        />
        {kind === 'cell' && (
          <KeyFields projectId={projectId} draft={draft} names={names} problems={problems} onChange={change} />
        )}
        {hasAmount && (
          <>
            <NativeSelect
              size="xs"
              w={94}
              label="Operation"
              data={[...OPERATIONS]}
              value={operation}
              onChange={({ currentTarget }) => change({ operation: currentTarget.value as Operation })}
            />
            <TextInput
              size="xs"
              w={110}
              label="Number"
              inputMode="decimal"
              value={amount}
              onChange={({ currentTarget }) => change({ amount: currentTarget.value })}
              error={problems.get('amount') ?? problems.get(operation)}
            />
          </>
        )}
        {kind === 'file' && (
          <Autocomplete
            size="xs"
            className={classes.target}
            label="Read from"
            placeholder="A workspace table"
            data={names.paths}
            limit={OFFERED}
            value={draft.path}
            onChange={(path) => change({ path })}
            error={problems.get('to')}
          />
        )}
        <Group gap={2} ml="auto" mt={22} wrap="nowrap">
          <Tool label={`Move change ${place} up`} sign="↑" isOff={place === 1} onClick={() => onMove(-1)} />
          <Tool label={`Move change ${place} down`} sign="↓" isOff={place === count} onClick={() => onMove(1)} />
          <Tool label={`Remove change ${place}`} sign="×" onClick={onRemove} />
        </Group>
      </Group>
      {kind === 'column' && (
        <WhereField draft={draft} names={names} problem={problems.get('where')} onChange={change} />
      )}
      {whole !== undefined && (
        <Text size="xs" c="red" mt={4}>
          {whole}
        </Text>
      )}
    </fieldset>
  );
}

function offeredFor(kind: Kind, { values, bounds, limits, columns, off, files }: CanvasNames): readonly Named[] {
  switch (kind) {
    case 'value':
      return values;
    case 'bound':
      return bounds;
    case 'limit':
      return limits;
    case 'column':
    case 'cell':
      return columns;
    case 'add':
      return [];
    case 'off':
      return off;
    case 'file':
      return files;
  }
}

/** Describes the selected target. For a card that is identified by id, returns its label. */
function aboutOf(offered: readonly Named[], target: string): string | undefined {
  const named = offered.find(({ value }) => value === target);
  return (
    named && [...(named.label === undefined || named.label === target ? [] : [named.label]), named.about].join(', ')
  );
}

type PartProps = Pick<ChangeFieldsProps, 'draft' | 'names'> & { onChange: (part: Partial<ChangeDraft>) => void };

/** Selects a number of a column, with a field for each key part. */
function KeyFields({
  projectId,
  draft: { target, key },
  names: { columns },
  problems,
  onChange,
}: PartProps & Pick<ChangeFieldsProps, 'projectId' | 'problems'>) {
  const set = columns.find(({ value }) => value === target)?.set;
  const members = useMembers(projectId, set);
  const parts = set?.key ?? (key.length > 0 ? key.map((_, at) => `Part ${at + 1}`) : ['Member']);
  return parts.map((title, at) => (
    <Autocomplete
      key={at}
      size="xs"
      className={classes.keyPart}
      label={title}
      data={members[at] ?? []}
      limit={OFFERED}
      value={key[at] ?? ''}
      onChange={(part) => onChange({ key: parts.map((_, other) => (other === at ? part : (key[other] ?? ''))) })}
      error={at === 0 && problems.get('key')}
    />
  ));
}

function WhereField({
  draft: { target, where },
  names: { columns },
  problem,
  onChange,
}: PartProps & { problem: string | undefined }) {
  const set = columns.find(({ value }) => value === target)?.set;
  const known = set === undefined ? [] : [...set.key, ...set.columns];
  return (
    <TextInput
      size="xs"
      mt={6}
      label="Where"
      placeholder="All members"
      description={
        known.length === 0
          ? 'A condition such as region = "north". Leave empty for all members.'
          : `A condition on ${known.join(', ')}, with texts in double quotes. Leave empty for all members.`
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      spellCheck={false}
      value={where}
      onChange={({ currentTarget }) => onChange({ where: currentTarget.value })}
      error={problem}
    />
  );
}

function Tool({
  label,
  sign,
  isOff = false,
  onClick,
}: {
  label: string;
  sign: string;
  isOff?: boolean;
  onClick: () => void;
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={label}
      title={label}
      // The hidden button keeps its space, so that the other buttons do not move.
      style={{ visibility: isOff ? 'hidden' : undefined }}
      onClick={onClick}
    >
      {sign}
    </ActionIcon>
  );
}
