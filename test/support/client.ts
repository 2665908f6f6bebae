import { committedContract } from './contract.js';
import { keepSecretsOf } from './secrets.js';

/** Response type after JSON serialization: dates are strings. */
export type Wire<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

export interface RequestOptions {
  /** Body to send as JSON. */
  body?: unknown;
  /** Raw body, sent unchanged as JSON. */
  text?: string;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
}

export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Client for the service. Checks every response against the committed `openapi.json`. Paths are relative to `/api/v1`. */
export class Client {
  constructor(
    private readonly base: string,
    /** Bearer token. Omit it to send requests without credentials. */
    readonly token?: string,
  ) {}

  /** Returns the response regardless of its status. */
  async send<Body = unknown>(
    method: string,
    path: string,
    {
      body,
      text: sent = body === undefined ? undefined : JSON.stringify(body),
      query = {},
      headers = {},
    }: RequestOptions = {},
  ): Promise<Answer<Wire<Body>>> {
    const url = new URL(`${this.base}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type');
    committedContract().check({ method, path: url.pathname, status: response.status, contentType, text });
    const received: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) keepSecretsOf(received);
    else if (this.token?.startsWith('eyJ') === true && text.includes(this.token))
      throw new Error('An error tells the token');
    return { status: response.status, headers: response.headers, body: received as Wire<Body> };
  }

  /**
   * Returns the body of a successful response. Any other response fails the test with an error that shows the response.
   */
  get<Body = unknown>(path: string, query: RequestOptions['query'] = {}): Promise<Wire<Body>> {
    return this.succeed('GET', path, { query });
  }

  post<Body = unknown>(path: string, body?: unknown): Promise<Wire<Body>> {
    return this.succeed('POST', path, { body });
  }

  put<Body = unknown>(path: string, body: unknown): Promise<Wire<Body>> {
    return this.succeed('PUT', path, { body });
  }

  patch<Body = unknown>(path: string, body: unknown): Promise<Wire<Body>> {
    return this.succeed('PATCH', path, { body });
  }

  delete<Body = unknown>(path: string): Promise<Wire<Body>> {
    return this.succeed('DELETE', path);
  }

  private async succeed<Body>(method: string, path: string, options?: RequestOptions): Promise<Wire<Body>> {
    const { status, body } = await this.send<Body>(method, path, options);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}
