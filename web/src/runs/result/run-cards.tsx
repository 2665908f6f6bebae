import { Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { kindOf } from '../../canvas/kinds';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useRunCards } from '../runs-data';
import { adjustmentInWords } from '../scenarios/change-words';
import classes from '../runs.module.css';
import { Disclosure } from './disclosure';

/** Shows the cards as they were when a run began. */
export function RunCards({ projectId, runId }: { projectId: string; runId: string }) {
  return (
    <Disclosure title="Model of this run">
      <Cards projectId={projectId} runId={runId} />
    </Disclosure>
  );
}

function Cards({ projectId, runId }: { projectId: string; runId: string }) {
  const { data, error, refetch } = useRunCards(projectId, runId);
  if (data === undefined)
    return error === null ? (
      <Loading name="the model of this run" />
    ) : (
      <Failure title="Could not load the model of this run" error={error} onRetry={() => void refetch()} />
    );
  if (data.cards === null)
    return (
      <Text size="sm" c="dimmed">
        This run solved a model file, or its cards were not kept.
      </Text>
    );
  return (
    <ul className={classes.cards}>
      {data.cards.map((card) => (
        <Card key={card.id} card={card} />
      ))}
    </ul>
  );
}

function Card({ card: { card_type, label, data, adjustments = [] } }: { card: Schemas['RunCard'] }) {
  const fields = Object.entries(data).filter(([, value]) => value != null && value !== false);
  return (
    <li>
      <Text size="sm" className={classes.anywhere}>
        <Text component="span" size="xs" c="dimmed" tt="capitalize">
          {kindOf(card_type)?.noun ?? card_type}
        </Text>{' '}
        <Text component="span" fw={600}>
          {label}
        </Text>
      </Text>
      <dl className={classes.fields}>
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
        {adjustments.map((adjustment, index) => (
          <div key={index}>
            <dt>changed</dt>
            <dd>{adjustmentInWords(adjustment)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

/** Maximum number of characters shown per field. */
const MAX_CHARACTERS = 500;

/** Returns a card field as text. Objects are shown as names with formatted numbers. */
function textOf(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(textOf).join(', ')
        : typeof value === 'object' && value !== null
          ? Object.entries(value)
              .map(([name, one]) => `${name} ${typeof one === 'object' ? `(${textOf(one)})` : textOf(one)}`)
              .join(', ')
          : String(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
