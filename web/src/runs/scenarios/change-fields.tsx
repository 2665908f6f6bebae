import { ActionIcon, Autocomplete, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import classes from '../runs.module.css';
import { type CanvasNames, type ChangeTarget, useMembers } from './canvas-names';
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

/** Labels of the target field, by kind of change. */
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

const MAX_SUGGESTIONS = 50;

interface ChangeFieldsProps {
  projectId: string;
  draft: ChangeDraft;
  /** One-based position of the change, and number of changes. */
  position: number;
  count: number;
  names: CanvasNames;
  /** Problems by field. The empty key contains the problem with the change as a whole. */
  problems: ReadonlyMap<string, string>;
  onChange: (draft: ChangeDraft) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** Form for a single change in a scenario, with buttons that move and remove it. */
export function ChangeFields({
  projectId,
  draft,
  position,
  count,
  names,
  problems,
  onChange,
  onMove,
  onRemove,
}: ChangeFieldsProps) {
  const { kind, target, operation, amount } = draft;
  const change = (part: Partial<ChangeDraft>) => onChange({ ...draft, ...part });
  const targets = targetsFor(kind, names);
  const hasAmount = kind !== 'add' && kind !== 'off' && kind !== 'file';
  const changeProblem = problems.get('');
  return (
    <fieldset className={classes.fieldset}>
      <legend>
        <Text span size="xs" c="dimmed">
          Change {position}
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
            // `column` and `cell` have the same kind of target, so the target is kept.
            const keepsTarget = [kind, next].every((one) => one === 'column' || one === 'cell');
            change({ kind: next, ...(!keepsTarget && { target: '', key: [] }) });
          }}
          error={problems.get('kind')}
        />
        <Autocomplete
          size="xs"
          className={classes.target}
          label={TARGETS[kind]}
          placeholder={kind === 'add' ? 'x + y <= 40' : targets.length === 0 ? 'None on the canvas yet' : undefined}
          data={[...new Set(targets.map(({ value }) => value))]}
          limit={MAX_SUGGESTIONS}
          renderOption={({ option }) => {
            const match = targets.find(({ value }) => value === option.value);
            return (
              <div>
                <Text size="xs">{match?.label ?? option.value}</Text>
                <Text size="xs" c="dimmed">
                  {match?.description}
                </Text>
              </div>
            );
          }}
          value={target}
          onChange={(value) => change({ target: value })}
          description={targetDescription(targets, target)}
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
            limit={MAX_SUGGESTIONS}
            value={draft.path}
            onChange={(path) => change({ path })}
            error={problems.get('to')}
          />
        )}
        <Group gap={2} ml="auto" mt={22} wrap="nowrap">
          <ToolButton
            label={`Move change ${position} up`}
            sign="↑"
            isHidden={position === 1}
            onClick={() => onMove(-1)}
          />
          <ToolButton
            label={`Move change ${position} down`}
            sign="↓"
            isHidden={position === count}
            onClick={() => onMove(1)}
          />
          <ToolButton label={`Remove change ${position}`} sign="×" onClick={onRemove} />
        </Group>
      </Group>
      {kind === 'column' && (
        <WhereField draft={draft} names={names} problem={problems.get('where')} onChange={change} />
      )}
      {changeProblem !== undefined && (
        <Text size="xs" c="red" mt={4}>
          {changeProblem}
        </Text>
      )}
    </fieldset>
  );
}

function targetsFor(kind: Kind, { values, bounds, limits, columns, off, files }: CanvasNames): readonly ChangeTarget[] {
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

/** Describes the selected target. For a card that is identified by id, this is its label. */
function targetDescription(targets: readonly ChangeTarget[], target: string): string | undefined {
  const match = targets.find(({ value }) => value === target);
  return (
    match &&
    [...(match.label === undefined || match.label === target ? [] : [match.label]), match.description].join(', ')
  );
}

type FieldProps = Pick<ChangeFieldsProps, 'draft' | 'names'> & { onChange: (part: Partial<ChangeDraft>) => void };

/** Selects a single number in a column, with a field for each key part. */
function KeyFields({
  projectId,
  draft: { target, key },
  names: { columns },
  problems,
  onChange,
}: FieldProps & Pick<ChangeFieldsProps, 'projectId' | 'problems'>) {
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
      limit={MAX_SUGGESTIONS}
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
}: FieldProps & { problem: string | undefined }) {
  const set = columns.find(({ value }) => value === target)?.set;
  const columnNames = set === undefined ? [] : [...set.key, ...set.columns];
  return (
    <TextInput
      size="xs"
      mt={6}
      label="Where"
      placeholder="All members"
      description={
        columnNames.length === 0
          ? 'A condition such as region = "north". Leave empty for all members.'
          : `A condition on ${columnNames.join(', ')}, with texts in double quotes. Leave empty for all members.`
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      spellCheck={false}
      value={where}
      onChange={({ currentTarget }) => onChange({ where: currentTarget.value })}
      error={problem}
    />
  );
}

function ToolButton({
  label,
  sign,
  isHidden = false,
  onClick,
}: {
  label: string;
  sign: string;
  isHidden?: boolean;
  onClick: () => void;
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={label}
      title={label}
      // The hidden button still takes up space, so that the other buttons do not move.
      style={{ visibility: isHidden ? 'hidden' : undefined }}
      onClick={onClick}
    >
      {sign}
    </ActionIcon>
  );
}
