import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useFirstStart } from '../../support/first-start.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';
import { raw, type RawAnswer } from '../../support/raw.js';
import { useSharedService } from '../../support/service.js';

/** Maximum size of the first view, compressed. */
const FIRST_VIEW_BYTES = 350 * 1024;
const DAY_S = 24 * 60 * 60;

const shared = useSharedService();
const service = useFirstStart();

/** Returns the names of the files that the page loads before it displays anything. */
const filesIn = (page: string): string[] =>
  Array.from(page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g), ([, path = '']) => path);

describe('page files', () => {
  it('are cached forever, but the page that refers to them is revalidated each time', async () => {
    const page = await raw(`${service.url}/`);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    const again = await raw(`${service.url}/`, { headers: { 'if-none-match': page.headers.etag } });
    expect([again.status, again.text]).toEqual([304, '']);

    const files = filesIn(page.text);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) {
      const { status, headers } = await raw(service.url + path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('total less than 350 kB for the first view', async () => {
    const { text } = await raw(`${service.url}/`);
    let sum = 0;
    for (const path of filesIn(text)) {
      const plain = await raw(service.url + path);
      const packed = await raw(service.url + path, { headers: { 'accept-encoding': 'gzip' } });
      if (packed.headers['content-encoding'] === 'gzip') expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
      sum += packed.bytes.length;
    }
    expect(sum).toBeGreaterThan(50 * 1024);
    expect(sum).toBeLessThan(FIRST_VIEW_BYTES);
  });

  it.each([
    '/assets/../package.json',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/',
    '/assets/gone.js',
    '/assets/index.js/..%2f..%2f',
    '/x',
  ])('are served without exposing other files: %s', async (path) => {
    const { status, text } = await raw(service.url + path);
    expect([status, text]).toEqual([404, '{"detail":"Not Found","code":"path_not_found"}']);
  });
});

describe('the development tokens', () => {
  const NOTHING = { status: 404, text: '{"detail":"Not Found","code":"path_not_found"}' };
  /** Sends the request as a browser that displays the page would, except for changed headers. */
  const ask = (to: { url: string }, headers: Record<string, string | undefined> = {}): Promise<RawAnswer> => {
    const { host, origin } = new URL(to.url);
    const sent: Record<string, string | undefined> = { host, origin, 'sec-fetch-site': 'same-origin', ...headers };
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return raw(`${to.url}/sign-in`, { method: 'POST', headers: Object.fromEntries(given) });
  };

  it('are sent to the page itself', async () => {
    const { status, text, headers } = await ask(service);
    expect([status, JSON.parse(text)]).toEqual([200, service.tokens]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each([
    [
      'a page whose host name resolves to this server',
      { host: 'rebound.evil.example', origin: 'http://rebound.evil.example' },
    ],
    ['a request with a different Host header', { host: 'localhost:1' }],
    ['a page on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page on another port', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
    ['a request from the address bar', { 'sec-fetch-site': 'none' }],
    ['a program that is not a browser', { 'sec-fetch-site': undefined, origin: undefined }],
    ['a client behind a proxy', { 'x-forwarded-for': '203.0.113.9' }],
    ['a client behind a proxy that claims to be local', { 'x-forwarded-for': '127.0.0.1' }],
    ['a client behind a proxy that sends Forwarded', { forwarded: 'for=203.0.113.9;host=localhost' }],
  ])('are not sent to %s, and the 404 does not reveal that they exist', async (_, headers) => {
    expect(await ask(service, headers)).toMatchObject(NOTHING);
  });

  it('do not exist outside development mode, and openapi.json does not contain their path', async () => {
    const ways = async (url: string): Promise<unknown> => JSON.parse((await raw(`${url}/sign-in`)).text);
    expect(await ways(service.url)).toEqual({ development: true, provider: null });
    expect(await ways(shared.url)).toEqual({ development: false, provider: null });
    expect(await ask(shared)).toMatchObject(NOTHING);
    expect(await readFile('openapi.json', 'utf8')).not.toContain('sign-in');
  });
});

inBrowser('the page', () => {
  const tab = usePage(() => [service, shared]);
  const { show, faults, overflow, paste } = tab;
  const project = (name: string) => tab.page.getByRole('listitem').filter({ hasText: name });

  it('signs in automatically, and lets people switch to the other user', async () => {
    await tab.page.goto(service.url);
    await project('Weekly production plan').waitFor();
    await project('Prices of next year').waitFor();
    expect(await tab.page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('eyJ');
    await tab.page.getByRole('button', { name: 'Ada Demo' }).click();
    await tab.page.getByRole('menuitem', { name: 'Switch to Max' }).click();
    await tab.page.getByRole('button', { name: 'Max Demo' }).waitFor();
    await tab.page.reload();
    await tab.page.getByRole('button', { name: 'Max Demo' }).waitFor();
  });

  it('lets people create a project from a deployment with only the keyboard', async () => {
    await tab.page.goto(service.url);
    await tab.page.getByRole('button', { name: 'New project' }).focus();
    await tab.page.keyboard.press('Enter');
    const name = tab.page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    // The name field receives the focus automatically.
    await tab.page.locator('input[maxlength="100"]:focus').waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('Give the project a name').waitFor();
    await tab.page.keyboard.type('Bottling of next week');
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.type('Prod');
    await tab.page.getByRole('option', { name: 'Production planning' }).waitFor();
    // Enter does not submit the form while no option is selected. A list that is still loading can clear the selection.
    await tab.page.keyboard.press('Enter');
    await eventually(
      async () => {
        await tab.page.keyboard.press('ArrowDown');
        await tab.page.keyboard.press('Enter');
        return await tab.page.getByRole('combobox', { name: 'Deployment' }).inputValue();
      },
      (chosen) => chosen === 'Production planning',
      { until: 'it is chosen' },
    );
    await show('new-project');
    expect(await faults()).toEqual([]);
    await name.focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { name: 'Bottling of next week' }).waitFor();
    await tab.page.getByText('Start here').waitFor();
    const client = new Client(service.url, service.tokens.company);
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects?q=Bottling');
    expect(projects).toHaveLength(1);
    const made = await client.get<ProjectResponse>(`/projects/${projects[0]?.id}`);
    expect(made).toMatchObject({ origin_deployment_handle: 'production-planning', visibility: 'company' });
  });

  it('finds projects by name, and offers to show all projects if none match', async () => {
    await tab.page.goto(service.url);
    const search = tab.page.getByRole('searchbox', { name: 'Search by name' });
    await search.fill('weekly');
    await project('Prices of next year').waitFor({ state: 'detached' });
    await project('Weekly production plan').waitFor();
    await search.fill('100% nothing_');
    await tab.page.getByText('No matching projects').waitFor();
    await tab.page.getByRole('button', { name: 'Show all projects' }).click();
    await project('Prices of next year').waitFor();
  });

  it('accepts a pasted token, keeps it only for the tab, and reports an invalid token', async () => {
    const session = await shared.session({ name: 'Grace Example' });
    await tab.page.goto(shared.url);
    await paste('not a token');
    await tab.page.getByText('A token cannot contain spaces').waitFor();
    await paste('eyJhbGciOiJIUzI1NiJ9.e30.none');
    await tab.page.getByRole('alert').filter({ hasText: 'does not accept this token' }).waitFor();
    expect(await faults()).toEqual([]);
    await show('sign-in');
    await paste(`Bearer ${session.token}`);
    await tab.page.getByText('No projects yet').waitFor();
    expect(tab.page.url()).not.toContain(session.token);
    expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.toContain(session.token);
    await tab.page.reload();
    await tab.page.getByText('No projects yet').waitFor();

    const other = await tab.context.newPage();
    await other.goto(shared.url);
    await other.getByLabel('Token', { exact: true }).waitFor();
    await other.close();

    await tab.page.getByRole('button', { name: 'Grace Example' }).click();
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await tab.page.getByLabel('Token', { exact: true }).waitFor();
    expect(await tab.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(session.token);
  });

  it('reports an expired token and asks for a new token', async () => {
    const session = await shared.session();
    await tab.page.goto(shared.url);
    await paste(session.token);
    await tab.page.getByText('No projects yet').waitFor();
    // The test cannot advance the service's clock, so it replaces the token in requests with one that has expired.
    await tab.page.route('**/api/v1/projects?*', async (route) => {
      const ended = (await shared.session({ company: session.company, user: session.user, expiresIn: -DAY_S })).token;
      await route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${ended}` } });
    });
    await tab.page.getByText('Your token has expired or was revoked').waitFor();
    await tab.page.getByLabel('Token', { exact: true }).waitFor();
    await tab.page.unroute('**/api/v1/projects?*');
  });

  it('shows hostile names unchanged', async () => {
    const session = await shared.session();
    const names = [
      '<img src=x onerror="globalThis.hacked=1">',
      '"><script>globalThis.hacked=1</script>',
      'javascript:globalThis.hacked=1',
      '{{7*7}} ${7*7} %3Cscript%3E',
      'w'.repeat(100),
      '\u202Egnp.exe\u202C',
      '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧 é',
    ];
    for (const name of names) await session.client.post('/projects', { name });
    await tab.page.goto(shared.url);
    await paste(session.token);
    for (const name of names) await tab.page.getByTitle(name, { exact: true }).waitFor();
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await tab.page.locator('main img, main script').count()).toBe(0);
    expect(await overflow()).toBe(0);
  });

  it('handles a long list without rendering all of it', async () => {
    const session = await shared.session();
    const count = 130;
    for (let i = 0; i < count; i += 1) await session.client.post('/projects', { name: `Project ${i}` });
    await tab.page.goto(shared.url);
    await paste(session.token);
    await tab.page.getByText(`100 of ${count} projects`).waitFor();
    await tab.page.getByRole('button', { name: 'Show more' }).click();
    await tab.page.getByText(`${count} projects`, { exact: true }).waitFor();
    expect(await tab.page.getByRole('listitem').count()).toBeLessThan(60);
  });

  it.each(LOOKS)(
    'is readable and usable in the %s color scheme at a width of %i pixels',
    async (colorScheme, width) => {
      await tab.appear(colorScheme, width);
      await tab.page.goto(service.url);
      await project('Weekly production plan').waitFor();
      expect(await faults()).toEqual([]);
      expect(await overflow()).toBe(0);
      await show(`projects-${colorScheme}-${width}`);
    },
  );
});
