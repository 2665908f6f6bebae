import { type ClientOptions, WorkspaceClient } from '@project-workspace/client';
import { committedContract } from './contract.js';
import { keepSecretsOf } from './secrets.js';
import type { Session } from './session.js';

/** Returns a client from the client package for a signed-in user. Every response is checked against `openapi.json`. */
export function typedClient(url: string, { token }: Session, options: Partial<ClientOptions> = {}): WorkspaceClient {
  return new WorkspaceClient({ baseUrl: url, token, fetch: checkedFetch, ...options });
}

/** `fetch` that checks API responses. */
export async function checkedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  const { method } = request;
  const path = new URL(request.url).pathname;
  const contentType = response.headers.get('content-type');
  // Streams do not end, and file transfers are not part of the API.
  if (contentType === 'text/event-stream' || !path.startsWith('/api/')) return response;
  const text = await response.clone().text();
  committedContract().check({ method, path, status: response.status, contentType, text });
  if (response.ok && contentType === 'application/json') keepSecretsOf(JSON.parse(text));
  return response;
}

/** Returns the body of a successful response. */
export async function succeed<Data>(asked: Promise<{ data: Data }>): Promise<Data> {
  return (await asked).data;
}
