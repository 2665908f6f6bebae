import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { committedContract } from '../../support/contract.js';
import { raw } from '../../support/raw.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/** Request and the response that FastAPI returned to it. */
interface Case {
  id: string;
  kind: string;
  method: string;
  /** `{project_id}`, `{skill}` and `{name}` are replaced with existing values. */
  path_template: string;
  query: string;
  /** `Bearer t` is replaced with a valid token. */
  headers: Record<string, string>;
  /** JSON body. The string `{project_id}` is replaced with the id of the project. */
  body?: unknown;
  /** Body that is sent unchanged. */
  raw_body?: string;
  /** Expected status. Null accepts any status except a validation error. */
  expected_status: number | null;
  expected_detail: unknown;
}

const { cases } = JSON.parse(readFileSync('test/conformance/validation-cases.json', 'utf8')) as { cases: Case[] };

const service = useSharedService();
let session: Session;
let names: Record<string, string>;

beforeAll(async () => {
  session = await service.session();
  const { handle } = await makeDeployment(session.client, { instructions: '# Conformance' });
  const project = await makeProject(session.client, { from_deployment: handle });
  await session.client.put(`/projects/${project.id}/skills/s1`, { files: { 'SKILL.md': 'A skill.' } });
  names = { project_id: project.id, skill: 's1', name: handle };
});

const fill = (text: string): string =>
  text.replace(/\{(project_id|skill|name)\}/g, (_, name: string) => names[name] ?? '');

async function answer({
  method,
  path_template,
  query,
  headers,
  ...one
}: Case): Promise<{ status: number; detail: unknown }> {
  const path = fill(path_template);
  const authorization = headers['authorization']?.replace(/(?<=^bearer )t$/i, session.token);
  const json = 'body' in one && one.raw_body === undefined;
  const body = json ? fill(JSON.stringify(one.body)) : one.raw_body;
  const { status, text, ...received } = await raw(`${service.url}${path}${query && `?${query}`}`, {
    method,
    headers: {
      ...(json && { 'content-type': 'application/json' }),
      ...headers,
      ...(authorization && { authorization }),
    },
    ...(body !== undefined && { body }),
  });
  const contentType = received.headers['content-type'] ?? null;
  committedContract().check({ method, path, status, contentType, text });
  return { status, detail: (JSON.parse(text) as { detail?: unknown }).detail };
}

describe('the recorded responses of a FastAPI service', () => {
  const refused = cases.filter(({ expected_status }) => expected_status !== null);
  const accepted = cases.filter(({ expected_status }) => expected_status === null);

  it('cover 85 rejected and 30 accepted requests', () => expect([refused.length, accepted.length]).toEqual([85, 30]));

  it.each(refused)('$id: $kind', async (one) => {
    expect(await answer(one)).toEqual({ status: one.expected_status, detail: one.expected_detail });
  });

  it.each(accepted)('$id: $kind', async (one) => {
    const { status } = await answer(one);
    expect(status).not.toBe(422);
    expect(status).toBeLessThan(500);
  });
});
