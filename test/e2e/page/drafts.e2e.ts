import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { CardListResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { inBrowser, usePage } from '../../support/page.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const shared = useSharedService();

inBrowser('the page after navigation and a reload', () => {
  const tab = usePage(() => [shared]);
  const button = (name: string): Locator => tab.page.getByRole('button', { name, exact: true });
  const field = (name: string): Locator => tab.page.getByRole('textbox', { name, exact: true });

  async function open(place: string, prepare?: (session: Session, id: string) => Promise<unknown>) {
    const session = await shared.session();
    const { id } = await makeProject(session.client);
    const found = await prepare?.(session, id);
    await tab.page.goto(`${shared.url}/#/projects/${id}/${place.replace('{}', String(found))}`);
    await tab.paste(session.token);
    return { session, id };
  }

  /** Opens another view of the project, comes back, and reloads the page. `look` must find the draft each time. */
  async function survives(part: string, back: () => Promise<void>, look: () => Promise<void>): Promise<void> {
    const parts = tab.page.getByRole('navigation', { name: 'Parts of the project' });
    await parts.getByRole('link', { name: part === 'Files' ? 'Runs' : 'Files', exact: true }).click();
    await tab.page
      .getByRole(part === 'Files' ? 'navigation' : 'region', {
        name: part === 'Files' ? 'Runs and scenarios' : 'Files',
        exact: true,
      })
      .waitFor();
    await back();
    await look();
    await tab.page.reload();
    await look();
  }

  it('still shows the draft of a card, until the draft is saved or canceled', async () => {
    const { session, id } = await open('canvas', ({ client }, project) =>
      client.post(`/projects/${project}/cards`, { card_type: 'kpi', label: 'Cost', data: { expression: '1' } }),
    );
    await button('Edit Cost').click();
    await field('Label').fill('Cost of all');
    await survives(
      'Canvas',
      () => tab.page.goBack().then(),
      async () => {
        await field('Label').waitFor();
        expect(await field('Label').inputValue()).toBe('Cost of all');
      },
    );
    await button('Save').click();
    await tab.page.getByRole('article', { name: 'Cost of all' }).waitFor();
    const { cards } = await session.client.get<CardListResponse>(`/projects/${id}/cards`);
    expect(cards.map(({ label }) => label)).toEqual(['Cost of all']);
    await button('Edit Cost of all').click();
    await field('Label').fill('Given up');
    await button('Cancel').click();
    await button('Edit Cost of all').click();
    expect(await field('Label').inputValue()).toBe('Cost of all');
  });

  it('still shows the draft of a new card', async () => {
    await open('canvas');
    await button('Add an objective').click();
    await field('Label').fill('Profit');
    await survives(
      'Canvas',
      () => tab.page.goBack().then(),
      async () => {
        await field('Label').waitFor();
        expect(await field('Label').inputValue()).toBe('Profit');
      },
    );
  });

  it('still shows the draft of a new scenario and its changes', async () => {
    await open('runs/scenarios/new');
    await field('Name').fill('Cheaper');
    await button('Add a change').click();
    await field('Number').nth(1).fill('1.5');
    await survives(
      'Runs',
      () => tab.page.goBack().then(),
      async () => {
        await field('Name').waitFor();
        expect(await field('Name').inputValue()).toBe('Cheaper');
        expect(await field('Number').nth(1).inputValue()).toBe('1.5');
      },
    );
    await button('Remove change 2').click();
    await button('Remove change 1').click();
    await button('Create scenario').click();
    await tab.page.getByText('No changes').waitFor();
    await tab.page.getByRole('link', { name: 'New scenario' }).click();
    expect(await field('Name').inputValue()).toBe('');
  });

  it('still shows the draft of a scenario that others have changed, with a notice', async () => {
    let path = '';
    const { session } = await open('runs/scenarios/{}', async ({ client }, project) => {
      const made = await client.post<ScenarioResponse>(`/projects/${project}/scenarios`, { name: 'Mine', changes: [] });
      path = `/projects/${project}/scenarios/${made.id}`;
      return made.id;
    });
    await field('Description').fill('A draft');
    await survives(
      'Runs',
      () => tab.page.goBack().then(),
      async () => {
        await field('Description').waitFor();
        expect(await field('Description').inputValue()).toBe('A draft');
      },
    );
    await session.client.patch(path, { name: 'Theirs' });
    await tab.page.reload();
    await tab.page.getByText('Someone changed this scenario after you opened it.').waitFor();
    expect(await field('Description').inputValue()).toBe('A draft');
  });

  it('still shows the draft in the SQL editor of a table', async () => {
    const { id } = await open('files', ({ client }, project) =>
      makeFile(client, { source: 'workspace', project_id: project }, 'orders.csv', 'a,b\n1,2\n'),
    );
    const toSql = async (): Promise<void> => {
      await tab.page.goto(`${shared.url}/#/projects/${id}/files`);
      await tab.page.getByRole('link', { name: 'orders.csv' }).or(button('orders.csv')).first().click();
      await tab.page.getByText('SQL', { exact: true }).click();
      await field('SQL').waitFor();
    };
    await toSql();
    await field('SQL').fill('SELECT b FROM orders');
    const look = async (): Promise<void> => {
      await toSql();
      expect(await field('SQL').inputValue()).toBe('SELECT b FROM orders');
    };
    await survives('Files', () => Promise.resolve(), look);
  });
});
