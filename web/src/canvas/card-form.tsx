import { Button, Group, Input, SegmentedControl } from '@mantine/core';
import { ValidationError, type ValidationEntry } from '@project-workspace/client';
import { type FormEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Failure } from '../service/failure';
import { useDraft } from '../service/use-draft';
import classes from './canvas.module.css';
import { type Card, CardChangedError, useAddCard, useChangeCard } from './cards';
import { FieldInput, isWide } from './field-input';
import { focusSoon } from './focus';
import { type Beside, type Field, fieldsFor, type KindOfCard, standsFor, type Texts } from './kinds';
import { Meanwhile, Theirs } from './meanwhile';
import { changesOf, LABEL, problemOf, textsOf } from './texts';
import { without } from './without';

const LABEL_FIELD: Field = { name: LABEL, label: 'Label' };

/** Text that the user has typed into a field, and the field's saved text when they began. */
interface Edit {
  text: string;
  over: string;
}

interface CardFormProps {
  kind: KindOfCard;
  projectId: string;
  /** Current version of the card. If absent, a new card is created. */
  card?: Card;
  /** Whether another user has removed the card. Its content can still be saved as a new card. */
  isGone?: boolean;
  /** Key of `data` to start with. Default: the label. */
  start?: string | undefined;
  beside: Beside;
  onDone: (saved?: Card) => void;
}

/**
 * Form of a card. Fields that the user has not edited follow changes by others. If others have changed an edited field, the form
 * shows both versions and does not save until the user chooses.
 */
export function CardForm({ kind, projectId, card, isGone = false, start, beside, onDone }: CardFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const present = useMemo(() => textsOf(kind, card), [kind, card]);
  const place = `${card?.id ?? `new ${kind.kind}`} in ${projectId}`;
  const [edits, setEdits, forgetEdits] = useDraft<Readonly<Record<string, Edit>>>(`card ${place}`, {});
  const [problems, setProblems] = useState<Texts>({});
  const [opened] = useState(card?.version);
  const [way, setWay, forgetWay] = useDraft(`way of ${place}`, wayTo(kind, present, start, beside));
  const close = (saved?: Card): void => {
    forgetEdits();
    forgetWay();
    onDone(saved);
  };
  const add = useAddCard(projectId, close);
  const change = useChangeCard(projectId, close);
  const saving = card === undefined || isGone ? add : change;

  const texts: Texts = {
    ...present,
    ...Object.fromEntries(Object.entries(edits).map(([name, { text }]) => [name, text])),
  };
  const fields = [LABEL_FIELD, ...fieldsFor(kind, texts, way, beside)];
  const edited = Object.keys(edits).filter((name) => texts[name] !== present[name]);
  /** Whether another user has changed a field since this user began to edit it. */
  const isContested = ({ name }: Field): boolean => {
    const edit = edits[name];
    return !isGone && edit !== undefined && edit.over !== present[name] && edit.text !== present[name];
  };
  const refusals = saving.error instanceof ValidationError ? saving.error.entries : [];
  const isTold = (entry: ValidationEntry): boolean => fields.some((field) => isAbout(entry, field));

  useEffect(() => {
    const wanted = kind.fields.filter((field) => standsFor(field, start)).map(({ name }) => name);
    return focusSoon(() => inputOf(form.current, [...wanted, LABEL]));
  }, [kind, start]);

  const write = (written: Texts): void => {
    setEdits((all) => ({
      ...all,
      ...Object.fromEntries(
        Object.entries(written).map(([name, text]) => [name, { text, over: all[name]?.over ?? present[name] ?? '' }]),
      ),
    }));
    setProblems((all) => without(all, Object.keys(written)));
  };
  const choose = ({ name }: Field, text: string | undefined): void => {
    setEdits((all) => ({
      ...without(all, [name]),
      ...(text !== undefined && { [name]: { text, over: present[name] ?? '' } }),
    }));
    setProblems((all) => without(all, [name]));
  };
  const chooseWay = (name: string): void => {
    const saysOf = (wanted: string | undefined): Texts => kind.ways?.all.find((one) => one.name === wanted)?.says ?? {};
    write({ ...Object.fromEntries(Object.keys(saysOf(way)).map((key) => [key, ''])), ...saysOf(name) });
    setWay(name);
  };
  const save = (): void => {
    const found = fields.flatMap((field): [string, string][] => {
      const text = texts[field.name] ?? '';
      const problem = isContested(field)
        ? 'Choose which version to keep'
        : field === LABEL_FIELD && text.trim() === ''
          ? 'Give the card a label'
          : edited.includes(field.name)
            ? problemOf(field, text)
            : undefined;
      return problem === undefined ? [] : [[field.name, problem]];
    });
    setProblems(Object.fromEntries(found));
    const [first] = found;
    if (first !== undefined) return inputOf(form.current, [first[0]])?.focus();
    const label = (texts[LABEL] ?? '').trim();
    const data = changesOf(kind, card?.data ?? {}, texts, edited);
    if (card === undefined) add.mutate({ card_type: kind.kind, label, data });
    else if (isGone) {
      const { instance_data = {} } = card;
      add.mutate({ card_type: kind.kind, label, data: { ...card.data, ...data }, instance_data });
    } else if (edited.length === 0) close();
    else change.mutate({ seen: card, ...(edited.includes(LABEL) && { label }), data });
  };
  const press = (event: KeyboardEvent): void => {
    // Escape never discards edits, and closes an open list of choices first. Only the button discards edits.
    const hasChoices = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true';
    if (event.key === 'Escape' && edited.length === 0 && !hasChoices) close();
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
      onKeyDown={press}
      onSubmit={submit}
    >
      {isGone ? (
        <Meanwhile title="Someone else removed this card">You can add your version as a new card.</Meanwhile>
      ) : (
        card?.version !== opened && (
          <Meanwhile title="Someone else changed this card">
            {fields.some(isContested)
              ? 'Nothing was overwritten. Choose a version for each field that both of you changed.'
              : 'Fields that you have not edited show the new values.'}
          </Meanwhile>
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
              problem={problems[field.name] ?? refusals.find((entry) => isAbout(entry, field))?.msg}
              gaps={
                edits[field.name] === undefined ? (card?.gaps.filter((gap) => standsFor(field, gap.field)) ?? []) : []
              }
              onWrite={(text) => write({ [field.name]: text })}
            />
            {isContested(field) && (
              <Theirs
                field={field}
                text={present[field.name] ?? ''}
                onMine={() => choose(field, texts[field.name])}
                onTheirs={() => choose(field, undefined)}
              />
            )}
            {field === LABEL_FIELD && kind.ways !== undefined && way !== undefined && (
              <Input.Wrapper label={kind.ways.label} labelElement="div" mt="sm">
                <SegmentedControl
                  fullWidth
                  aria-label={kind.ways.label}
                  data={kind.ways.all.map(({ name, label }) => ({ value: name, label }))}
                  value={way}
                  onChange={chooseWay}
                />
              </Input.Wrapper>
            )}
          </div>
        ))}
      </div>
      {saving.error !== null &&
        !(saving.error instanceof CardChangedError) &&
        !(refusals.length > 0 && refusals.every(isTold)) && (
          <Failure what="Could not save the card" error={saving.error} />
        )}
      <Group gap="xs">
        <Button type="submit" size="compact-md" loading={saving.isPending}>
          {card === undefined ? `Add ${kind.noun}` : isGone ? 'Add as new card' : 'Save'}
        </Button>
        <Button variant="default" size="compact-md" onClick={() => close()}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

/** Returns the way that a card is filled in. If that way lacks the field to start with, returns a way that includes the field. */
function wayTo(kind: KindOfCard, texts: Texts, start: string | undefined, beside: Beside): string | undefined {
  const way = kind.ways?.of(texts);
  if (start === undefined || fieldsFor(kind, texts, way, beside).some((field) => standsFor(field, start))) return way;
  const names = kind.fields.filter((field) => standsFor(field, start)).map(({ name }) => name);
  return kind.ways?.all.find(({ fields }) => fields.some((name) => names.includes(name)))?.name ?? way;
}

/** Whether a validation error of the service refers to a field. */
function isAbout({ loc: [, part, key] }: ValidationEntry, field: Field): boolean {
  return field === LABEL_FIELD ? part === LABEL : part === 'data' && standsFor(field, key);
}

/** Returns the input of the first named field that the form contains. */
function inputOf(form: HTMLElement | null, names: readonly string[]): HTMLElement | null | undefined {
  const shown = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
  const places = names.flatMap((name) => shown.find(({ dataset }) => dataset['field'] === name) ?? []);
  return places[0]?.querySelector<HTMLElement>('input, select, textarea');
}
