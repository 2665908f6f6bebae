import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { BEST_PLAN } from '../../../src/demo/sample-model.js';
import type { ExecutionDetailResponse } from '../../../src/executions/executions.dto.js';
import type { RunValuesResponse } from '../../../src/executions/runs.dto.js';
import { EXAMPLE } from '../../../src/common/openapi/examples.js';
import type { CardListResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { idle } from '../../factories/turns.js';
import { Client } from '../../support/client.js';
import { ExampleSender, exampleOperations } from '../../support/examples.js';
import { raw } from '../../support/raw.js';
import { testRun } from '../../support/run.js';
import { removeEnvironment, Service } from '../../support/service.js';

const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** Directory for screenshots of the page. No screenshots are taken if it is not set. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

let service: Service;
let client: Client;
let tokens: { company: string; member: string };

/** Starts the service as after a fresh clone of the repository, with an embedded database and the demo. */
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

describe('the demo data of a first start', () => {
  it('includes a complete model, its best plan under a fixed id, and a message about the plan', async () => {
    const project = `/projects/${EXAMPLE.project_id}`;
    expect((await client.get<ProjectResponse>(project)).completeness).toMatchObject({
      overall: 'complete',
      feasibility_result: 'pass',
    });
    const run = await client.get<ExecutionDetailResponse>(`${project}/solve/executions/${EXAMPLE.execution_id}`);
    expect(run).toMatchObject({
      status: 'succeeded',
      result: { status: 'optimal', objective_value: BEST_PLAN.profit },
    });
    const values = `${project}/solve/executions/${EXAMPLE.execution_id}/values`;
    expect((await client.get<RunValuesResponse>(values, { family: EXAMPLE.family })).values).toMatchObject([
      { value: BEST_PLAN.chairs },
      { value: BEST_PLAN.tables },
    ]);
    const { messages } = await idle(client, EXAMPLE.project_id);
    expect(messages.at(-1)?.content).toMatch(/Labour.*Sawing/s);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('does not contain any cards with gaps', async () => {
    const { cards } = await client.get<CardListResponse>(`/projects/${EXAMPLE.project_id}/cards`);
    expect(cards.filter(({ gaps }) => gaps.length > 0)).toEqual([]);
  });
});

describe('the examples of openapi.json', () => {
  it('are accepted unchanged by all operations with the demo data of a first start', async () => {
    const operations = exampleOperations();
    const sender = new ExampleSender(service.url, tokens.company, operations);
    const failed: string[] = [];
    for (const example of operations) {
      const { status, body } = await sender.send(example);
      if (status >= 300) failed.push(`${example.operation} (${example.summary}): ${status} ${JSON.stringify(body)}`);
    }
    expect(failed).toEqual([]);
    expect(operations.length).toBeGreaterThan(90);
  }, 120_000);
});

describe('web clients on the same computer', () => {
  it('are allowed from any port, unlike clients on other hosts', async () => {
    const allowed = async (origin: string) =>
      (await client.send('GET', '/me', { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await allowed('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    expect(await allowed('http://localhost.evil.example:5173')).toBeNull();
  });
});

describe('the API documents', () => {
  it.each(['/openapi.json', '/openapi.yaml', '/docs', '/docs/swagger-ui-init.js', '/docs/swagger-ui-bundle.js'])(
    'include %s, with compression and an ETag',
    async (path) => {
      const ask = (headers: Record<string, string>) =>
        raw(service.url + path, { headers: { 'accept-encoding': 'gzip', ...headers } });
      const { status, headers, bytes } = await ask({});
      const etag = String(headers.etag);
      expect([status, headers['cache-control'], etag]).toEqual([200, 'no-cache', expect.stringMatching(/^"/)]);
      const plain = await ask({ 'accept-encoding': 'identity' });
      expect(headers['content-encoding']).toBe(plain.bytes.length > 2_000 ? 'gzip' : undefined);
      expect(bytes.length).toBeLessThanOrEqual(plain.bytes.length);
      expect((await ask({ 'if-none-match': etag })).status).toBe(304);
      expect((await ask({ 'if-none-match': '"another"' })).status).toBe(200);
      expect(plain.headers.etag).not.toBe(headers['content-encoding'] === undefined ? '' : etag);
    },
  );

  it('contain different relative links at /docs and /docs/', async () => {
    const pages = await Promise.all(
      ['/docs', '/docs/'].map(async (path) => await (await fetch(service.url + path)).text()),
    );
    expect(pages[0]).toContain('./docs/swagger-ui-bundle.js');
    expect(pages[1]).toContain('./swagger-ui-bundle.js');
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
  /** Opens an operation and sends a request with the values shown on the page. Returns the displayed response. */
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

  it('is linked from the root address, and explains the API and how to get a token', async () => {
    await page.getByRole('link', { name: 'API' }).click();
    await page.locator('.opblock').first().waitFor();
    expect(page.url()).toBe(`${service.url}/docs`);
    const said = await page.locator('.info').innerText();
    expect(said).toContain('printed when the service started');
    // The page is public, so it must not reveal the data folder.
    expect(said).not.toContain(service.environment.dataDir);
    const groups = await page.locator('.opblock-tag a').allInnerTexts();
    expect(groups.slice(0, 7)).toEqual(['Identity', 'Projects', 'Members', 'Canvas', 'Solving', 'Scenarios', 'Chat']);
    await show('before');
  });

  it.each([
    ['chat', 'Post chat message'],
    ['UPLOAD', 'Complete upload'],
    ['cards/{card_id}', 'Update card'],
    ['Members', 'Remove member'],
  ])('finds operations by path, summary and group: %s', async (phrase, summary) => {
    await page.locator('.operation-filter-input').fill(phrase);
    await page.locator('.opblock').first().waitFor();
    const shown = await page.locator('.opblock-summary-description').allInnerTexts();
    expect(shown).toContain(summary);
    expect(shown.length).toBeLessThan(25);
    await page.locator('.operation-filter-input').fill('');
  });

  it('does not show any operations if the filter matches nothing', async () => {
    await page.locator('.operation-filter-input').fill('no such operation');
    await page.locator('.opblock').first().waitFor({ state: 'detached' });
    await page.locator('.operation-filter-input').fill('');
    await page.locator('.opblock').first().waitFor();
  });

  it('lets people paste a token and try out operations', async () => {
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

  it('forgets the token when the page closes and never stores it in the browser', async () => {
    const stored = () => page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(await stored()).not.toContain(tokens.member.slice(0, 20));
    await page.goto('about:blank');
    await page.goto(`${service.url}/docs`);
    expect(await tryOut('Get the caller')).toMatchObject({ status: '401' });
    expect(await stored()).not.toContain(tokens.member.slice(0, 20));
  });

  it('complies with the page’s security policy', () => {
    // The browser reports the expected 401.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
