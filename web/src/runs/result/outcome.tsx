import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatShare } from '../figures';
import { isFinished, type Result, type Run } from '../runs-data';
import classes from '../runs.module.css';
import { CanvasLink } from '../solve-blockers';

/** Describes a run's outcome. If the run found no plan, suggests what the user can do. */
export function Outcome({ projectId, run }: { projectId: string; run: Run }) {
  const { result, error, status } = run;
  if (result !== null) return <ResultOutcome projectId={projectId} result={result} isCanvas={usesCanvas(run)} />;
  if (error !== null)
    return (
      <NoPlan title="The run failed" reason={error.message}>
        <Text size="sm">
          {ADVICE[error.code] ?? 'Solve it again. If the problem persists, contact the operator of the service.'}
        </Text>
        {MODEL_ERRORS.includes(error.code) && usesCanvas(run) && <CanvasLink projectId={projectId} />}
      </NoPlan>
    );
  return (
    <Text size="sm" c="dimmed">
      {status === 'canceled' ? 'The run was canceled without a plan.' : isFinished(run) ? 'The run has no result.' : ''}
    </Text>
  );
}

/** Whether the run has solved the canvas or one of its scenarios. */
const usesCanvas = ({ input_file_ids }: Run): boolean => (input_file_ids ?? []).length === 0;

/** Error codes of problems that users can solve by changing the model. */
const MODEL_ERRORS = ['incomplete_model', 'empty_model', 'invalid_model', 'model_too_large'];

const ADVICE: Record<string, string> = {
  incomplete_model: 'Add what is missing to the model, then solve it again.',
  empty_model: 'Add at least one variable to the model, then solve it again.',
  invalid_model: 'Correct the model, then solve it again.',
  model_too_large: 'Use fewer members or a shorter horizon, then solve it again.',
  time_limit:
    'No plan was found in time. Increase the time limit, or allow a gap so that a near-optimal plan is enough.',
  out_of_memory: 'The solver ran out of memory. Use fewer members or a shorter horizon.',
  interrupted: 'The solver process ended several times. Solve it again.',
  budget_exhausted: 'Ask a company manager to raise the budget.',
};

function ResultOutcome({ projectId, result, isCanvas }: { projectId: string; result: Result; isCanvas: boolean }) {
  const { status, gap, message, conflict } = result;
  const link = isCanvas && <CanvasLink projectId={projectId} />;
  switch (status) {
    case 'optimal':
      return (
        <Text size="sm">
          {gap === null || gap === 0
            ? 'Optimal: there is no better plan.'
            : `Optimal within the allowed gap: no plan is better by more than ${formatShare(gap)}.`}
        </Text>
      );
    case 'time_limit':
      return (
        <Text size="sm">
          {gap === null
            ? 'Feasible: the plan meets all constraints. The search ended before it could tell how much better other plans can be.'
            : `Feasible: the plan meets all constraints, and no plan is better by more than ${formatShare(gap)}. The search ended early.`}
          {message !== null && ` ${message}.`}
        </Text>
      );
    case 'infeasible':
      return (
        <NoPlan
          title="Infeasible: no plan meets all constraints"
          reason={conflict.length === 0 ? message : 'These constraints and bounds contradict each other:'}
        >
          {conflict.length > 0 && (
            <List size="sm" className={classes.conflict}>
              {conflict.map((name) => (
                <List.Item key={name}>{name}</List.Item>
              ))}
            </List>
          )}
          <Text size="sm">
            Relax one of them, make it a soft constraint with a penalty, or leave it out in a scenario.
          </Text>
          {link}
        </NoPlan>
      );
    case 'unbounded':
      return (
        <NoPlan title="Unbounded: the objective has no limit" reason={message}>
          <Text size="sm">Add a bound or a constraint that limits the objective.</Text>
          {link}
        </NoPlan>
      );
  }
}

function NoPlan({ title, reason, children }: { title: string; reason: string | null; children: ReactNode }) {
  return (
    <Alert color="red" variant="light" title={title}>
      {reason !== null && (
        <Text size="sm" className={classes.anywhere}>
          {reason}
        </Text>
      )}
      {children}
    </Alert>
  );
}
