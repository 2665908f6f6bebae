import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Entry, Fault, Field } from '../../conformance/kinds.js';
import { type Request, requests } from '../../conformance/requests.js';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { components, operations } from '../../interface/interface.js';
import type { Client } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';

const service = useSharedService();
let client: Client;
let names: Record<string, string>;

beforeAll(async () => {
  ({ client } = await service.session());
  const { handle } = await makeDeployment(client, {
    instructions: '# Wrong values',
    skills: { s1: { 'SKILL.md': 'A skill.' } },
  });
  const { id } = await makeProject(client, { from_deployment: handle });
  names = { project_id: id, skill: 's1', name: handle };
});

const fill = (text: string): string =>
  text.replace(/\{(project_id|skill|name)\}/g, (_, name: string) => names[name] ?? '');
const filled = (values: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(fill(JSON.stringify(values))) as Record<string, unknown>;

/** Sends the values and returns the status and `detail`. */
async function send({ method, path, part }: Request, values: Record<string, unknown>): Promise<[number, unknown]> {
  const options = part === 'body' ? { body: values } : { query: values as Record<string, string> };
  const { status, body } = await client.send<{ detail?: unknown }>(method, fill(path), options);
  return [status, body.detail];
}

/** Returns the expected error entries for an invalid value. */
const expected = (part: string, name: string, { value, entries }: Fault): unknown[] =>
  entries.map(({ type, msg, ctx, at = [], input = value }: Entry) => ({
    type,
    loc: [part, name, ...at],
    msg,
    input,
    ...(ctx && { ctx }),
  }));

const lacks = (part: string, name: string, sent: unknown): unknown => ({
  type: 'missing',
  loc: [part, name],
  msg: 'Field required',
  input: part === 'body' ? sent : null,
});

it('covers all fields of all documented requests', () => {
  const documented = operations.flatMap(({ name, query, request }) => {
    const component = request === undefined ? undefined : components[request];
    const fields = { ...query, ...(component !== undefined && 'fields' in component && component.fields) };
    return Object.entries(fields).map(([field, { required }]) => `${name}: ${field}${required ? '' : '?'}`);
  });
  const listed = requests.flatMap(({ operation, fields }) =>
    Object.entries(fields).map(([field, { required }]) => `${operation}: ${field}${required ? '' : '?'}`),
  );
  const additions = ['List usage by user: since?', 'List usage by user: until?'];
  expect(listed.sort()).toEqual([...documented, ...additions].sort());
});

describe.each(requests)('$operation', (request) => {
  const { part, fields } = request;
  const each: [string, Field][] = Object.entries(fields);

  it('accepts valid values', async () => {
    const [status, detail] = await send(request, filled(request.valid));
    expect([status, detail]).not.toEqual([422, expect.anything()]);
  });

  it.each(each)('rejects invalid values of %s', async (name, { faults, required }) => {
    const valid = filled(request.valid);
    for (const fault of faults) {
      const values = { ...valid, [name]: fault.value };
      expect([values, ...(await send(request, values))]).toEqual([values, 422, expected(part, name, fault)]);
    }
    if (!required) return;
    const rest = Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name));
    expect(await send(request, rest)).toEqual([422, [lacks(part, name, rest)]]);
  });

  it.each(each)('accepts valid values of %s', async (name, { fine }) => {
    for (const value of fine) {
      const [status, detail] = await send(request, { ...filled(request.valid), [name]: value });
      if (status === 422 || status >= 500)
        throw new Error(`${JSON.stringify(value)} answered ${status} ${JSON.stringify(detail)}`);
    }
  });

  it('reports all errors together, in the order of declaration', async () => {
    const rounds = Math.min(3, ...each.map(([, { faults }]) => faults.length));
    for (let round = 0; round < rounds; round++) {
      const wrong = each.map(([name, { faults }]) => [name, faults.at(-1 - round) as Fault] as const);
      const values = Object.fromEntries(wrong.map(([name, { value }]) => [name, value] as const).reverse());
      expect(await send(request, values)).toEqual([422, wrong.flatMap(([name, fault]) => expected(part, name, fault))]);
    }
    const nothing = each.filter(([, { required }]) => required).map(([name]) => lacks(part, name, {}));
    if (nothing.length > 0) expect(await send(request, {})).toEqual([422, nothing]);
  });
});
