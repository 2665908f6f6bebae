import createClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from '../../dist/client/api.js';
import { committedContract } from './contract.js';
import { keepSecretsOf } from './secrets.js';
import type { Session } from './session.js';

/** The client that a web application has: made from openapi.json alone. */
export type TypedClient = FetchClient<paths>;

/** What the operations of openapi-fetch answer. */
interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** A typed client of somebody signed in. Every answer is checked against `openapi.json`, whatever the test looks at. */
export function typedClient(url: string, { token }: Session): TypedClient {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  client.use({
    onResponse: async ({ request, response }) => {
      const text = await response.clone().text();
      const { method } = request;
      const path = new URL(request.url).pathname;
      const contentType = response.headers.get('content-type');
      committedContract().check({ method, path, status: response.status, contentType, text });
      if (response.ok && text !== '') keepSecretsOf(JSON.parse(text));
    },
  });
  return client;
}

/** The body of a success, undefined where there is none; anything else fails the test with what was answered. */
export async function succeed<Data>(asked: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  return data as Data;
}
