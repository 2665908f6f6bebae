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
/** Where pictures of the page are left, when somebody wants to see them. */
const SCREENSHOTS = process.env['SCREENSHOTS'];
/** What the browser tells of each answer that is a refusal, and of each connection that ends. */
const TOLD_OF_ANSWERS =
  /the server responded with a status of (400|401|404|409|412|413|422)|net::ERR_(FAILED|CONNECTION_|EMPTY_RESPONSE|INCOMPLETE|SOCKET_)/;

/** How the page has to be fit for people: every place is looked at in each. */
export const LOOKS = [
  ['light', 1280],
  ['light', 420],
  ['dark', 1280],
  ['dark', 420],
] as const;
type Look = (typeof LOOKS)[number];

/** What axe says about something in the page. */
interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Tests in a browser; left out, and told, where there is none. */
export const inBrowser = existsSync(BROWSER) ? describe : describe.skip;
if (!existsSync(BROWSER))
  console.warn(`The page is not tried: there is no ${BROWSER}. CHROMIUM_PATH may name a browser.`);

/** A page in a browser, new for each test. */
export interface BrowserPage {
  /** The page of the present test. */
  readonly page: Page;
  readonly context: BrowserContext;
  /** Shows the page as in one of {@link LOOKS}. */
  appear: (colorScheme: Look[0], width: Look[1]) => Promise<void>;
  /** Leaves a picture of the page. */
  show: (name: string) => Promise<void>;
  /** Faults that keep people from using the page, as axe finds them. */
  faults: () => Promise<string[]>;
  /** Pixels that the page is wider than its window. */
  overflow: () => Promise<number>;
  /** Types a token into the page of a service that gives none. */
  paste: (token: string) => Promise<void>;
  /** What the page may complain of on its console in the present test. */
  mayComplain: (about: RegExp) => void;
  /** Another service that the page of the present test is served by. */
  isServedBy: (service: { url: string }) => void;
}

/**
 * Opens a page for each test of the present block, which fails when the page asks another host than those that `served` names, or
 * complains on its console: the security policy above all.
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
