import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { ExecutionListResponse } from '../../../src/executions/executions.dto.js';
import type { ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { SnapshotListResponse } from '../../../src/projects/snapshots.dto.js';
import type { ScenarioListResponse } from '../../../src/scenarios/scenarios.dto.js';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { inBrowser, usePage } from '../../support/page.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const shared = useSharedService();

inBrowser('the page', () => {
  const tab = usePage(() => [shared]);
  const button = (name: string): Locator => tab.page.getByRole('button', { name, exact: true });

  /** Opens a view of a new project that can be solved. */
  async function open(part: string): Promise<{ session: Session; id: string }> {
    const session = await shared.session();
    const { id } = await makeProject(session.client);
    for (const card of [
      { card_type: 'variable', label: 'x', data: { name: 'x', upper: 4 } },
      { card_type: 'objective', label: 'Most', data: { sense: 'maximize', expression: 'x' } },
    ])
      await session.client.post(`/projects/${id}/cards`, card);
    await tab.page.goto(`${shared.url}/#/projects/${id}/${part}`);
    await tab.paste(session.token);
    return { session, id };
  }

  /** Waits for the first effect of an action and checks that there is no second effect. */
  async function once(count: () => Promise<number>): Promise<void> {
    await eventually(count, (total) => total > 0, { until: 'it is done' });
    await tab.page.waitForTimeout(500);
    expect(await count()).toBe(1);
  }

  const projectsOf = async ({ client }: Session): Promise<number> =>
    (await client.get<ProjectSummaryListResponse>('/projects')).total;

  it.each([
    ['a double click', (name: Locator) => name.press('Tab').then(() => button('Create project').dblclick())],
    ['pressing Enter twice', (name: Locator) => name.press('Enter').then(() => name.press('Enter', { timeout: 500 }))],
    ['three clicks', () => button('Create project').click({ clickCount: 3, delay: 5 })],
  ])('creates a single project after %s', async (_, press) => {
    const session = await shared.session();
    await tab.page.goto(shared.url);
    await tab.paste(session.token);
    await button('New project').first().click();
    const name = tab.page.getByRole('textbox', { name: 'Name' });
    await name.fill('Made once');
    // The form disappears as soon as the project exists.
    await press(name).catch(() => undefined);
    await once(() => projectsOf(session));
  });

  it('takes a single snapshot after a double click, and another snapshot after a later click', async () => {
    const { session, id } = await open('canvas');
    const count = async (): Promise<number> =>
      (await session.client.get<SnapshotListResponse>(`/projects/${id}/snapshots`)).snapshots.length;
    await button('Take a snapshot').dblclick();
    await once(count);
    await tab.page.waitForTimeout(1_000);
    await button('Take a snapshot').click();
    await eventually(count, (total) => total === 2, { until: 'the second one is taken' });
  });

  it('starts a single run after a double click', async () => {
    const { session, id } = await open('runs');
    await button('Solve').click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Solve', exact: true }).dblclick();
    await once(async () => (await session.client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`)).total);
  });

  it('creates a single scenario after a double click', async () => {
    const { session, id } = await open('runs/scenarios/new');
    await tab.page.getByRole('textbox', { name: 'Name' }).fill('Cheaper');
    await button('Remove change 1').click();
    await button('Create scenario').dblclick();
    await once(async () => (await session.client.get<ScenarioListResponse>(`/projects/${id}/scenarios`)).total);
  });

  it('creates a single project if the request is retried after a lost response', async () => {
    const session = await shared.session();
    await tab.page.goto(shared.url);
    await tab.paste(session.token);
    await button('New project').first().click();
    await tab.page.getByRole('textbox', { name: 'Name' }).fill('Made once');
    const keys = new Set<string>();
    await tab.page.route('**/api/v1/projects', async (route) => {
      if (route.request().method() !== 'POST') return await route.fallback();
      keys.add(route.request().headers()['idempotency-key'] ?? '');
      await route.fetch();
      await route.abort();
    });
    await button('Create project').click();
    await tab.page.getByText('Could not create the project').waitFor({ timeout: 40_000 });
    await tab.page.unroute('**/api/v1/projects');
    const [again] = await Promise.all([
      tab.page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/projects')),
      button('Create project').click(),
    ]);
    keys.add(again.headers()['idempotency-key'] ?? '');
    await tab.page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await projectsOf(session)).toBe(1);
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  }, 90_000);
});
