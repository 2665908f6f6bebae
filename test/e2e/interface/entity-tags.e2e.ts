import { describe, expect, it } from '@jest/globals';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import type { ExecutionDetailResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client } from '../../support/client.js';
import { Dice } from '../../support/dice.js';
import { eventually } from '../../support/eventually.js';
import { rowsOf } from '../../support/rows.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { CachingClient, ForgetfulClient, type Read, SeenTags } from '../../support/tag-cache.js';

const IS_LONG = process.env['TAGS'] === 'long';
const STEPS = IS_LONG ? 120 : 6;
const WRITERS = IS_LONG ? 50 : 8;
const SEED = Number(process.env['TAG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const service = useService();

const tagOf = async (client: Client, path: string): Promise<string> => {
  const { status, headers } = await client.send('GET', path);
  expect(status).toBe(200);
  return headers.get('etag') ?? '';
};

/** Creates a company with a project that contains every kind of resource. */
async function furnish(owner: Session) {
  const { client } = owner;
  const { handle } = await makeDeployment(client, {
    instructions: 'Ask.',
    skills: { shifts: { 'SKILL.md': 'Eight hours.' } },
  });
  const { id } = await makeProject(client, { from_deployment: handle });
  const at = `/projects/${id}`;
  const conversation = await client.post<ConversationResponse>(`${at}/conversations`, { title: 'Other' });
  await makeFile(client, { source: 'workspace', project_id: id }, 'products.csv', 'id,cost\na,1\n');
  const card = await client.post<CardResponse>(`${at}/cards`, {
    card_type: 'data',
    label: 'Products',
    data: { set: 'products', file_path: 'products.csv', key: ['id'] },
  });
  await client.post(`${at}/cards`, { card_type: 'data', label: 'Hours', data: { values: { hours: 3 } } });
  await client.post(`${at}/cards`, { card_type: 'variable', label: 'Chairs', data: { name: 'chairs', upper: 9 } });
  const profit = { sense: 'maximize', expression: '3 chairs' };
  await client.post(`${at}/cards`, { card_type: 'objective', label: 'Profit', data: profit });
  const scenario = await client.post<ScenarioResponse>(`${at}/scenarios`, { name: 'Longer', changes: [] });
  const run = await client.post<ExecutionResponse>(`${at}/solve/executions`, {});
  return { id, at, handle, card, conversation, scenario, execution: run.id };
}

type World = Awaited<ReturnType<typeof furnish>>;

/** Returns the paths of all resources with an entity tag. */
const pathsOf = ({ at, handle, card, conversation, scenario, execution }: World): string[] => [
  at,
  `${at}/cards`,
  `${at}/cards/${card.id}`,
  `${at}/chat`,
  `${at}/chat?limit=3&offset=1`,
  `${at}/chat/sync`,
  `${at}/chat/sync?conversation_id=${conversation.id}&limit=2`,
  `${at}/conversations/${conversation.id}`,
  `${at}/scenarios/${scenario.id}`,
  `${at}/skills/shifts`,
  `${at}/agent-config`,
  `${at}/solve/executions/${execution}`,
  `${at}/solve/executions/${execution}/log`,
  `${at}/solve/executions/${execution}/cards`,
  `${at}/solve/executions/${execution}/values?family=chairs`,
  `${at}/solve/executions/${execution}/values?family=chairs&limit=1&offset=1`,
  `${at}/scenarios/compare`,
  `${at}/scenarios/compare?ids=${scenario.id}`,
  '/me',
  `/deployments/${handle}`,
  `/deployments/${handle}/instructions`,
  `/deployments/${handle}/skills/shifts`,
];

describe('an entity tag', () => {
  it(`gives a caching client the same responses as a client without a cache (seed ${SEED})`, async () => {
    const dice = new Dice(SEED);
    const owner = await service.session();
    const company = owner.company;
    const member = await service.session({ company, role: 'member' });
    const world = await furnish(owner);
    const { at, handle } = world;
    await idle(owner.client, world.id);
    let issuedAt = Math.floor(Date.now() / 1000);
    let runs = [world.execution];
    const any = (): Client => dice.one([owner.client, member.client]);
    const text = (): string => `Text ${dice.below(1_000_000)}`;
    const { client } = owner;
    const changes: Record<string, () => Promise<unknown>> = {
      'the project is renamed': () => any().patch(at, { name: text() }),
      'a card is added': () => any().post(`${at}/cards`, { card_type: 'kpi', label: text() }),
      'a card is removed': async () => {
        const { cards } = await client.get<CardListResponse>(`${at}/cards`);
        const kpi = cards.find(({ card_type }) => card_type === 'kpi');
        if (kpi !== undefined) await any().delete(`${at}/cards/${kpi.id}`);
      },
      'a card is changed': async () => {
        const { cards } = await client.get<CardListResponse>(`${at}/cards`);
        const { id, version } = dice.one(cards);
        await any().patch(`${at}/cards/${id}`, { version, label: text() });
      },
      // The service updates the card's gaps and the project's flags in the background, without a new card version.
      'the file of a card comes': () =>
        makeFile(
          client,
          { source: 'workspace', project_id: world.id },
          'products.csv',
          `id,cost\na,${dice.below(9)}\n`,
        ),
      'the file of a card goes': () =>
        any().send('POST', '/files/delete', {
          body: { source: 'workspace', project_id: world.id, path: 'products.csv' },
        }),
      'somebody posts': () => any().send('POST', `${at}/chat`, { body: { content: `hours: ${dice.below(50)}` } }),
      'somebody posts elsewhere': () =>
        any().send('POST', `${at}/chat`, { body: { content: text(), conversation_id: world.conversation.id } }),
      'a turn is stopped': () => any().post(`${at}/chat/stop`, {}),
      'a conversation is renamed': () => any().patch(`${at}/conversations/${world.conversation.id}`, { title: text() }),
      'a scenario is changed': () => any().patch(`${at}/scenarios/${world.scenario.id}`, { description: text() }),
      'a skill of the deployment is changed': () =>
        client.put(`/deployments/${handle}/skills/shifts`, { files: { 'SKILL.md': text() } }),
      'instructions are changed': () => client.put(`/deployments/${handle}/instructions`, { content: text() }),
      'a template file comes': () =>
        makeFile(
          client,
          { source: 'deployment', deployment_name: handle },
          `skills/shifts/${dice.below(3)}.md`,
          text(),
        ),
      'the configuration is pulled': () => any().post(`${at}/agent-config/pull`, {}),
      'the project gets a skill of its own': () => any().put(`${at}/skills/shifts`, { files: { 'SKILL.md': text() } }),
      'the project loses it': () => any().send('DELETE', `${at}/skills/shifts`),
      'the creator is called otherwise': async () => {
        const later = await service.session({ company, user: owner.user, name: text(), issuedAt: (issuedAt += 1) });
        await later.client.get('/me');
      },
      'the role of the member is another one': () =>
        client.put(`${at}/members/${member.user}`, { role: dice.one(['editor', 'owner']) }),
      'a snapshot is taken': () => any().post(`${at}/snapshots`),
      'a run is started': async () => {
        const { id } = await any().post<ExecutionResponse>(`${at}/solve/executions`, { is_test: dice.percent(50) });
        runs = [id, ...runs];
      },
    };
    await member.client.get('/me');
    const seen = new SeenTags();
    const readers = [owner, member].map(({ token }) => ({
      keeping: new CachingClient(service.url, token, new SeenTags()),
      forgetful: new ForgetfulClient(service.url, token, new SeenTags()),
    }));
    const watched = (): string[] => pathsOf({ ...world, execution: runs[0] ?? '' });
    /**
     * Returns the current response for a path, independently of caches. The service caches whole canvases but not
     * single cards, so the canvas is assembled from its cards.
     */
    const truth = async (path: string, forgetful: ForgetfulClient): Promise<Pick<Read, 'status' | 'text'>> => {
      if (path !== `${at}/cards`) return await forgetful.read(path);
      const ids = await rowsOf(
        service.environment,
        'SELECT id FROM cards WHERE project_id = $1 ORDER BY created_at, id',
        [world.id],
      );
      const read = await Promise.all(ids.map(({ id }) => forgetful.read(`${at}/cards/${String(id)}`)));
      return { status: 200, text: `{"cards":[${read.map(({ text: card }) => card).join()}]}` };
    };
    /**
     * Compares the responses to a client with a cache and to a client without a cache. Retries if a turn, a run or a
     * job changes the response during the comparison.
     */
    const compare = async (path: string, keeping: CachingClient, forgetful: ForgetfulClient): Promise<void> => {
      for (;;) {
        const before = await truth(path, forgetful);
        const kept = await keeping.read(path);
        const after = await truth(path, forgetful);
        if (before.text !== after.text) continue;
        expect({ path, status: kept.status, text: kept.text }).toEqual({
          path,
          status: after.status,
          text: after.text,
        });
        return;
      }
    };
    // Reads continuously, so that states between the steps are also observed.
    const over = new AbortController();
    const looking = (async () => {
      const looker = new ForgetfulClient(service.url, owner.token, seen);
      while (!over.signal.aborted) for (const path of watched()) await looker.read(path);
    })();
    for (let step = 0; step < STEPS; step += 1) {
      const change = dice.one(Object.keys(changes));
      await changes[change]?.();
      for (const { keeping, forgetful } of readers)
        for (const path of watched()) await compare(path, keeping, forgetful);
    }
    over.abort();
    await looking;
    for (const { keeping } of readers) {
      expect(keeping.spared).toBeGreaterThan(STEPS);
      expect(keeping.whole).toBeGreaterThan(STEPS / 2);
    }
    expect(seen.size).toBeGreaterThan(STEPS);
  }, 120_000);

  it('is returned by every write, matches the tag of GET, and is compared as HTTP specifies', async () => {
    const owner = await service.session();
    const { client } = owner;
    const { at, handle, card, conversation, scenario, execution } = await furnish(owner);
    await eventually(
      () => client.get<ExecutionDetailResponse>(`${at}/solve/executions/${execution}`),
      ({ status }) => status === 'succeeded' || status === 'failed',
      { until: 'the run is over' },
    );
    // The checklist changes when the file of the data card has been read.
    await eventually(
      () => client.get<ProjectResponse>(at),
      ({ completeness }) => completeness.data_available,
      { until: 'the data is available' },
    );
    const files = { 'SKILL.md': 'Ten hours.' };
    const writes: [method: string, path: string, body: () => object][] = [
      ['PATCH', at, () => ({ name: 'Other' })],
      ['PATCH', `${at}/cards/${card.id}`, () => ({ version: 1, label: 'Other' })],
      ['PATCH', `${at}/conversations/${conversation.id}`, () => ({ title: 'Newer' })],
      ['PATCH', `${at}/scenarios/${scenario.id}`, () => ({ name: 'Newer' })],
      ['PUT', `${at}/skills/shifts`, () => ({ files })],
      ['PUT', `/deployments/${handle}/skills/shifts`, () => ({ files })],
      ['PUT', `/deployments/${handle}/instructions`, () => ({ content: 'Newer' })],
    ];
    for (const [method, path, body] of writes) {
      const answer = await client.send(method, path, { body: body() });
      const tag = await tagOf(client, path);
      expect([path, answer.status, answer.headers.get('etag')]).toEqual([path, 200, tag]);
      const bare = tag.slice(1, 23);
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, `"${bare}-br"`, '*']) {
        const asked = await client.send('GET', path, { headers: { 'if-none-match': known } });
        expect([path, known, asked.status, asked.body]).toEqual([path, known, 304, undefined]);
        const answered = { '*': `"${bare}"`, [`"${bare}-br"`]: known }[known] ?? tag;
        expect(asked.headers.get('etag')).toBe(answered);
      }
      for (const unknown of ['"x"', bare, `"${bare}-zip"`, '', 'x"'])
        expect((await client.send('GET', path, { headers: { 'if-none-match': unknown } })).status).toBe(200);
      // A different, weak or invalid tag does not match, so nothing may change.
      for (const wrong of ['"x"', `W/${tag}`, bare, '']) {
        const refused = await client.send(method, path, { body: body(), headers: { 'if-match': wrong } });
        expect([path, wrong, refused.status]).toEqual([path, wrong, 412]);
      }
      expect(await tagOf(client, path)).toBe(tag);
    }
    // DELETE of a missing resource returns 404 even with a condition. PUT would create the resource, so it returns 412.
    const nothing = '01a1fdd8-aae9-7686-bf03-000000000000';
    const headers = { 'if-match': '*' };
    for (const path of [
      `/projects/${nothing}`,
      `${at}/cards/${nothing}`,
      `${at}/conversations/${nothing}`,
      `${at}/scenarios/${nothing}`,
      `${at}/skills/none`,
      `/deployments/${handle}/skills/none`,
    ])
      expect([path, (await client.send('DELETE', path, { headers })).status]).toEqual([path, 404]);
    for (const path of [`${at}/skills/none`, `/deployments/${handle}/skills/none`])
      expect([path, (await client.send('PUT', path, { body: { files }, headers })).status]).toEqual([path, 412]);
    const { handle: bare } = await makeDeployment(client);
    const put = { body: { content: 'First' }, headers };
    expect((await client.send('PUT', `/deployments/${bare}/instructions`, put)).status).toBe(412);
    // Deletions also check the condition.
    for (const path of [
      `${at}/cards/${card.id}`,
      `${at}/conversations/${conversation.id}`,
      `${at}/scenarios/${scenario.id}`,
      `${at}/skills/shifts`,
      `/deployments/${handle}/skills/shifts`,
      at,
    ]) {
      expect([path, (await client.send('DELETE', path, { headers: { 'if-match': '"x"' } })).status]).toEqual([
        path,
        412,
      ]);
      const tag = await tagOf(client, path);
      expect([path, (await client.send('DELETE', path, { headers: { 'if-match': tag } })).status]).toEqual([path, 204]);
    }
  });

  it('reveals nothing to callers without access, and differs between deployment and project skills', async () => {
    const owner = await service.session();
    const { client, company } = owner;
    const outsider = await service.session({ company, role: 'member' });
    const { at, handle, card, conversation, execution } = await furnish(owner);
    const skill = `${at}/skills/shifts`;
    // The tag belongs to the deployment's skill, because the project does not have its own skill yet.
    const tag = await tagOf(client, skill);
    const put = { body: { files: { 'SKILL.md': 'Own.' } }, headers: { 'if-match': tag } };
    expect((await client.send('PUT', skill, put)).status).toBe(412);
    const made = await client.send('PUT', skill, { body: put.body });
    await client.put(`/deployments/${handle}/skills/shifts`, { files: { 'SKILL.md': 'Theirs.' } });
    const own = made.headers.get('etag') ?? '';
    expect((await client.send('PUT', skill, { ...put, headers: { 'if-match': own } })).status).toBe(200);
    const paths = [at, `${at}/cards`, `${at}/chat/sync`, `${at}/chat`, `${at}/cards/${card.id}`];
    paths.push(`${at}/conversations/${conversation.id}`, skill);
    const known = await Promise.all(paths.map(async (path) => ({ path, tag: await tagOf(outsider.client, path) })));
    // Even `*` does not match a missing resource, so the error is not turned into a 304.
    const values = await client.send('GET', `${at}/solve/executions/${execution}/values?family=nothing`, {
      headers: { 'if-none-match': '*' },
    });
    expect([409, 422]).toContain(values.status);
    await client.patch(at, { visibility: 'private' });
    for (const one of known)
      for (const etag of [one.tag, '*']) {
        const asked = await outsider.client.send('GET', one.path, { headers: { 'if-none-match': etag } });
        expect([one.path, asked.status]).toEqual([one.path, 404]);
      }
  });
});

describe(`If-Match with ${WRITERS} writers`, () => {
  /** Response fields that the writers change. */
  interface Fields {
    content: string;
    description: string;
    title: string;
    version: number;
    files: Record<string, string>;
    data: { description: string };
  }
  /** Resource that many clients write at once. Each of them appends its name to a list in the resource. */
  interface Written {
    path: string;
    method: 'PUT' | 'PATCH';
    listIn: (answer: Fields) => string;
    body: (list: string, answer: Fields) => object;
  }
  const things: Record<string, (world: World) => Written> = {
    instructions: ({ handle }) => ({
      path: `/deployments/${handle}/instructions`,
      method: 'PUT',
      listIn: ({ content }) => content,
      body: (content) => ({ content }),
    }),
    'a skill of a deployment': ({ handle }) => ({
      path: `/deployments/${handle}/skills/shifts`,
      method: 'PUT',
      listIn: ({ files }) => files['SKILL.md'] ?? '',
      body: (text) => ({ files: { 'SKILL.md': text } }),
    }),
    'a skill of a project': ({ at }) => ({
      path: `${at}/skills/shifts`,
      method: 'PUT',
      listIn: ({ files }) => files['SKILL.md'] ?? '',
      body: (text) => ({ files: { 'SKILL.md': text } }),
    }),
    'a card': ({ at, card }) => ({
      path: `${at}/cards/${card.id}`,
      method: 'PATCH',
      listIn: ({ data }) => data.description,
      body: (description, { version }) => ({ version, data: { description } }),
    }),
    'a project': ({ at }) => ({
      path: at,
      method: 'PATCH',
      listIn: ({ description }) => description,
      body: (description) => ({ description }),
    }),
    'a scenario': ({ at, scenario }) => ({
      path: `${at}/scenarios/${scenario.id}`,
      method: 'PATCH',
      listIn: ({ description }) => description,
      body: (description) => ({ description }),
    }),
    'a conversation': ({ at, conversation }) => ({
      path: `${at}/conversations/${conversation.id}`,
      method: 'PATCH',
      listIn: ({ title }) => title,
      body: (title) => ({ title }),
    }),
  };

  it.each(Object.keys(things))(
    'preserves all acknowledged writes to %s',
    async (name) => {
      const owner = await service.session();
      const world = await furnish(owner);
      const { path, method, listIn, body } = things[name]!(world);
      const { client } = owner;
      const first = await client.get<Fields>(path);
      await client.send(method, path, { body: body('.', first) });
      let refused = 0;
      const write = async (_: unknown, writer: number): Promise<void> => {
        for (;;) {
          const read = await client.send<Fields>('GET', path);
          if (read.status === 429) continue;
          const list = `${listIn(read.body)} ${writer}`;
          const headers = { 'if-match': read.headers.get('etag') ?? '' };
          const { status } = await client.send(method, path, { body: body(list, read.body), headers });
          if (status === 200) return;
          expect([412, 429]).toContain(status);
          refused += 1;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
      const written = listIn(await client.get<Fields>(path));
      expect(
        written
          .split(' ')
          .slice(1)
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual([...Array(WRITERS).keys()]);
      expect(refused).toBeGreaterThan(0);
    },
    60_000,
  );
});
