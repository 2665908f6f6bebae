import { Button, Group, Input, SegmentedControl } from '@mantine/core';
import type { ValidationEntry } from '@project-workspace/client';
import { type FormEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Failure } from '../service/failure';
import { entriesOf, problemMessage } from '../service/problems';
import { useDraft } from '../service/use-draft';
import classes from './canvas.module.css';
import { type Card, CardChangedError, useAddCard, useChangeCard } from './cards';
import { FieldInput, isWide } from './field-input';
import { focusWhenVisible } from './focus';
import { type CanvasContext, type CardKind, editsKey, type Field, fieldsFor, type Texts } from './kinds';
import { EditConflict, OtherVersion } from './edit-conflict';
import { changesOf, LABEL, problemOf, textsOf } from './texts';
import { omitKeys } from './omit-keys';

const LABEL_FIELD: Field = { name: LABEL, label: 'Label' };

/** Text that the user has typed into a field, and the saved text of the field at the time when the user began to edit it. */
interface Edit {
  text: string;
  over: string;
}

interface CardFormProps {
  kind: CardKind;
  projectId: string;
  /** Current version of the card. If absent, a new card is created. */
  card?: Card;
  /** Whether another user has removed the card. Its content can still be saved as a new card. */
  isRemoved?: boolean;
  /** Key of `data` whose field receives the focus. Default: the label. */
  start?: string | undefined;
  context: CanvasContext;
  onDone: (saved?: Card) => void;
}

/**
 * Form for a card. Fields that the user has not edited are updated when other users change them. If another user has changed an
 * edited field, the form shows both versions and cannot be saved until the user chooses one.
 */
export function CardForm({ kind, projectId, card, isRemoved = false, start, context, onDone }: CardFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const savedTexts = useMemo(() => textsOf(kind, card), [kind, card]);
  const draftName = `${card?.id ?? `new ${kind.kind}`} in ${projectId}`;
  const [edits, setEdits, forgetEdits] = useDraft<Readonly<Record<string, Edit>>>(`card ${draftName}`, {});
  const [problems, setProblems] = useState<Texts>({});
  const [initialVersion] = useState(card?.version);
  const [variant, setVariant, forgetVariant] = useDraft(
    `variant of ${draftName}`,
    initialVariant(kind, savedTexts, start, context),
  );
  const close = (saved?: Card): void => {
    forgetEdits();
    forgetVariant();
    onDone(saved);
  };
  const add = useAddCard(projectId, close);
  const change = useChangeCard(projectId, close);
  const saving = card === undefined || isRemoved ? add : change;

  const texts: Texts = {
    ...savedTexts,
    ...Object.fromEntries(Object.entries(edits).map(([name, { text }]) => [name, text])),
  };
  const fields = [LABEL_FIELD, ...fieldsFor(kind, texts, variant, context)];
  const editedNames = Object.keys(edits).filter((name) => texts[name] !== savedTexts[name]);
  /** Whether another user has changed a field since this user began to edit it. */
  const hasConflict = ({ name }: Field): boolean => {
    const edit = edits[name];
    return !isRemoved && edit !== undefined && edit.over !== savedTexts[name] && edit.text !== savedTexts[name];
  };
  const validationErrors = entriesOf(saving.error);
  const isDisplayed = (entry: ValidationEntry): boolean => fields.some((field) => concernsField(entry, field));

  useEffect(() => {
    const fieldNames = kind.fields.filter((field) => editsKey(field, start)).map(({ name }) => name);
    return focusWhenVisible(() => inputOf(form.current, [...fieldNames, LABEL]));
  }, [kind, start]);

  const editFields = (changes: Texts): void => {
    setEdits((all) => ({
      ...all,
      ...Object.fromEntries(
        Object.entries(changes).map(([name, text]) => [
          name,
          { text, over: all[name]?.over ?? savedTexts[name] ?? '' },
        ]),
      ),
    }));
    setProblems((all) => omitKeys(all, Object.keys(changes)));
  };
  const chooseVersion = ({ name }: Field, text: string | undefined): void => {
    setEdits((all) => ({
      ...omitKeys(all, [name]),
      ...(text !== undefined && { [name]: { text, over: savedTexts[name] ?? '' } }),
    }));
    setProblems((all) => omitKeys(all, [name]));
  };
  const chooseVariant = (name: string): void => {
    const presetsOf = (variantName: string | undefined): Texts =>
      kind.variants?.options.find((one) => one.name === variantName)?.presets ?? {};
    editFields({ ...Object.fromEntries(Object.keys(presetsOf(variant)).map((key) => [key, ''])), ...presetsOf(name) });
    setVariant(name);
  };
  const save = (): void => {
    const invalid = fields.flatMap((field): [string, string][] => {
      const text = texts[field.name] ?? '';
      const problem = hasConflict(field)
        ? 'Choose which version to keep'
        : field === LABEL_FIELD && text.trim() === ''
          ? 'Give the card a label'
          : editedNames.includes(field.name)
            ? problemOf(field, text)
            : undefined;
      return problem === undefined ? [] : [[field.name, problem]];
    });
    setProblems(Object.fromEntries(invalid));
    const [first] = invalid;
    if (first !== undefined) return inputOf(form.current, [first[0]])?.focus();
    const label = (texts[LABEL] ?? '').trim();
    const data = changesOf(kind, card?.data ?? {}, texts, editedNames);
    if (card === undefined) add.mutate({ card_type: kind.kind, label, data });
    else if (isRemoved) {
      const { instance_data = {} } = card;
      add.mutate({ card_type: kind.kind, label, data: { ...card.data, ...data }, instance_data });
    } else if (editedNames.length === 0) close();
    else change.mutate({ base: card, ...(editedNames.includes(LABEL) && { label }), data });
  };
  const handleKeyDown = (event: KeyboardEvent): void => {
    // Escape first closes an open list of choices, and never discards edits. Only the button discards edits.
    const hasChoices = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true';
    if (event.key === 'Escape' && editedNames.length === 0 && !hasChoices) close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save();
  };

  return (
    <form
      ref={form}
      className={classes.form}
      aria-label={card === undefined ? `New ${kind.noun}` : `Edit ${card.label}`}
      noValidate
      onKeyDown={handleKeyDown}
      onSubmit={submit}
    >
      {isRemoved ? (
        <EditConflict title="Someone else removed this card">You can add your version as a new card.</EditConflict>
      ) : (
        card?.version !== initialVersion && (
          <EditConflict title="Someone else changed this card">
            {fields.some(hasConflict)
              ? 'Nothing was overwritten. Choose a version for each field that both of you changed.'
              : 'Fields that you have not edited show the new values.'}
          </EditConflict>
        )
      )}
      <div className={classes.fields}>
        {fields.map((field) => (
          <div key={field.name} data-field={field.name} data-wide={isWide(field) || undefined}>
            <FieldInput
              field={field}
              projectId={projectId}
              texts={texts}
              isRequired={field === LABEL_FIELD}
              problem={
                problems[field.name] ??
                validationErrors.filter((entry) => concernsField(entry, field)).map(problemMessage)[0]
              }
              gaps={
                edits[field.name] === undefined ? (card?.gaps.filter((gap) => editsKey(field, gap.field)) ?? []) : []
              }
              onWrite={(text) => editFields({ [field.name]: text })}
            />
            {hasConflict(field) && (
              <OtherVersion
                field={field}
                text={savedTexts[field.name] ?? ''}
                onKeepMine={() => chooseVersion(field, texts[field.name])}
                onUseTheirs={() => chooseVersion(field, undefined)}
              />
            )}
            {field === LABEL_FIELD && kind.variants !== undefined && variant !== undefined && (
              <Input.Wrapper label={kind.variants.label} labelElement="div" mt="sm">
                <SegmentedControl
                  fullWidth
                  aria-label={kind.variants.label}
                  data={kind.variants.options.map(({ name, label }) => ({ value: name, label }))}
                  value={variant}
                  onChange={chooseVariant}
                />
              </Input.Wrapper>
            )}
          </div>
        ))}
      </div>
      {saving.error !== null &&
        !(saving.error instanceof CardChangedError) &&
        !(validationErrors.length > 0 && validationErrors.every(isDisplayed)) && (
          <Failure title="Could not save the card" error={saving.error} />
        )}
      <Group gap="xs">
        <Button type="submit" size="compact-md" loading={saving.isPending}>
          {card === undefined ? `Add ${kind.noun}` : isRemoved ? 'Add as new card' : 'Save'}
        </Button>
        <Button variant="default" size="compact-md" onClick={() => close()}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

/** Returns a card's variant. If this variant does not contain the field to focus, returns a variant that does. */
function initialVariant(
  kind: CardKind,
  texts: Texts,
  start: string | undefined,
  context: CanvasContext,
): string | undefined {
  const variant = kind.variants?.select(texts);
  if (start === undefined || fieldsFor(kind, texts, variant, context).some((field) => editsKey(field, start)))
    return variant;
  const names = kind.fields.filter((field) => editsKey(field, start)).map(({ name }) => name);
  return kind.variants?.options.find(({ fields }) => fields.some((name) => names.includes(name)))?.name ?? variant;
}

/** Whether a validation error from the service refers to a field. */
function concernsField({ loc: [, part, key] }: ValidationEntry, field: Field): boolean {
  return field === LABEL_FIELD ? part === LABEL : part === 'data' && editsKey(field, key);
}

/** Returns the input of the first named field that the form contains. */
function inputOf(form: HTMLElement | null, names: readonly string[]): HTMLElement | null | undefined {
  const elements = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
  const matches = names.flatMap((name) => elements.find(({ dataset }) => dataset['field'] === name) ?? []);
  return matches[0]?.querySelector<HTMLElement>('input, select, textarea');
}
