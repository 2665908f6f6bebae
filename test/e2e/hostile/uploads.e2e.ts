import { describe, expect, it } from '@jest/globals';
import { makeProject, type Place } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { Bystander, expectUnharmed } from '../../support/hostile.js';
import { raw } from '../../support/raw.js';
import { useService } from '../../support/service.js';
import { put, start } from '../../support/upload-parts.js';

const MiB = 1024 ** 2;
const service = useService({ settings: { FILES_COMPANY_MAX_BYTES: String(40 * MiB) } });

async function makeWorkspace(): Promise<{ client: Client; place: Place }> {
  const { client } = await service.session({ role: 'member' });
  const { id } = await makeProject(client);
  return { client, place: { source: 'workspace', project_id: id } };
}

it('limits the total bytes of concurrent uploads to the company’s storage limit', async () => {
  const { client, place } = await makeWorkspace();
  const bystander = await Bystander.start(service);
  const uploads = await Promise.all(Array.from({ length: 12 }, (_, index) => start(client, place, `${index}`)));
  const statuses = await Promise.all(uploads.map(({ parts }) => put(parts[0]?.url, 9 * MiB)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  expect(statuses.filter((status) => status === 413)).toHaveLength(8);
  await expectUnharmed(service, bystander);
}, 60_000);

it('keeps the database available to other callers while many parts are sent concurrently', async () => {
  const { client, place } = await makeWorkspace();
  const { parts } = await start(client, place, 'a');
  const bystander = await Bystander.start(service);
  const many = Array.from({ length: 300 }, (_, index) => put(parts[index % 4]?.url, 1));
  const statuses = new Set(await Promise.all(many));
  expect([...statuses].filter((status) => ![200, 409, 429].includes(Number(status)))).toEqual([]);
  expect(statuses).toContain(200);
  await expectUnharmed(service, bystander);
}, 60_000);

describe('the Host header of a request', () => {
  it.each(['/'.repeat(7000) + 'x', 'a/b', 'a b', '[::1', 'a:b', 'user@host', 'x'.repeat(300)])(
    'is rejected if it is invalid, because URLs are built from it: %j',
    async (host) => {
      const { client, place } = await makeWorkspace();
      const { upload_token } = await start(client, place, 'a');
      const part_numbers = Array.from({ length: 1000 }, (_, index) => index + 1);
      const began = performance.now();
      const answer = await raw(`${service.url}/api/v1/files/upload/parts`, {
        method: 'POST',
        headers: { host, authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ upload_token, part_numbers }),
      });
      expect(answer).toMatchObject({
        status: 400,
        text: JSON.stringify({ detail: 'The Host header is missing, repeated or invalid', code: 'host_invalid' }),
      });
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );
});
