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

/** Operations that create the resource for a path parameter without an example. */
const MAKERS: Record<string, string> = {
  api_key_id: 'POST /api-keys',
  budget_id: 'PUT /usage/budgets',
  execution_id: 'POST /projects/{project_id}/solve/executions',
  snapshot_id: 'POST /projects/{project_id}/snapshots',
  upload_token: 'POST /files/upload/start',
  webhook_id: 'POST /webhooks',
};

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
  async send({ operation, method, path, parameters = [], requestBody }: Example): Promise<Sent> {
    const values = new Map<string, string>();
    for (const { name, required, example } of parameters)
      if (required === true) values.set(name, example ?? (await this.make(name, operation)));
    const query = Object.fromEntries(
      parameters.flatMap(({ name, in: place }) =>
        place === 'query' && values.has(name) ? [[name, values.get(name) ?? '']] : [],
      ),
    );
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
    if (/\/(stream|events)$/.test(path)) return await this.open(target);
    const body = requestBody?.content['application/json'].example;
    const sent =
      body && 'upload_token' in body ? { ...body, upload_token: await this.make('upload_token', operation) } : body;
    return await this.client.send(method, target, { query, ...(sent && { body: sent }) });
  }

  private async open(target: string): Promise<Sent> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.url}/api/v1${target}`, { headers });
    await response.body?.cancel();
    return { status: response.status, body: response.headers.get('content-type') };
  }

  /** Creates the resource for a parameter by sending the example of its creating operation. */
  private async make(name: string, forOperation: string): Promise<string> {
    // A delivery belongs to the webhook that was created for the same request.
    if (name === 'delivery_id') return this.deliveryId;
    const body = await this.made(MAKERS[name] ?? '', name);
    // The current snapshot cannot be deleted, and a solved run cannot be canceled.
    if (name === 'snapshot_id') await this.made(MAKERS[name] ?? '', name);
    if (name === 'execution_id') return await this.lastOfMany(body.id);
    if (name === 'webhook_id') await this.makeDelivery(body.id);
    if (name !== 'upload_token') return body.id;
    if (forOperation.endsWith('/complete')) await fetch(body.parts[0]?.url ?? '', { method: 'PUT', body: UPLOADED });
    return body.upload_token;
  }

  private async made(operation: string, name: string): Promise<Made> {
    const maker = this.operations.find((one) => one.operation === operation);
    if (maker === undefined) throw new Error(`No operation makes ${name}`);
    const { status, body } = await this.send(maker);
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
    return body as Made;
  }

  /** Starts several runs and returns the id of the last run, which is still queued when it is canceled. */
  private async lastOfMany(id: string): Promise<string> {
    let last = id;
    for (let count = 0; count < 8; count++) last = (await this.made(MAKERS['execution_id'] ?? '', 'execution_id')).id;
    return last;
  }

  private async makeDelivery(webhook_id: string): Promise<void> {
    this.deliveryId = (await this.client.post<{ id: string }>(`/webhooks/${webhook_id}/test`)).id;
  }
}

/** Content of the upload in the example of "Start upload". */
const UPLOADED = 'product,quantity\nchair,4';
