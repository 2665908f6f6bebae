import { readFileSync } from 'node:fs';
import { Client } from './client.js';

export interface ExampleOperation {
  summary: string;
  tags: string[];
  description: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; example?: string }[];
  requestBody?: { content: { 'application/json': { example?: Record<string, unknown> } } };
}

export interface Example extends ExampleOperation {
  /** Method and path, such as `GET /projects`. */
  operation: string;
  method: string;
  path: string;
}

/**
 * Returns the operations below `/api/v1`. Creations come first. Deletions come last, ordered from the longest path to
 * the shortest.
 */
export function exampleOperations(): Example[] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, ExampleOperation>>;
  };
  const rank = ({ method, path }: Example): number =>
    path.endsWith('/restore') ? 2000 : method === 'DELETE' ? 1000 - path.length : 0;
  return Object.entries(paths)
    .flatMap(([full, item]) =>
      Object.entries(item).map(([verb, documented]) => {
        const [method, path] = [verb.toUpperCase(), full.replace('/api/v1', '')];
        return { ...documented, method, path, operation: `${method} ${path}` };
      }),
    )
    .filter(({ security }) => security.length > 0)
    .sort((a, b) => rank(a) - rank(b));
}

/** Operations that create the resource for a parameter, unless this is the POST operation of the preceding path. */
const MAKERS: Record<string, string> = {
  budget_id: 'PUT /usage/budgets',
  upload_token: 'POST /files/upload/start',
};

/** Returns the operation that creates the resource for a parameter: `POST /api-keys` for `/api-keys/{api_key_id}`. */
const makerOf = (name: string, path: string): string => MAKERS[name] ?? `POST ${path.split(`/{${name}}`)[0]}`;

interface Sent {
  status: number;
  body: unknown;
}

interface Made {
  id: string;
  upload_token: string;
  parts: { url: string }[];
}

/** Sends operations with the example values in the OpenAPI document. */
export class ExampleSender {
  private readonly client: Client;
  private deliveryId = '';

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly operations: readonly Example[],
  ) {
    this.client = new Client(url, token);
  }

  /** Returns the status and the body of the response. The body of a stream is replaced by its content type. */
  async send({ method, path, parameters = [], requestBody }: Example): Promise<Sent> {
    const values = new Map<string, string>();
    for (const { name, required, example } of parameters)
      if (required === true) values.set(name, example ?? (await this.make(name, path)));
    const query = Object.fromEntries(
      parameters.flatMap(({ name, in: place }) =>
        place === 'query' && values.has(name) ? [[name, values.get(name) ?? '']] : [],
      ),
    );
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
    if (/\/(stream|events)$/.test(path)) return await this.open(target);
    const body = requestBody?.content['application/json'].example;
    const sent =
      body && 'upload_token' in body ? { ...body, upload_token: await this.make('upload_token', path) } : body;
    return await this.client.send(method, target, { query, ...(sent && { body: sent }) });
  }

  private async open(target: string): Promise<Sent> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.url}/api/v1${target}`, { headers });
    await response.body?.cancel();
    return { status: response.status, body: response.headers.get('content-type') };
  }

  /** Creates the resource for a parameter by sending the example of its creating operation. */
  private async make(name: string, path: string): Promise<string> {
    // A delivery belongs to the webhook that was created for the same request.
    if (name === 'delivery_id') return this.deliveryId;
    const maker = makerOf(name, path);
    let body = await this.made(maker, name);
    // The current snapshot cannot be deleted, so an older snapshot is needed. Several runs are started, so that the
    // last run is still queued when it is canceled.
    const more = { snapshot_id: 1, execution_id: 8 }[name] ?? 0;
    for (let count = 0; count < more; count++) {
      const next = await this.made(maker, name);
      if (name === 'execution_id') body = next;
    }
    if (name === 'webhook_id') await this.makeDelivery(body.id);
    if (name !== 'upload_token') return body.id;
    if (path.endsWith('/complete')) await fetch(body.parts[0]?.url ?? '', { method: 'PUT', body: UPLOADED });
    return body.upload_token;
  }

  private async made(operation: string, name: string): Promise<Made> {
    const maker = this.operations.find((one) => one.operation === operation);
    if (maker === undefined)
      throw new Error(`MAKERS in test/support/examples.ts lacks ${name}: ${operation} does not exist`);
    const { status, body } = await this.send(maker);
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
    return body as Made;
  }

  private async makeDelivery(webhook_id: string): Promise<void> {
    this.deliveryId = (await this.client.post<{ id: string }>(`/webhooks/${webhook_id}/test`)).id;
  }
}

/** Content of the upload in the example of "Start upload". */
const UPLOADED = 'product,quantity\nchair,4';
