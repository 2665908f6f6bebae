import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { metrics } from '../../support/operators.js';
import { inBrowser, usePage } from '../../support/page.js';
import { removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const WINDOWS = 6;
const METRICS_TOKEN = 'a-token-for-metrics';
/** Time after which another window takes over the streams of a window that hangs, in milliseconds. */
const SILENCE_MS = 45_000;

let service: Service;
const streams = async (): Promise<number> => (await metrics(service.url, METRICS_TOKEN)).get('pws_stream_readers') ?? 0;

beforeAll(async () => {
  service = await Service.start({ settings: { METRICS: 'true', METRICS_TOKEN } });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
}, 60_000);

inBrowser('the page in several windows of a browser', () => {
  const tab = usePage(() => [service]);
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const said = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text }).first();

  async function open({ token }: Session, projectId: string, page?: Page): Promise<Page> {
    const opened = page ?? (await tab.context.newPage());
    opened.setDefaultTimeout(15_000);
    await opened.goto(`${service.url}/#/projects/${projectId}`);
    await opened.getByLabel('Token', { exact: true }).fill(token);
    await opened.getByRole('button', { name: 'Sign in' }).click();
    await message(opened).waitFor();
    return opened;
  }

  async function post(page: Page, text: string): Promise<void> {
    await message(page).fill(text);
    await page.keyboard.press('Enter');
    await said(page, text).waitFor();
    // The conversation shows this text until the turn has ended.
    await page.getByText('The agent is').waitFor({ state: 'detached' });
  }

  it('shows new messages immediately in all six windows over only two streams', async () => {
    const session = await service.session();
    const { id } = await makeProject(session.client);
    const pages: Page[] = [];
    for (let at = 0; at < WINDOWS; at += 1) pages.push(await open(session, id));
    for (const [at, page] of pages.entries()) {
      await post(page, `Said in window ${at}`);
      for (const other of pages) await said(other, `Said in window ${at}`).waitFor();
      expect(await page.getByText('Connection lost').count()).toBe(0);
    }
    expect(await streams()).toBe(2);
    await session.client.patch(`/projects/${id}`, { name: 'Renamed for all' });
    for (const page of pages) await page.getByRole('heading', { name: 'Renamed for all' }).waitFor();
  }, 120_000);

  it('keeps six projects up to date over at most four streams', async () => {
    const session = await service.session();
    const projects: string[] = [];
    const pages: Page[] = [];
    for (let at = 0; at < WINDOWS; at += 1) {
      const { id } = await makeProject(session.client);
      projects.push(id);
      pages.push(await open(session, id));
    }
    for (const [at, page] of pages.entries()) {
      await post(page, `Said in window ${at}`);
      await session.client.post(`/projects/${projects[at]}/chat`, { content: `Said to window ${at}` });
      await session.client.patch(`/projects/${projects[at]}`, { name: `Name ${at}` });
      expect(await streams()).toBeLessThanOrEqual(4);
    }
    for (const [at, page] of pages.entries()) {
      await said(page, `Said to window ${at}`).waitFor();
      await page.getByRole('heading', { name: `Name ${at}` }).waitFor();
      expect(await page.getByText('Connection lost').count()).toBe(0);
    }
  }, 120_000);

  it('takes over the streams of a window that closes', async () => {
    const session = await service.session();
    const { id } = await makeProject(session.client);
    const pages = [await open(session, id), await open(session, id), await open(session, id)];
    for (let left = pages.length - 1; left > 0; left -= 1) {
      await pages.shift()?.close();
      await session.client.post(`/projects/${id}/chat`, { content: `Said to the last ${left}` });
      for (const page of pages) await said(page, `Said to the last ${left}`).waitFor();
      await eventually(streams, (count) => count === 2, { until: 'two streams are open' });
    }
  }, 60_000);

  it('takes over the streams of a window that hangs, and updates that window when it resumes', async () => {
    const session = await service.session();
    const { id } = await makeProject(session.client);
    const first = await open(session, id);
    const second = await tab.context.newPage();
    await second.clock.install();
    await open(session, id, second);
    const control = await tab.context.newCDPSession(first);
    await control.send('Page.setWebLifecycleState', { state: 'frozen' });
    await session.client.post(`/projects/${id}/chat`, { content: 'Said while the first hangs' });
    await second.clock.fastForward(SILENCE_MS);
    await said(second, 'Said while the first hangs').waitFor();
    await control.send('Page.setWebLifecycleState', { state: 'active' });
    await said(first, 'Said while the first hangs').waitFor();
    await post(first, 'Here again');
    await said(second, 'Here again').waitFor();
    await eventually(streams, (count) => count === 2, { until: 'two streams are open' });
  }, 60_000);

  it('does not share streams between two callers', async () => {
    const owner = await service.session();
    const colleague = await service.session({ company: owner.company });
    const { id } = await makeProject(owner.client);
    const pages = [await open(owner, id), await open(colleague, id)];
    await eventually(streams, (count) => count === 4, { until: 'each has two streams' });
    await owner.client.post(`/projects/${id}/chat`, { content: 'Said to both' });
    for (const page of pages) await said(page, 'Said to both').waitFor();
  }, 60_000);
});
