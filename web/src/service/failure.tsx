import { Alert, Button, Group, Text } from '@mantine/core';
import {
  AuthenticationError,
  BudgetExhaustedError,
  ConnectionError,
  ForbiddenError,
  InternalServerError,
  ServiceError,
  TooManyRequestsError,
  UnavailableError,
  ValidationError,
} from '@project-workspace/client';

/** Shows a failure, its reason and possible solutions. */
export function Failure({ what, error, onRetry }: { what: string; error: unknown; onRetry?: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" title={what}>
      <Text size="sm">{reasonOf(error)}</Text>
      <Text size="sm" c="dimmed">
        {adviceOn(error)}
      </Text>
      {onRetry !== undefined && (
        <Group mt="xs">
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}

/** Returns the service's own message if available. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'The service cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}

function adviceOn(error: unknown): string {
  if (error instanceof ConnectionError) return 'Check that it runs and that you are connected, then try again.';
  if (error instanceof AuthenticationError) return 'Sign in again.';
  if (error instanceof BudgetExhaustedError) return 'Ask somebody who manages your company’s budgets to raise it.';
  if (error instanceof ForbiddenError) return 'Ask an owner of the project, or somebody who manages your company.';
  if (error instanceof ValidationError) return 'Change what is named and try again.';
  if (error instanceof TooManyRequestsError) return 'Wait a moment, then try again.';
  if (error instanceof UnavailableError || error instanceof InternalServerError)
    return withId('Try again; if it stays so, tell whoever runs the service', error.requestId);
  if (error instanceof ServiceError)
    return withId('If that is not clear, ask whoever runs the service', error.requestId);
  return 'Reload the page; if it stays so, tell whoever runs the service.';
}

/** Adds the request id, so that the request can be found in the service's log. */
const withId = (advice: string, requestId: string | undefined): string =>
  requestId === undefined ? `${advice}.` : `${advice}, with the number ${requestId}.`;
