import { type ClientOptions, WorkspaceClient } from '@project-workspace/client';
import { committedContract } from './contract.js';
import { keepSecretsOf } from './secrets.js';
import type { Session } from './session.js';

/** The client package, for somebody signed in. Every answer is checked against `openapi.json`, whatever the test looks at. */
export function typedClient(url: string, { token }: Session, options: Partial<ClientOptions> = {}): WorkspaceClient {
  return new WorkspaceClient({ baseUrl: url, token, fetch: checkedFetch, ...options });
}

/** `fetch`, with answers of the interface checked. */
export async function checkedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  const { method } = request;
  const path = new URL(request.url).pathname;
  const contentType = response.headers.get('content-type');
  // Streams have no end, and files are no part of the interface.
  if (contentType === 'text/event-stream' || !path.startsWith('/api/')) return response;
  const text = await response.clone().text();
  committedContract().check({ method, path, status: response.status, contentType, text });
  if (response.ok && contentType === 'application/json') keepSecretsOf(JSON.parse(text));
  return response;
}

/** The body of a success. */
export async function succeed<Data>(asked: Promise<{ data: Data }>): Promise<Data> {
  return (await asked).data;
}
