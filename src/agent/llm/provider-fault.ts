import { APICallError } from 'ai';

/** A failure of the model's provider. `message` is a sentence for the user and carries nothing that the provider said. */
export class ProviderFault extends Error {
  constructor(
    message: string,
    readonly details: {
      /** Whether the same request may succeed a little later. */
      isTransient: boolean;
      status?: number | undefined;
      /** How long the provider asks to wait. */
      retryAfterMs?: number | undefined;
    },
  ) {
    super(message);
  }
}

/** Statuses of a request whose content is refused. */
const IMAGE_STATUS = new Set([400, 415, 422]);

export const brokenOff = (): ProviderFault =>
  new ProviderFault('The model provider broke off its answer before it was complete.', { isTransient: true });

export const silent = (seconds: number): ProviderFault =>
  new ProviderFault(`The model provider said nothing for ${seconds} seconds.`, { isTransient: true });

/** The fault that an error of a request or in a stream means. */
export function toFault(error: unknown, { hadImages = false } = {}): ProviderFault {
  if (error instanceof ProviderFault) return error;
  // Anything that is no answer of the provider happened on the way.
  if (!APICallError.isInstance(error)) return brokenOff();
  const { statusCode: status, responseHeaders = {} } = error;
  if (status === undefined) return new ProviderFault('The model provider cannot be reached.', { isTransient: true });
  // The answer began well and then could not be read on.
  if (status < 400) return brokenOff();
  if (status === 429) {
    const sentence = 'The model provider takes no more requests for now. Please try again later.';
    return new ProviderFault(sentence, { isTransient: true, status, retryAfterMs: retryAfter(responseHeaders) });
  }
  if (status >= 500) {
    const sentence = `The model provider failed (status ${status}).`;
    return new ProviderFault(sentence, { isTransient: true, status, retryAfterMs: retryAfter(responseHeaders) });
  }
  return new ProviderFault(refusal(status, hadImages), { isTransient: status === 408, status });
}

function refusal(status: number, hadImages: boolean): string {
  if (status === 401 || status === 403) return 'The model provider refused the credentials of this service.';
  if (status === 404) return 'The model provider does not know the configured model.';
  if (status === 413) return `The conversation${hadImages ? ' with its images' : ''} is too long for the model.`;
  const sentence = `The model provider refused the request (status ${status}).`;
  if (!hadImages || !IMAGE_STATUS.has(status)) return sentence;
  return `${sentence} It held images: one may be damaged or too large in pixels, or the model takes none.`;
}

/** Milliseconds of a `Retry-After` in seconds or as a date. */
function retryAfter(headers: Record<string, string>): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
