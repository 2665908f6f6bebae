import type { z } from 'zod';
import { DomainError } from '../../common/errors/errors.js';
import { ToolFailure } from './tool.js';

/** Failure codes by the HTTP status that an API client would get for the same error. */
const CODES: Record<number, string> = {
  400: 'invalid_input',
  402: 'budget_exhausted',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid_input',
  429: 'limit_reached',
  503: 'unavailable',
  507: 'storage_full',
};

/** Converts an error to a tool failure. Returns undefined for unexpected errors. */
export function toFailure(error: unknown): ToolFailure | undefined {
  if (error instanceof ToolFailure) return error;
  const code = error instanceof DomainError ? CODES[error.status] : undefined;
  if (!(error instanceof DomainError) || code === undefined) return undefined;
  return new ToolFailure(code, error.message, typeof error.detail === 'string' ? {} : { errors: error.detail });
}

/** Returns the failure for a call with invalid input. */
export function inputFailure(error: z.ZodError): ToolFailure {
  const problems = error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const text = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return new ToolFailure('invalid_input', `The input is invalid: ${text}`, { problems });
}
