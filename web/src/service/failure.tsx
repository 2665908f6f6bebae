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

/** Shows a failure, its reason, and what the user can do about it. */
export function Failure({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      <Text size="sm">{reasonOf(error)}</Text>
      <Text size="sm" c="dimmed">
        {adviceFor(error)}
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

/** Returns the reason for a failure. Uses the service's own message if available. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'The service cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}

function adviceFor(error: unknown): string {
  if (error instanceof ConnectionError) return 'Check your connection and that the service is running, then try again.';
  if (error instanceof AuthenticationError) return 'Sign in again.';
  if (error instanceof BudgetExhaustedError) return 'Ask a company manager to raise the budget.';
  if (error instanceof ForbiddenError) return 'Ask a project owner or a company manager for access.';
  if (error instanceof ValidationError) return 'Correct the values named above, then try again.';
  if (error instanceof TooManyRequestsError) return 'Wait a moment, then try again.';
  if (error instanceof UnavailableError || error instanceof InternalServerError)
    return withId('Try again. If the problem persists, contact the operator of the service', error.requestId);
  if (error instanceof ServiceError)
    return withId('If you need help, contact the operator of the service', error.requestId);
  return 'Reload the page. If the problem persists, contact the operator of the service.';
}

/** Adds the request id, which identifies the request in the service's log. */
const withId = (advice: string, requestId: string | undefined): string =>
  requestId === undefined ? `${advice}.` : `${advice} and include the request id ${requestId}.`;
