/*
 * Measures the page's speed: `npm run bench:page`. Runs the built service on an embedded PostgreSQL, and its page in a headless
 * Chromium with an empty cache.
 *
 * Measures the largest contentful paint of the first view, signed out and signed in, and of a conversation with 5,000 messages.
 * Also measures the navigation from the project list to this conversation, and the frame rate while a table with 10,000 rows is
 * scrolled.
 */
import 'reflect-metadata';
import { Blob } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkspaceClient } from '@project-workspace/client';
import { chromium } from 'playwright-core';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { COMPANY, makeData, USER } from './data.mjs';
import { environment, makeFolder, signToken, startService } from './processes.mjs';

const BROWSER = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const ROUNDS = 7;
const MESSAGES = 5_000;
const ROWS = 10_000;
const SCROLL_MS = 5_000;
const SIZES = { messages: [MESSAGES], projects: [1, 100], entries: [100], ledger: [1], posts: 1 };

const open = [];
try {
  const { url, token, data } = await start();
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
  open.push(async () => await browser.close());
  const session = await signIn(browser, url, token);
  const [conversation] = data.messages;
  const table = await makeTable(url, token, data.operations);
  const views = {
    'first view, signed out': async () => await visit(browser, url, '{}', paint),
    'first view, signed in': async () => await visit(browser, url, session, paint),
    [`conversation of ${MESSAGES} messages, by its address`]: async () =>
      await visit(browser, `${url}/#/projects/${conversation}`, session, paint),
    [`conversation of ${MESSAGES} messages, from the list`]: async () => await visit(browser, url, session, follow),
  };
  for (const [name, look] of Object.entries(views)) {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await look());
    times.sort((a, b) => a - b);
    console.log(`${name}: ${times[ROUNDS >> 1].toFixed(0)} ms (${times[0].toFixed(0)} to ${times.at(-1).toFixed(0)})`);
  }
  const frames = await visit(browser, `${url}/#/projects/${data.operations}/files/workspace/${table}`, session, scroll);
  console.log(
    `table of ${ROWS} rows: ${frames.rate.toFixed(1)} frames a second, the longest ${frames.longest.toFixed(0)} ms`,
  );
} finally {
  for (const close of open.reverse()) await close();
}

async function start() {
  const folder = await makeFolder();
  open.push(async () => await rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const database = await startEmbeddedPostgres({ dataDir });
  open.push(async () => await database.stop());
  await migrate(database.url());
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const data = await makeData(database.url(), SIZES);
  const served = await startService();
  open.push(async () => await served.stop());
  return { url: served.url, token: await signToken(COMPANY, USER), data };
}

/** Creates a table in a project's workspace and returns the table's path. */
async function makeTable(url, token, project_id) {
  const client = new WorkspaceClient({ baseUrl: url, token });
  const rows = Array.from(
    { length: ROWS },
    (_, n) => `${n},product ${n % 500},region ${n % 7},${n * 7},${n / 4},2025-03-${10 + (n % 20)}`,
  );
  const csv = new Blob([`id,product,region,quantity,price,day\n${rows.join('\n')}\n`], { type: 'text/csv' });
  const { path } = await client.upload(csv, { source: 'workspace', project_id, path: 'demand.csv' });
  return path;
}

/** Signs in and returns the page's session storage. */
async function signIn(browser, url, token) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('listitem').first().waitFor();
  const kept = await page.evaluate('JSON.stringify({ ...sessionStorage })');
  await page.close();
  return kept;
}

/** Opens a page in a browser context without any cached data. */
async function visit(browser, url, session, look) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(`Object.assign(sessionStorage, ${session})`);
  const page = await context.newPage();
  await page.goto(url);
  const seen = await look(page);
  await context.close();
  return seen;
}

/** Returns the time of the largest contentful paint, in milliseconds after the request for the page. */
async function paint(page) {
  // Late paints would otherwise be missed.
  await page.waitForTimeout(2_000);
  const time = await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
      type: 'largest-contentful-paint', buffered: true,
    });
  })`);
  return time;
}

/** Returns the time from a click on a project until its newest message is shown. */
async function follow(page) {
  await page.getByRole('searchbox').fill('Conversation 1');
  await page.getByRole('link', { name: 'Conversation 1' }).waitFor();
  const time = await page.evaluate(`new Promise((resolve) => {
    const started = performance.now();
    new MutationObserver((_, observer) => {
      if (document.querySelectorAll('main article').length < 3) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
    }).observe(document.body, { childList: true, subtree: true });
    [...document.querySelectorAll('a')].find((link) => link.textContent.includes('Conversation 1')).click();
  })`);
  return time;
}

/** Scrolls continuously through a table with the mouse wheel. */
async function scroll(page) {
  const cell = page.getByRole('row').nth(3);
  await cell.waitFor();
  await cell.hover();
  const counted = page.evaluate(`new Promise((resolve) => {
    const frames = [];
    const count = (now) => {
      frames.push(now);
      if (now - frames[0] < ${SCROLL_MS}) requestAnimationFrame(count);
      else resolve(frames);
    };
    requestAnimationFrame(count);
  })`);
  let isOver = false;
  void counted.finally(() => (isOver = true));
  while (!isOver) await page.mouse.wheel(0, 120);
  const frames = await counted;
  const gaps = frames.slice(1).map((at, index) => at - frames[index]);
  return { rate: (gaps.length * 1_000) / (frames.at(-1) - frames[0]), longest: Math.max(...gaps) };
}
