import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { ProjectSummaryListResponse } from '../../src/projects/projects.dto.js';
import type { ConversationSyncResponse } from '../../src/chat/chat.dto.js';
import { Client } from '../support/client.js';
import { testRun } from '../support/run.js';
import { removeEnvironment, Service } from '../support/service.js';

const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** Where a picture of the page is left, when somebody wants to see it. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: object;
  parameters?: { name: string; in: string; example?: string }[];
  requestBody?: { content: { 'application/json': { example?: Record<string, unknown> } } };
}

let service: Service;
let client: Client;
let tokens: { company: string; member: string };

/** A first start as somebody has it who has just cloned the repository: its own database, and the demo. */
beforeAll(async () => {
  const dataDir = await mkdtemp(join(testRun().directory, 'data-'));
  const settings = { DATABASE_URL: '', AUTH_JWT_SECRET: '' };
  service = await Service.start({ environment: { databaseUrl: '', dataDir, secret: '' }, settings });
  tokens = JSON.parse(await readFile(join(dataDir, 'dev-tokens.json'), 'utf8')) as typeof tokens;
  client = new Client(service.url, tokens.company);
}, 100_000);
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await removeEnvironment(service.environment);
}, 60_000);

describe('the examples of openapi.json', () => {
  it('can be sent as they are where the demo is', async () => {
    const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const all = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
    );
    // What is made comes first, and what is taken away last, the inner before the outer.
    const rank = ({ method, path }: (typeof all)[number]): number =>
      method === 'delete' ? 1000 - path.length : path.endsWith('/mkdir') ? -1 : path.endsWith('/files/delete') ? 0 : 1;
    const inOrder = all.sort((a, b) => rank(a) - rank(b));
    const failed: string[] = [];
    let sent = 0;
    for (const { path, method, summary, security, parameters = [], requestBody } of inOrder) {
      const examples = new Map(
        parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
      );
      const wanted = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
      const body = requestBody?.content['application/json'].example;
      // The demo stays, so nothing comes back; what is for operators is elsewhere.
      if (path.endsWith('/restore')) continue;
      if ((method === 'delete' && path.endsWith('{project_id}')) || security === undefined) continue;
      // Ids and tokens that only an earlier answer gives, and an answer without an end.
      if (
        wanted.some((name) => !examples.has(name)) ||
        'upload_token' in (body ?? {}) ||
        /\/(stream|events)$/.test(path)
      )
        continue;
      const target = path.replace('/api/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? '');
      const { status, body: answer } = await client.send(method.toUpperCase(), target, body && { body });
      sent += 1;
      if (status >= 300) failed.push(`${summary}: ${status} ${JSON.stringify(answer)}`);
    }
    expect(failed).toEqual([]);
    expect(sent).toBeGreaterThan(30);
  });
});

describe('web clients on the same computer', () => {
  it('are let in from any port, and nobody else is', async () => {
    const allowed = async (origin: string) =>
      (await client.send('GET', '/me', { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await allowed('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    expect(await allowed('http://localhost.evil.example:5173')).toBeNull();
  });
});

const inBrowser = existsSync(BROWSER) ? describe : describe.skip;
if (!existsSync(BROWSER))
  console.warn(`Swagger UI is not tried: there is no ${BROWSER}. CHROMIUM_PATH may name a browser.`);

inBrowser('Swagger UI', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
    page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${service.url}/`);
  }, 60_000);
  afterAll(() => browser.close());

  const operation = (summary: string): Locator =>
    page.locator('.opblock', {
      has: page.locator('.opblock-summary-description', { hasText: new RegExp(`^${summary}$`) }),
    });
  /** Opens an operation and sends it as the page offers it; answers what the page shows. */
  async function tryOut(summary: string): Promise<{ status: string; body: string }> {
    const block = operation(summary);
    await block.locator('.opblock-summary-control').click();
    await block.locator('button.execute').click();
    const live = block.locator('.live-responses-table .response').first();
    await live.waitFor();
    return {
      status: (await live.locator('.response-col_status').innerText()).trim(),
      body: await live
        .locator('.response-col_description .microlight, .response-col_description pre')
        .first()
        .innerText(),
    };
  }
  async function show(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: false });
  }

  it('is where the page at the bare address leads, says what there is and how to get a token', async () => {
    await page.getByRole('link', { name: 'API' }).click();
    await page.locator('.opblock').first().waitFor();
    expect(page.url()).toBe(`${service.url}/docs`);
    const said = await page.locator('.info').innerText();
    expect(said).toContain('named when the service started');
    // Anybody can read this page.
    expect(said).not.toContain(service.environment.dataDir);
    const groups = await page.locator('.opblock-tag a').allInnerTexts();
    expect(groups.slice(0, 3)).toEqual(['Projects', 'Chat', 'Skills and agent configuration']);
    await show('before');
  });

  it('refuses to nobody that a token is pasted and operations are tried', async () => {
    expect(await tryOut('Get the caller')).toMatchObject({ status: '401' });
    await page.locator('.auth-wrapper button.authorize').first().click();
    await page.locator('.auth-container input').fill(tokens.member);
    await page.locator('.auth-btn-wrapper button.authorize').click();
    await page.locator('.auth-btn-wrapper button.btn-done').click();

    const listed = await tryOut('List projects');
    expect(listed.status).toBe('200');
    const { projects } = JSON.parse(listed.body) as ProjectSummaryListResponse;
    expect(projects.map(({ name }) => name)).toContain('Weekly production plan');

    expect(await tryOut('Post chat message')).toMatchObject({ status: '202' });
    const read = await tryOut('Get chat sync');
    expect(read.status).toBe('200');
    expect((JSON.parse(read.body) as ConversationSyncResponse).messages.length).toBeGreaterThan(1);
    await operation('Get chat sync').scrollIntoViewIfNeeded();
    await show('after');
  }, 120_000);

  it('breaks no rule of its security policy', () => {
    // The browser reports the 401 that was asked for.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
