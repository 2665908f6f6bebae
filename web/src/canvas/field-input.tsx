import { Autocomplete, Checkbox, Input, NativeSelect, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import classes from './canvas.module.css';
import type { Card } from './cards';
import { Sentence } from './gaps';
import type { Field, Texts } from './kinds';
import { parseColumns, parseTable, textOfColumns } from './texts';
import { ValueGrid } from './value-grid';
import { membersOfRange } from './value-tables';
import { TABLE, useFilePaths } from '../project/workspace-files';
import { useFileColumns } from './workspace-tables';

const MAX_LABEL_LENGTH = 200;
const MAX_KEY_COLUMNS = 5;

interface FieldInputProps {
  field: Field;
  projectId: string;
  /** Values of all form fields as text. */
  texts: Texts;
  isRequired: boolean;
  /** Reason why saving failed. */
  problem: string | undefined;
  /** The card's gaps in this field. */
  gaps: Card['gaps'];
  onWrite: (text: string) => void;
}

/** Whether a field takes the full width of the form. */
export const isWide = ({ name, type, table }: Field): boolean =>
  name === 'label' ||
  table !== undefined ||
  type === 'formula' ||
  type === 'long' ||
  type === 'flag' ||
  type === 'pairs';

/** Editable field on a card. */
export function FieldInput(props: FieldInputProps) {
  const { field, texts, isRequired, problem, gaps, onWrite } = props;
  const { name, label, type, table, choices = [], example, defaultText } = field;
  const text = texts[name] ?? '';
  const hint = gaps.length > 0 && (
    <span className={classes.hint} data-quiet={gaps.every(({ severity }) => severity === 'info') || undefined}>
      <Sentence text={gaps.map(({ message }) => message).join('. ')} />
    </span>
  );
  const wrapper = {
    label,
    required: isRequired,
    error: problem,
    description: hint,
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
  };
  const placeholder = defaultText !== undefined ? `Default: ${defaultText}` : example && `e.g. ${example}`;
  const common = { ...wrapper, placeholder };
  const onChange = ({ currentTarget }: { currentTarget: { value: string } }): void => onWrite(currentTarget.value);
  if (table !== undefined)
    return (
      <Input.Wrapper {...wrapper} labelElement="div">
        <ValueGrid
          label={label}
          table={parseTable(field, text)}
          hasColumns={table === 'members'}
          members={membersOfRange(texts['range'] ?? '')}
          onChange={(newTable) => onWrite(JSON.stringify(newTable))}
        />
      </Input.Wrapper>
    );
  switch (type) {
    case 'flag':
      return (
        <Checkbox
          label={label}
          description={hint}
          checked={text === 'true'}
          error={problem}
          onChange={({ currentTarget }) => onWrite(currentTarget.checked ? 'true' : '')}
        />
      );
    case 'choice': {
      const isOther = text !== '' && !choices.some(({ value }) => value === text);
      const data = [{ value: '', label: 'Not set' }, ...choices, ...(isOther ? [{ value: text, label: text }] : [])];
      return <NativeSelect {...wrapper} data={data} value={text} onChange={onChange} />;
    }
    case 'formula':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          maxRows={10}
          spellCheck={false}
          classNames={{ input: classes.formulaInput ?? '' }}
          value={text}
          onChange={onChange}
          onKeyDown={submitOnEnter}
        />
      );
    case 'long':
      return <Textarea {...common} autosize minRows={2} maxRows={10} value={text} onChange={onChange} />;
    case 'pairs':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          maxRows={10}
          spellCheck={false}
          classNames={{ input: classes.formulaInput ?? '' }}
          value={text}
          onChange={onChange}
        />
      );
    case 'file':
    case 'sheet':
    case 'column':
    case 'columns':
      return <FileField {...props} common={common} />;
    default:
      return (
        <TextInput
          {...common}
          {...(name === 'label' && { maxLength: MAX_LABEL_LENGTH })}
          {...(type === 'number' && { inputMode: 'decimal' as const })}
          spellCheck={name === 'label'}
          autoComplete="off"
          classNames={{ input: type === 'amount' || type === 'range' ? (classes.formulaInput ?? '') : '' }}
          value={text}
          onChange={onChange}
        />
      );
  }
}

/** Field for a workspace file or a part of it, such as a sheet or column, with suggestions. */
function FileField({ field: { name, type }, projectId, texts, onWrite, common }: FieldInputProps & { common: object }) {
  const text = texts[name] ?? '';
  const files = useFilePaths(projectId, TABLE, type === 'file');
  const { file_path = '', sheet = '' } = texts;
  const { columns, sheets } = useFileColumns(projectId, file_path.trim(), sheet.trim(), type !== 'file');
  if (type === 'columns')
    return (
      <TagsInput
        {...common}
        {...(text !== '' && { placeholder: '' })}
        data={columns}
        maxTags={MAX_KEY_COLUMNS}
        splitChars={[]}
        value={parseColumns(text)}
        onChange={(chosen) => onWrite(textOfColumns(chosen))}
      />
    );
  const data = type === 'file' ? files : type === 'sheet' ? sheets : columns;
  return <Autocomplete {...common} data={data} limit={50} value={text} onChange={onWrite} />;
}

/** Submits the form on Enter. A formula is always a single line, even if it wraps. */
function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing)
    return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
