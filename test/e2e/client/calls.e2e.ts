import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AuthenticationError,
  type CallResult,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  type paths,
  PreconditionFailedError,
  type Schemas,
  ServiceError,
  TooManyRequestsError,
  UnavailableError,
  ValidationError,
  WorkspaceClient,
} from '@project-workspace/client';
import { makeProject } from '../../factories/make.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { checkedFetch, typedClient } from '../../support/typed-client.js';

const NOTHING = '01900000-0000-7000-8000-000000000000';
/** Retry delays that are short enough for tests. */
const HASTY = { minDelayMs: 1, maxDelayMs: 5 };

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

const service = useSharedService();
let session: Session;
let client: WorkspaceClient;

beforeAll(async () => {
  session = await service.session();
  client = typedClient(service.url, session);
});

/** Creates a client for the service whose requests and responses pass through `network`. */
const through = (
  network: (request: Request, send: () => Promise<Response>) => Promise<Response>,
  options: { token?: () => Promise<string>; retry?: object } = {},
): WorkspaceClient =>
  typedClient(service.url, session, {
    retry: HASTY,
    ...options,
    fetch: async (request) => await network(request, async () => await checkedFetch(request)),
  });

/** Creates a client that loses the first responses after the service has executed the requests. */
const losing = (answers: number, sent: Request[] = []) =>
  through(async (request, send) => {
    sent.push(request);
    const answer = await send();
    if (sent.length <= answers) throw new TypeError('The connection was lost');
    return answer;
  });

describe('every operation of openapi.json', () => {
  interface Operation {
    parameters?: { name: string; in: string; required?: boolean; schema: { type?: string } }[];
    requestBody?: { content: { 'application/json': { example?: object; schema: object } } };
    responses: Record<string, { content?: Record<string, unknown> }>;
  }
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );

  it('is covered by the types of the client', () => {
    type Typed = {
      [M in Uppercase<Method>]: `${M} ${Parameters<WorkspaceClient[M]>[0]}`;
    }[Uppercase<Method>];
    type Documented = {
      [Path in keyof paths]: {
        [M in Method]: paths[Path][M] extends { responses: unknown } ? `${Uppercase<M>} ${Path}` : never;
      }[Method];
    }[keyof paths];
    type Missing = Exclude<Documented, Typed>;
    const isComplete: [Missing] extends [never] ? true : Missing = true;
    // The compiler performs this check.
    expect(isComplete).toBe(true);
  });

  it('can be called and reaches the intended operation', async () => {
    const call = client as unknown as Record<string, (path: string, options: object) => Promise<CallResult<unknown>>>;
    let called = 0;
    for (const { method, path, parameters = [], requestBody, responses } of all) {
      const wanted = (place: string): object =>
        Object.fromEntries(
          parameters
            .filter((parameter) => parameter.in === place && (parameter.required ?? false))
            .map(({ name }) => [name, NOTHING]),
        );
      const isStream = 'text/event-stream' in (responses['200']?.content ?? {});
      const options = {
        params: { path: wanted('path'), query: wanted('query') },
        ...(requestBody !== undefined && { body: requestBody.content['application/json'].example ?? {} }),
        ...(isStream && { parseAs: 'stream' }),
      };
      const outcome = await call[method]?.(path, options).catch((error: unknown) => error);
      called += 1;
      if (!(outcome instanceof ServiceError)) {
        expect([path, (outcome as CallResult<unknown>).response.ok]).toEqual([path, true]);
        continue;
      }
      expect([method, path, outcome.status]).not.toEqual([method, path, 405]);
      expect([method, path, outcome.code]).not.toEqual([method, path, 'path_not_found']);
      expect(outcome.constructor).not.toBe(ServiceError);
    }
    expect(called).toBe(all.length);
    expect(called).toBeGreaterThan(90);
  });

  it('accepts only the documented parameters', () => {
    // This function is never called. The compiler performs the test.
    const looks = async (): Promise<void> => {
      const one = { params: { path: { project_id: NOTHING } } };
      const { data: project } = await client.GET('/api/v1/projects/{project_id}', one);
      project.name satisfies string;
      const { data: known } = await client.GET('/api/v1/projects/{project_id}', { ...one, ifNoneMatch: '"x"' });
      // @ts-expect-error There is no data if the project has not changed.
      known.name satisfies string;
      const { data: csv } = await client.GET('/api/v1/usage/days', { parseAs: 'text' });
      csv satisfies string;
      const { data: nothing } = await client.DELETE('/api/v1/projects/{project_id}', one);
      nothing satisfies undefined;
      // @ts-expect-error There is no such path.
      await client.GET('/api/v1/nothing');
      // @ts-expect-error The path has no such method.
      await client.PATCH('/api/v1/projects');
      // @ts-expect-error A parameter is missing.
      await client.GET('/api/v1/projects/{project_id}');
      // @ts-expect-error The body is missing.
      await client.POST('/api/v1/projects');
      // @ts-expect-error The body has the wrong fields.
      await client.POST('/api/v1/projects', { body: { title: 'A project' } });
      // @ts-expect-error This operation has no entity tag.
      await client.GET('/api/v1/projects', { ifNoneMatch: '"x"' });
      // @ts-expect-error The code belongs to another status.
      if (project instanceof NotFoundError && project.code === 'version_conflict') throw project;
    };
    expect(looks).toBeInstanceOf(Function);
  });

  it.each(['', '.', '..'])('cannot be turned into another operation by the path parameter %j', async (project_id) => {
    const asked = client.GET('/api/v1/projects/{project_id}', { params: { path: { project_id } } });
    await expect(asked).rejects.toThrow('project_id must not be');
  });
});

describe('an error', () => {
  it('is an instance of the class for its status', async () => {
    const { id: project_id } = await makeProject(session.client);
    const path = { project_id };
    const failing = async (asked: Promise<unknown>): Promise<unknown> => await asked.catch((error: unknown) => error);
    expect(
      await failing(client.GET('/api/v1/projects/{project_id}', { params: { path: { project_id: NOTHING } } })),
    ).toMatchObject({
      constructor: NotFoundError,
      status: 404,
      code: 'project_not_found',
      detail: 'Project not found',
      requestId: expect.stringMatching(/^.+$/) as unknown,
    });
    expect(await failing(client.POST('/api/v1/projects', { body: { name: '' } }))).toMatchObject({
      constructor: ValidationError,
      status: 422,
      entries: [{ loc: ['body', 'name'] }],
    });
    expect(
      await failing(
        client.PATCH('/api/v1/projects/{project_id}', {
          params: { path, header: { 'If-Match': '"another"' } },
          body: { name: 'New' },
        }),
      ),
    ).toMatchObject({ constructor: PreconditionFailedError, code: 'precondition_failed' });
    const member = typedClient(service.url, await service.session({ company: session.company, role: 'member' }));
    expect(await failing(member.GET('/api/v1/webhooks'))).toMatchObject({
      constructor: ForbiddenError,
      code: 'company_level_required',
    });
    const anonymous = new WorkspaceClient({ baseUrl: service.url });
    expect(await failing(anonymous.GET('/api/v1/me'))).toMatchObject({
      constructor: AuthenticationError,
      code: 'not_authenticated',
    });
  });
});

describe('an entity tag', () => {
  it('prevents an unchanged response body from being sent again', async () => {
    const { id: project_id } = await makeProject(session.client);
    const params = { path: { project_id } };
    const first = await client.GET('/api/v1/projects/{project_id}', { params });
    const ifNoneMatch = first.response.headers.get('etag') ?? '';
    const second = await client.GET('/api/v1/projects/{project_id}', { params, ifNoneMatch });
    expect([second.response.status, second.data]).toEqual([304, undefined]);
    await client.PATCH('/api/v1/projects/{project_id}', { params, body: { name: 'Another name' } });
    const third = await client.GET('/api/v1/projects/{project_id}', { params, ifNoneMatch });
    expect(third.data?.name).toBe('Another name');
  });
});

describe('a request whose response was lost', () => {
  const names = async (): Promise<string[]> => {
    const { data } = await client.GET('/api/v1/projects', { params: { query: { limit: 200 } } });
    return data.projects.map(({ name }) => name);
  };

  it('creates a single resource because each attempt has the same key', async () => {
    const sent: Request[] = [];
    const { data, response } = await losing(2, sent).POST('/api/v1/projects', { body: { name: 'Made once' } });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect((await names()).filter((name) => name === 'Made once')).toEqual([data.name]);
  });

  it('has its own key unless the caller specifies a key', async () => {
    const sent: Request[] = [];
    const observed = losing(0, sent);
    for (const name of ['A', 'B']) await observed.POST('/api/v1/projects', { body: { name } });
    const params = { header: { 'Idempotency-Key': 'mine' } };
    await observed.POST('/api/v1/projects', { body: { name: 'C' }, params });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
    await expect(observed.POST('/api/v1/projects', { body: { name: 'D' }, params })).rejects.toMatchObject({
      constructor: ConflictError,
      code: 'idempotency_key_reused',
    });
  });

  it('posts only a single message', async () => {
    const { id } = await makeProject(session.client);
    const sent: Request[] = [];
    const posted = await losing(2, sent).conversation(id).post({ content: 'Said once' });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null, null]);
    const { data } = await client.GET('/api/v1/projects/{project_id}/chat', { params: { path: { project_id: id } } });
    const said = data.messages.filter(({ role }) => role === 'user');
    expect(said).toEqual([posted.message]);
    expect(posted.message.client_msg_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('succeeds for DELETE and PUT as if its response had arrived', async () => {
    const { id: project_id } = await makeProject(session.client);
    const name = `put-${project_id}`;
    await client.POST('/api/v1/deployments', { body: { name } });
    const put = { params: { path: { name } }, body: { content: 'Text' } };
    expect((await losing(2).PUT('/api/v1/deployments/{name}/instructions', put)).data).toEqual({ content: 'Text' });
    const sent: Request[] = [];
    await losing(1, sent).DELETE('/api/v1/projects/{project_id}', { params: { path: { project_id } } });
    expect(sent).toHaveLength(2);
    // If no response was lost before, the client reports the 404.
    const again = client.DELETE('/api/v1/projects/{project_id}', { params: { path: { project_id } } });
    await expect(again).rejects.toBeInstanceOf(NotFoundError);
  });

  it('is not retried if a retry could undo another caller’s change or have a misleading result', async () => {
    const { id: project_id } = await makeProject(session.client);
    const params = { path: { project_id } };
    const etag = (await client.GET('/api/v1/projects/{project_id}', { params })).response.headers.get('etag') ?? '';
    const sent: Request[] = [];
    const lost = losing(9, sent);
    await expect(lost.PATCH('/api/v1/projects/{project_id}', { params, body: { name: 'X' } })).rejects.toMatchObject({
      constructor: ConnectionError,
      cause: { message: 'The connection was lost' },
    });
    const conditional = { path: { project_id }, header: { 'If-Match': etag } };
    await expect(lost.DELETE('/api/v1/projects/{project_id}', { params: conditional })).rejects.toThrow();
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'DELETE']);
  });

  it('is no longer retried after the maximum number of attempts or when its signal is aborted', async () => {
    const sent: Request[] = [];
    await expect(losing(99, sent).GET('/api/v1/me')).rejects.toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(6);
    const controller = new AbortController();
    const patient = through(() => Promise.reject(new TypeError('No network')), {
      retry: { minDelayMs: 60_000, maxDelayMs: 60_000 },
    });
    const asked = patient.GET('/api/v1/me', { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('Nobody wants it any more')));
    await expect(asked).rejects.toThrow('Nobody wants it any more');
    await expect(client.GET('/api/v1/me', { signal: controller.signal })).rejects.toThrow('Nobody wants it any more');
  });
});

describe('a failed request', () => {
  type Answer = (response: ServerResponse) => void;
  const refusing =
    (status: number, code: string, headers: Record<string, string> = {}): Answer =>
    (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ detail: 'No.', code }));
  const me: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"x"}');
  const cutOff: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id"', () => response.destroy());
  };

  let answers: Answer[];
  let seen: number;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const answer = answers[Math.min(seen, answers.length - 1)] ?? me;
      seen += 1;
      answer(response);
    });
  });
  let url: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = 0;
  });
  const ask = (...given: Answer[]): WorkspaceClient => {
    answers = given;
    return new WorkspaceClient({ baseUrl: url, token: 't', retry: HASTY, timeoutMs: 5_000 });
  };

  it.each([
    ['a rate limit', refusing(429, 'rate_limited', { 'retry-after': '0' })],
    ['an outage', refusing(503, 'unavailable')],
    ['a gateway error from a proxy', refusing(502, '')],
    ['a response that is cut off', cutOff],
    ['a lost connection', (response: ServerResponse) => response.destroy()],
  ])('is retried after %s', async (_, answer) => {
    expect((await ask(answer, answer, me).GET('/api/v1/me')).data).toEqual({ id: 'x' });
    expect(seen).toBe(3);
    await ask(answer, me).POST('/api/v1/projects', { body: { name: 'x' } });
  });

  it.each([
    [
      'a rate limit with a long waiting time',
      refusing(429, 'rate_limited', { 'retry-after': '3600' }),
      TooManyRequestsError,
    ],
    ['a comparison that is too large', refusing(503, 'comparison_too_large'), UnavailableError],
    ['an internal error', refusing(500, 'internal_error'), ServiceError],
    ['a permanent conflict', refusing(409, 'deployment_exists'), ConflictError],
  ])('is not retried after %s', async (_, answer, Class) => {
    await expect(ask(answer, me).GET('/api/v1/me')).rejects.toBeInstanceOf(Class);
    expect(seen).toBe(1);
  });

  it('is not retried after an outage if it is a PATCH, but is retried after a rate limit', async () => {
    const change = { params: { path: { project_id: NOTHING } }, body: {} };
    await expect(
      ask(refusing(503, 'unavailable'), me).PATCH('/api/v1/projects/{project_id}', change),
    ).rejects.toThrow();
    expect(seen).toBe(1);
    await ask(refusing(429, 'rate_limited', { 'retry-after': '0' }), me).PATCH('/api/v1/projects/{project_id}', change);
  });

  it('is retried after a timeout', async () => {
    answers = [() => undefined, me];
    const hasty = new WorkspaceClient({ baseUrl: url, retry: HASTY, timeoutMs: 50 });
    expect((await hasty.GET('/api/v1/me')).data).toEqual({ id: 'x' });
    expect(seen).toBe(2);
  });
});

describe('a token provider', () => {
  const tokenOf = async (expiresIn: number): Promise<string> => {
    const { company, user } = session;
    return (await service.session({ company, user, expiresIn })).token;
  };

  it('is called once for parallel requests, and again after the token has expired', async () => {
    const given: string[] = [];
    const renewing = typedClient(service.url, session, {
      token: async () => {
        given.push(await tokenOf(given.length === 0 ? -60 : 3600));
        return given.at(-1) ?? '';
      },
    });
    const asked = Array.from({ length: 5 }, async () => (await renewing.GET('/api/v1/me')).data);
    const answers: Schemas['MeResponse'][] = await Promise.all(asked);
    expect(new Set(answers.map(({ user_id }) => user_id))).toEqual(new Set([session.user]));
    expect(given).toHaveLength(2);
  });

  it('causes an error if it returns an invalid token twice', async () => {
    let given = 0;
    const stale = typedClient(service.url, session, {
      token: async () => {
        given += 1;
        return await tokenOf(-60);
      },
    });
    await expect(stale.GET('/api/v1/me')).rejects.toBeInstanceOf(AuthenticationError);
    expect(given).toBe(2);
  });

  it('is called again for each request if it fails, and the request rejects with its error', async () => {
    let given = 0;
    const helpless = typedClient(service.url, session, {
      token: () => {
        given += 1;
        return Promise.reject(new Error('Not signed in'));
      },
    });
    const asked = async () => await expect(helpless.GET('/api/v1/me')).rejects.toThrow('Not signed in');
    await asked();
    await asked();
    expect(given).toBe(2);
  });
});
