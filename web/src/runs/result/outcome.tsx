import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CanvasLink } from '../missing-parts';
import { share } from '../figures';
import { isOver, type Result, type Run } from '../runs-data';
import classes from '../runs.module.css';

/** Describes the outcome of a run. Suggests what to do if the run found no plan. */
export function Outcome({ projectId, run }: { projectId: string; run: Run }) {
  const { result, error, status } = run;
  if (result !== null) return <OfResult projectId={projectId} result={result} isCanvas={isOfCanvas(run)} />;
  if (error !== null)
    return (
      <NoPlan title="It failed" because={error.message}>
        <Text size="sm">
          {ADVICE[error.code] ?? 'Solve the same again; if it stays so, tell whoever runs the service.'}
        </Text>
        {OF_MODEL.includes(error.code) && isOfCanvas(run) && <CanvasLink projectId={projectId} />}
      </NoPlan>
    );
  return (
    <Text size="sm" c="dimmed">
      {status === 'canceled' ? 'It was canceled, without a plan.' : isOver(run) ? 'It has no result.' : ''}
    </Text>
  );
}

/** Whether the run has solved the canvas or a scenario of it. */
const isOfCanvas = ({ input_file_ids }: Run): boolean => (input_file_ids ?? []).length === 0;

/** Error codes that can be resolved by changing the model. */
const OF_MODEL = ['incomplete_model', 'empty_model', 'invalid_model', 'model_too_large'];

const ADVICE: Record<string, string> = {
  incomplete_model: 'The model cannot be solved yet: say what is missing, then solve it again.',
  empty_model: 'The model cannot be solved yet: it needs at least one variable.',
  invalid_model: 'Correct the model where it is named, then solve it again.',
  model_too_large: 'Take fewer members or a shorter horizon, then solve it again.',
  time_limit: 'No plan was found in time. Give it more time, or allow a gap so that a near one is enough.',
  out_of_memory: 'The solver had no memory left. Take fewer members or a shorter horizon.',
  interrupted: 'Its process ended several times. Solve the same again.',
  budget_exhausted: 'Ask somebody who manages your company’s budgets to raise it.',
};

function OfResult({ projectId, result, isCanvas }: { projectId: string; result: Result; isCanvas: boolean }) {
  const { status, gap, message, conflict } = result;
  const link = isCanvas && <CanvasLink projectId={projectId} />;
  switch (status) {
    case 'optimal':
      return (
        <Text size="sm">
          {gap === null || gap === 0
            ? 'Optimal: no plan is better than this one.'
            : `Optimal within the gap that is enough: no plan is better by more than ${share(gap)}.`}
        </Text>
      );
    case 'time_limit':
      return (
        <Text size="sm">
          {gap === null
            ? 'Feasible: the plan meets everything. The search ended before it was known how much better others can be.'
            : `Feasible within ${share(gap)}: the plan meets everything. The search ended before a better one, or that there is none, was found.`}
          {message !== null && ` ${message}.`}
        </Text>
      );
    case 'infeasible':
      return (
        <NoPlan
          title="Infeasible: no plan meets everything"
          because={conflict.length === 0 ? message : 'These constraints and bounds cannot all hold:'}
        >
          {conflict.length > 0 && (
            <List size="sm" className={classes.conflict}>
              {conflict.map((name) => (
                <List.Item key={name}>{name}</List.Item>
              ))}
            </List>
          )}
          <Text size="sm">
            Loosen one of them, let it be broken at a price (a soft constraint), or try in a scenario what follows
            without it.
          </Text>
          {link}
        </NoPlan>
      );
    case 'unbounded':
      return (
        <NoPlan title="Unbounded: the objective has no limit" because={message}>
          <Text size="sm">Give what is named a bound, or add the constraint that limits it.</Text>
          {link}
        </NoPlan>
      );
  }
}

function NoPlan({ title, because, children }: { title: string; because: string | null; children: ReactNode }) {
  return (
    <Alert color="red" variant="light" title={title}>
      {because !== null && (
        <Text size="sm" className={classes.anywhere}>
          {because}
        </Text>
      )}
      {children}
    </Alert>
  );
}
