import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** Folder for screenshots of the page. No screenshots are taken if it is not set. */
const SCREENSHOTS = process.env['SCREENSHOTS'];
/** Browser console messages about error responses and lost connections. */
const TOLD_OF_ANSWERS =
  /the server responded with a status of (400|401|404|409|412|413|422)|net::ERR_(FAILED|CONNECTION_|EMPTY_RESPONSE|INCOMPLETE|SOCKET_)/;

/** Color schemes and window widths in which every view is tested. */
export const LOOKS = [
  ['light', 1280],
  ['light', 420],
  ['dark', 1280],
  ['dark', 420],
] as const;
type Look = (typeof LOOKS)[number];

/** Violation that axe found in the page. */
interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** `describe` for tests in a browser. Skips the tests with a message if the browser is missing. */
export const inBrowser = existsSync(BROWSER) ? describe : describe.skip;
if (!existsSync(BROWSER))
  console.warn(`The page is not tried: there is no ${BROWSER}. CHROMIUM_PATH may name a browser.`);

/** Browser page that is new for each test. */
export interface BrowserPage {
  /** Page of the current test. */
  readonly page: Page;
  readonly context: BrowserContext;
  /** Displays the page in one of the {@link LOOKS}. */
  appear: (colorScheme: Look[0], width: Look[1]) => Promise<void>;
  /** Takes a screenshot of the page. */
  show: (name: string) => Promise<void>;
  /** Returns the accessibility faults that axe finds. */
  faults: () => Promise<string[]>;
  /** Returns the number of pixels by which the page is wider than its window. */
  overflow: () => Promise<number>;
  /** Enters a token on the page, for a service that does not provide tokens. */
  paste: (token: string) => Promise<void>;
  /** Allows matching console messages in the current test. */
  mayComplain: (about: RegExp) => void;
  /** Allows another service to serve the page in the current test. */
  isServedBy: (service: { url: string }) => void;
}

/**
 * Opens a page for each test of the current block. The test fails if the page contacts a host that is not in `served`
 * or logs an error to the console, such as a violation of the security policy.
 */
export function usePage(served: () => readonly { url: string }[]): BrowserPage {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let allowed: RegExp[];
  let elsewhere: string[];
  let origins: Set<string>;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
  }, 60_000);
  afterAll(() => browser.close());
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    complaints = [];
    allowed = [TOLD_OF_ANSWERS];
    elsewhere = [];
    origins = new Set(served().map(({ url }) => new URL(url).origin));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (!origins.has(origin) && !['data:', 'about:', 'blob:'].includes(protocol)) elsewhere.push(request.url());
    });
  });
  afterEach(async () => {
    await context.close();
    expect(elsewhere).toEqual([]);
    expect(complaints.filter((text) => !allowed.some((about) => about.test(text)))).toEqual([]);
  });
  return {
    get page() {
      return page;
    },
    get context() {
      return context;
    },
    appear: async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
    },
    show: async (name) => {
      if (SCREENSHOTS === undefined) return;
      await mkdir(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
    faults: async () => {
      await page.evaluate(await readFile('node_modules/axe-core/axe.min.js', 'utf8'));
      const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    overflow: () =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    paste: async (token) => {
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    mayComplain: (about) => {
      allowed.push(about);
    },
    isServedBy: ({ url }) => {
      origins.add(new URL(url).origin);
    },
  };
}
