import { Button, Group, NativeSelect, Pill, Popover, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { type FormEvent, useState } from 'react';
import type { ColumnType } from './cells';

export type Filter = Schemas['TableFilter'];
type Operator = Filter['op'];
type Column = { name: string; type: ColumnType };

const EMPTY = { value: 'empty', label: 'is empty' } as const;
const EQUAL = [
  { value: '=', label: 'is' },
  { value: '<>', label: 'is not' },
] as const;
const COMPARISONS = [
  ...EQUAL,
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: '>', label: 'is greater than' },
  { value: '>=', label: 'is at least' },
  EMPTY,
] as const;

/** Returns the filter operators for a column type. */
function operatorsOf(type: ColumnType): readonly { value: Operator; label: string }[] {
  if (type === 'json') return [EMPTY];
  if (type === 'boolean') return [...EQUAL, EMPTY];
  if (type === 'text') return [{ value: 'contains', label: 'contains' }, ...EQUAL, EMPTY];
  return COMPARISONS;
}

const EXAMPLES: Partial<Record<ColumnType, string>> = {
  date: '2026-01-31',
  time: '08:30',
  timestamp: '2026-01-31 08:30',
};

interface FiltersProps {
  columns: readonly Column[];
  filters: readonly Filter[];
  onChange: (filters: Filter[]) => void;
}

/** Filters that every row must satisfy, with a control for adding a filter. */
export function Filters({ columns, filters, onChange }: FiltersProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus withinPortal shadow="md">
        <Popover.Target>
          <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterForm
            columns={columns}
            onAdd={(filter) => {
              onChange([...filters, filter]);
              setOpen(false);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {filters.map((filter, index) => (
        <Pill
          key={index}
          withRemoveButton
          maw="100%"
          onRemove={() => onChange(filters.filter((_, other) => other !== index))}
          removeButtonProps={{
            'aria-label': `Remove the filter ${filterLabel(filter, columns)}`,
            tabIndex: 0,
            'aria-hidden': false,
          }}
        >
          {filterLabel(filter, columns)}
        </Pill>
      ))}
    </>
  );
}

function filterLabel({ column, op, value }: Filter, columns: readonly Column[]): string {
  const type = columns.find(({ name }) => name === column)?.type ?? 'text';
  const label = operatorsOf(type).find((operator) => operator.value === op)?.label ?? op;
  return op === 'empty' ? `${column} ${label}` : `${column} ${label} ${String(value)}`;
}

function FilterForm({ columns, onAdd }: { columns: readonly Column[]; onAdd: (filter: Filter) => void }) {
  const [name, setName] = useState(columns[0]?.name ?? '');
  const type = columns.find((column) => column.name === name)?.type ?? 'text';
  const operators = operatorsOf(type);
  const [chosenOp, setChosenOp] = useState<string>();
  const op = (operators.find(({ value }) => value === chosenOp) ?? operators[0])?.value ?? 'empty';
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (op === 'empty') return onAdd({ column: name, op });
    const value = valueOf(text, type);
    if (value === undefined) setProblem(PROBLEMS[type] ?? 'Enter a value');
    else onAdd({ column: name, op, value });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs" w={240}>
        <NativeSelect
          size="sm"
          label="Column"
          data={columns.map((column) => column.name)}
          value={name}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setProblem(undefined);
          }}
        />
        <NativeSelect
          size="sm"
          aria-label="Condition"
          data={[...operators]}
          value={op}
          onChange={({ currentTarget }) => setChosenOp(currentTarget.value)}
        />
        {op !== 'empty' &&
          (type === 'boolean' ? (
            <NativeSelect
              size="sm"
              aria-label="Value"
              data={['', 'true', 'false']}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              error={problem}
            />
          ) : (
            <TextInput
              size="sm"
              aria-label="Value"
              placeholder={EXAMPLES[type] ?? 'Value'}
              value={text}
              onChange={({ currentTarget }) => {
                setText(currentTarget.value);
                setProblem(undefined);
              }}
              error={problem}
            />
          ))}
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {type}
          </Text>
          <Button type="submit" size="compact-sm">
            Add filter
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const PROBLEMS: Partial<Record<ColumnType, string>> = {
  integer: 'Enter a whole number',
  number: 'Enter a number with a decimal point, such as 12.5',
  boolean: 'Choose true or false',
};

/** Converts the user's input to a filter value. Returns undefined if it is not a valid value for the column. */
function valueOf(text: string, type: ColumnType): string | number | boolean | undefined {
  const trimmed = text.trim();
  if (type === 'text') return text === '' ? undefined : text;
  if (trimmed === '') return undefined;
  if (type === 'boolean') return trimmed === 'true';
  if (type === 'number') return Number.isNaN(Number(trimmed)) ? undefined : Number(trimmed);
  if (type === 'integer') {
    // Integers are sent as strings, so that large integers keep all digits.
    if (/^-?\d{1,38}$/.test(trimmed)) return trimmed;
    return Number.isNaN(Number(trimmed)) ? undefined : Number(trimmed);
  }
  return trimmed;
}
