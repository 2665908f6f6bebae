import { expect, it } from '@jest/globals';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ChatMessageResponse } from '../../../src/chat/messages/message.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useFirstStart } from '../../support/first-start.js';
import { HOSTILE_MARKUP } from '../../support/hostile-markup.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';
import { removeEnvironment, Service, useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/** Elements that the page must never create from text written by other people. */
const HARMFUL =
  'script, img, svg, math, iframe, object, embed, video, audio, form, input, button, select, style, link, meta, base, template';

const shared = useSharedService();
const service = useFirstStart();

inBrowser('the page of a project', () => {
  const tab = usePage(() => [service, shared]);
  const { show, faults, overflow, paste } = tab;
  const message = () => tab.page.getByRole('textbox', { name: 'Message' });
  const said = (text: string) => tab.page.getByRole('article').filter({ hasText: text }).first();
  const part = (name: string) =>
    tab.page.getByRole('navigation', { name: 'Parts of the project' }).getByRole('link', { name, exact: true });
  /** Opens a new project with a pasted token. */
  async function open(given?: Session): Promise<string> {
    const session = given ?? (await shared.session());
    const { id } = await session.client.post<ProjectResponse>('/projects', { name: 'A new plan' });
    await tab.page.goto(shared.url);
    await paste(session.token);
    await tab.page.getByRole('link', { name: 'A new plan' }).click();
    await tab.page.getByText('Start here').waitFor();
    return id;
  }
  /** Changes the responses for the conversation before they reach the page. */
  async function withMessages(change: (messages: ChatMessageResponse[]) => ChatMessageResponse[]): Promise<void> {
    await tab.page.route('**/chat/sync*', async (route) => {
      const response = await route.fetch();
      // Passes other responses through unchanged.
      if (response.status() !== 200) return await route.fulfill({ response });
      const state = (await response.json()) as ConversationSyncResponse;
      await route.fulfill({ response, json: { ...state, messages: change(state.messages) } });
    });
  }

  it('streams the agent’s text and lets people answer questions with a click', async () => {
    await open();
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await said('Hello').waitFor();
    await tab.page.getByRole('button', { name: 'Highest profit' }).click();
    await tab.page.getByText('Answer: Highest profit').waitFor();
    await tab.page.getByText('maximize').first().waitFor();
    const call = tab.page.locator('details').first();
    expect(await call.getByText('Input', { exact: true }).count()).toBe(0);
    await call.locator('summary').click();
    await call.getByText('Input', { exact: true }).waitFor();
    expect(await message().inputValue()).toBe('');
    expect(await faults()).toEqual([]);
    await show('conversation');
  });

  it('keeps the conversation and the draft while another section is open and after a reload', async () => {
    const id = await open();
    await tab.page.setViewportSize({ width: 420, height: 800 });
    await message().fill('Half a sentence');
    await part('Files').click();
    await tab.page.getByRole('region', { name: 'Files', exact: true }).waitFor();
    await message().waitFor({ state: 'hidden' });
    await part('Conversation').click();
    expect(await message().inputValue()).toBe('Half a sentence');
    await tab.page.reload();
    await message().waitFor();
    expect(await message().inputValue()).toBe('Half a sentence');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await said('Half a sentence').waitFor();
    expect(await message().inputValue()).toBe('');
    expect(new URL(tab.page.url()).hash).toBe(`#/projects/${id}`);
  });

  it('posts a message once, even if it is sent twice or its response is lost', async () => {
    const session = await shared.session();
    const id = await open(session);
    await message().fill('Hello');
    await tab.page.getByRole('button', { name: 'Send' }).dblclick();
    await tab.page.getByRole('button', { name: 'Highest profit' }).waitFor();
    // The service receives the message, but the page receives no response.
    await tab.page.route(`**/projects/${id}/chat`, async (route) => {
      if (route.request().method() !== 'POST') return await route.fallback();
      await route.fetch();
      await route.abort();
    });
    await message().fill('maximize profit: 30 chairs');
    await tab.page.keyboard.press('Enter');
    // Before it shows this text, the client retries for up to 16 seconds.
    await tab.page.getByText('The message may not have been sent').waitFor({ timeout: 40_000 });
    await tab.page.unroute(`**/projects/${id}/chat`);
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await eventually(
      () => message().inputValue(),
      (text) => text === '',
      { until: 'it is sent' },
    );
    const { messages } = await session.client.get<ConversationSyncResponse>(`/projects/${id}/chat/sync`);
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'Hello',
      'maximize profit: 30 chairs',
    ]);
  }, 60_000);

  it('keeps the Send button in view next to many files, and sends the files', async () => {
    await open();
    const files = Array.from({ length: 12 }, (_, at) => ({
      name: `${at}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from('a\n'),
    }));
    await tab.page.locator('input[type=file]').first().setInputFiles(files);
    await tab.page.getByText('added to the project files').nth(11).waitFor();
    const box = await tab.page.getByRole('button', { name: 'Send' }).boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(800);
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await said('11.csv').waitFor();
  });

  it('stays open if a file is dropped outside the conversation', async () => {
    await open();
    const isRefused = await tab.page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['a'], 'a.csv'));
      return ['dragover', 'drop'].map((name) => !document.querySelector('header')
        .dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer })));
    })()`);
    expect(isRefused).toEqual([true, true]);
  });

  it('reports that the project was deleted', async () => {
    const session = await shared.session();
    const { id } = await session.client.post<ProjectResponse>('/projects', { name: 'A short plan' });
    await tab.page.goto(`${shared.url}/#/projects/${id}/canvas`);
    await paste(session.token);
    await tab.page.getByText('The canvas is empty').waitFor();
    await session.client.delete(`/projects/${id}`);
    await tab.page.getByText('This project no longer exists').waitFor();
    expect(await tab.page.getByText('The canvas is empty').count()).toBe(0);
    await tab.page.getByRole('link', { name: 'All projects' }).click();
    await tab.page.getByRole('heading', { name: 'Projects' }).waitFor();
  });

  it('lets people switch from each section to any other section', async () => {
    await open();
    const marks = {
      Conversation: message(),
      Canvas: tab.page.getByRole('searchbox', { name: 'Find a card' }),
      Files: tab.page.getByRole('region', { name: 'Files', exact: true }),
      Runs: tab.page.getByRole('navigation', { name: 'Runs and scenarios' }),
    };
    for (const [from, seen] of Object.entries(marks))
      for (const [to, then] of Object.entries(marks)) {
        await part(from).click();
        await seen.waitFor();
        await part(to).click();
        await then.waitFor();
        expect(await tab.page.title()).toContain(to === 'Conversation' ? 'A new plan' : to);
      }
  });

  it('keeps the other sections usable if a section cannot be loaded', async () => {
    tab.mayComplain(/dynamically imported module|Unable to preload|error occurred|Error:/);
    await open();
    await tab.page.route('**/assets/runs-part*', (route) => route.abort());
    await part('Runs').click();
    await tab.page.getByRole('alert').getByText('This part of the page could not be shown').waitFor();
    await message().waitFor();
    await part('Files').click();
    await tab.page.getByRole('region', { name: 'Files', exact: true }).waitFor();
    await tab.page.unroute('**/assets/runs-part*');
    await part('Runs').click();
    await tab.page.getByRole('button', { name: 'Reload the page' }).click();
    await tab.page.getByRole('navigation', { name: 'Runs and scenarios' }).waitFor();
  });

  it('closes its streams while the tab is hidden and catches up afterwards', async () => {
    const ended: string[] = [];
    tab.page.on('requestfailed', (request) => ended.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    const session = await shared.session();
    const id = await open(session);
    const turn = async (state: 'hidden' | 'visible'): Promise<void> => {
      await tab.page
        .evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'))`);
    };
    await turn('hidden');
    await eventually(
      () => Promise.resolve(ended),
      // The page may also cancel a request for new messages, so other names are ignored.
      (names) => ['events', 'stream'].every((name) => names.includes(name)),
      { until: 'the streams are closed' },
    );
    await session.client.post(`/projects/${id}/chat`, { content: 'Said meanwhile' });
    await session.client.patch(`/projects/${id}`, { name: 'Renamed meanwhile' });
    await turn('visible');
    await said('Said meanwhile').waitFor();
    await tab.page.getByRole('heading', { name: 'Renamed meanwhile' }).waitFor();
  });

  it('accepts selected files with any name without replacing existing files', async () => {
    await open();
    const name = '<img src=x onerror="globalThis.hacked=1">.csv';
    const file = { name, mimeType: 'text/csv', buffer: Buffer.from('week,quantity\n1,40\n') };
    const choose = tab.page.locator('input[type=file]');
    await choose.setInputFiles(file);
    await tab.page.getByText('added to the project files').waitFor();
    await choose.setInputFiles(file);
    await tab.page.getByTitle('uploads/<img src=x onerror="globalThis.hacked=1"> (2).csv').waitFor();
    await tab.page.getByText('added to the project files').nth(1).waitFor();
    await message().fill('Here is the demand');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await said('Here is the demand').getByTitle(`uploads/${name}`).waitFor();
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await tab.page.locator('main img').count()).toBe(0);
  });

  it('lets people stop the agent while it is answering', async () => {
    const slow = await Service.start({ preload: ['test/support/slow-agent.js'] });
    tab.isServedBy(slow);
    try {
      const session = await slow.session();
      const { id } = await session.client.post<ProjectResponse>('/projects', { name: 'A long talk' });
      await tab.page.goto(`${slow.url}/#/projects/${id}`);
      await paste(session.token);
      await message().fill('Say 1000 words');
      await tab.page.keyboard.press('Enter');
      await tab.page.getByText(/^1 2 3 4 5/).waitFor();
      await tab.page.getByText('The agent is answering').waitFor();
      await tab.page.getByRole('button', { name: 'Stop' }).click();
      await tab.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
      const { turn } = await session.client.get<ConversationSyncResponse>(`/projects/${id}/chat/sync`);
      expect(turn.state).toBe('idle');
      await tab.page.getByText('Stopped by you').waitFor();
      expect(await tab.page.getByText('failed').count()).toBe(0);
      await tab.page.reload();
      await tab.page.getByText('Stopped by you').waitFor();
      await tab.page.goto('about:blank');
    } finally {
      await slow.stop();
      await removeEnvironment(slow.environment);
    }
  });

  it.each(['describe_table', 'solve', 'upsert_card'])('shows a stopped call to %s as stopped', async (tool) => {
    await open();
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Highest profit' }).waitFor();
    await withMessages((messages) =>
      messages.map((one) => {
        if (one.role !== 'assistant') return one;
        const call = { type: 'tool_call', id: 'a', tool, status: 'failed', error: 'Stopped', error_code: 'stopped' };
        return { ...one, content_segments: [call] } as ChatMessageResponse;
      }),
    );
    await tab.page.reload();
    await tab.page.locator('summary').getByText('stopped', { exact: true }).waitFor();
    expect(await tab.page.locator('summary').getByText('failed').count()).toBe(0);
    await tab.page.unrouteAll({ behavior: 'wait' });
  });

  it('solves an example in an empty project once, even after a double click', async () => {
    const session = await shared.session();
    const id = await open(session);
    await tab.page.getByRole('button', { name: 'Solve an example' }).dblclick();
    await tab.page
      .getByText(/2,?325/)
      .first()
      .waitFor();
    expect(await tab.page.getByText('I could not use this').count()).toBe(0);
    const { messages } = await session.client.get<ConversationSyncResponse>(`/projects/${id}/chat/sync`);
    expect(messages.filter(({ role }) => role === 'user').length).toBe(1);
    await show('conversation-example');
  });

  it('shows a reply that was chosen with a button as a message from the user', async () => {
    await open();
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    const own = tab.page.locator('article[data-own]');
    await tab.page.getByRole('button', { name: 'Highest profit', exact: true }).click();
    await own.filter({ hasText: 'Highest profit' }).waitFor();
    expect(await tab.page.getByText('(answered').count()).toBe(0);
    await tab.page.reload();
    await own.filter({ hasText: 'Highest profit' }).waitFor();
  });

  it.each([
    ['a.csv', 'a\n1\n', 'is a table with'],
    ['notes.pdf', 'x', 'I cannot read'],
    ['plan.lp', 'max x st c: x <= 1 end', 'start a run of the file'],
  ])('shows a message that contains only the file %s, and the agent describes the file', async (name, text, word) => {
    await open();
    await tab.page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await tab.page.getByText('added to the project files').waitFor();
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await tab.page.locator('article[data-own]').getByTitle(`uploads/${name}`).waitFor();
    expect(await tab.page.getByText('(answered').count()).toBe(0);
    await said('Agent').getByText(word).first().waitFor();
  });

  it.each([
    [
      'ten lines',
      'maximize profit: 30 chairs + 50 tables\n' +
        Array.from({ length: 9 }, (_, at) => `limit ${at}: chairs + ${at + 1} tables <= 100, hard`).join('\n'),
    ],
    ['a question', 'help all'],
    ['a solve', 'maximize profit: 3 a + 2 b\na + b <= 4, hard\na <= 3, hard\nb <= 3, hard\nsolve'],
  ])('keeps the end of the answer to %s in view and offers a button that returns to it', async (_, text) => {
    await open();
    await message().fill(text);
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await said('Checklist').waitFor();
    await tab.page.getByText('The agent is').waitFor({ state: 'detached' });
    const list = tab.page.getByRole('group', { name: 'Conversation' });
    const away = (): Promise<number> =>
      list.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    await eventually(away, (pixels) => pixels < 3, { until: 'the end is in sight' });
    await tab.page.waitForTimeout(300);
    expect(await away()).toBeLessThan(3);
    if ((await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)) < 150) return;
    await list.hover();
    await tab.page.mouse.wheel(0, -100);
    await tab.page.getByRole('button', { name: 'Jump to latest' }).click();
    await eventually(away, (pixels) => pixels < 3, { until: 'the end is in sight again' });
    await tab.page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
  });

  it('accepts files that are dropped on the conversation', async () => {
    await open();
    const dropped = await tab.page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['week,quantity'], 'dropped.csv', { type: 'text/csv' }));
      return transfer;
    })()`);
    await message().dispatchEvent('drop', { dataTransfer: dropped });
    await tab.page.getByTitle('uploads/dropped.csv').waitFor();
    await tab.page.getByText('added to the project files').waitFor();
    await tab.page.getByRole('button', { name: 'Remove dropped.csv' }).click();
    await tab.page.getByTitle('uploads/dropped.csv').waitFor({ state: 'detached' });
  });

  it('shows the agent’s text as harmless Markdown', async () => {
    await open();
    const text = [
      'Some **bold** words',
      '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
      '![a picture](https://evil.example/pixel.png)',
      '[script](javascript:globalThis.hacked=1) [data](data:text/html,x) [relative](/docs) [page](https://example.com/)',
      '<a href="javascript:globalThis.hacked=1" onclick="globalThis.hacked=1">a</a><form action="//evil.example"><input></form>',
      '<svg><style><img src=x onerror=globalThis.hacked=1></style></svg><math><mtext></form><form><mglyph><style></math>',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '`<b>code</b>`',
    ].join('\n\n');
    await withMessages((messages) =>
      messages.map((one) =>
        one.role === 'assistant' ? { ...one, content: text, content_segments: [{ type: 'text', content: text }] } : one,
      ),
    );
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Highest profit' }).waitFor();
    await tab.page.reload();
    await tab.page.getByText('Some bold words').waitFor();
    const answer = tab.page.getByRole('article').filter({ hasText: 'Some bold words' });
    expect(await answer.locator('strong').innerText()).toBe('bold');
    expect(await answer.locator('table').count()).toBe(1);
    expect(await answer.locator('img, script, svg, math, form, input, style, [onerror], [onclick]').count()).toBe(0);
    const links = await answer.locator('a[href]').all();
    expect(
      await Promise.all(links.map(async (link) => [await link.getAttribute('href'), await link.getAttribute('rel')])),
    ).toEqual([
      ['https://evil.example/pixel.png', 'noopener noreferrer'],
      ['https://example.com/', 'noopener noreferrer'],
    ]);
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
  });

  it(`shows hostile text from the agent ${HOSTILE_MARKUP.length} times without running anything`, async () => {
    await open();
    await withMessages((messages) =>
      HOSTILE_MARKUP.map((markup, at) => ({
        ...(messages.at(-1) as ChatMessageResponse),
        id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
        sequence: at + 1,
        role: 'assistant',
        content: `Attempt ${at}:\n\n${markup}`,
        content_segments: [{ type: 'text', content: `Attempt ${at}:\n\n${markup}` }],
      })),
    );
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await tab.page.reload();
    const last = HOSTILE_MARKUP.length - 1;
    await tab.page.getByText(`Attempt ${last}:`).waitFor();
    // Only visible messages are in the DOM, so each message is checked when it appears.
    await tab.page.evaluate(`(() => {
      const seen = new Set();
      const wrong = [];
      const look = () => {
        for (const text of document.querySelectorAll('main article [class*=markdown]')) {
          const [attempt] = /Attempt \\d+/.exec(text.textContent) ?? [];
          if (attempt === undefined || seen.has(attempt)) continue;
          seen.add(attempt);
          for (const element of text.querySelectorAll('*')) {
            const harmful = element.matches(${JSON.stringify(HARMFUL)}) || /^(?!https?:|mailto:)/i.test(element.getAttribute('href') ?? 'mailto:');
            const told = [...element.attributes].some(({ name }) => /^(on|style$|id$|name$|src)/.test(name));
            if (harmful || told) wrong.push(attempt + ' ' + element.outerHTML);
          }
        }
      };
      look();
      new MutationObserver(look).observe(document.querySelector('main'), { childList: true, subtree: true });
      globalThis.attempts = { seen, wrong };
    })()`);
    const list = tab.page.getByRole('group', { name: 'Conversation' });
    await list.focus();
    await eventually(
      async () => {
        // If a message scrolled past without being rendered, another pass from the end renders it.
        const isAtTop = await list.evaluate(({ scrollTop }) => scrollTop === 0);
        await tab.page.keyboard.press(isAtTop ? 'End' : 'PageUp');
        return await tab.page.evaluate<number>('globalThis.attempts.seen.size');
      },
      (seen) => seen === HOSTILE_MARKUP.length,
      { until: 'all were seen', deadlineMs: 30_000 },
    );
    expect(await tab.page.evaluate('globalThis.attempts.wrong')).toEqual([]);
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(new URL(tab.page.url()).origin).toBe(shared.url);
  });

  it('handles a long conversation without rendering all of it, and loads older messages back to the first', async () => {
    await open();
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Highest profit' }).waitFor();
    const count = 1000;
    let template: ChatMessageResponse[] = [];
    const made = (from: number, to: number): ChatMessageResponse[] =>
      Array.from({ length: to - from }, (_, i) => ({
        ...(template[0] as ChatMessageResponse),
        id: `00000000-0000-7000-8000-${String(from + i).padStart(12, '0')}`,
        sequence: from + i,
        content: `Message number ${from + i}`,
        content_segments: null,
      }));
    await withMessages((messages) => {
      template = messages;
      return made(count - 200, count);
    });
    await tab.page.route('**/chat?offset=*', async (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      const messages = made(Math.max(1, count - offset - 200), count - offset);
      await route.fulfill({ json: { limit: 200, offset, total: count - 1, messages } });
    });
    await tab.page.reload();
    await tab.page.getByText(`Message number ${count - 1}`, { exact: true }).waitFor();
    expect(await tab.page.getByRole('article').count()).toBeLessThan(60);
    const list = tab.page.getByRole('group', { name: 'Conversation' });
    /** Presses Home repeatedly, because the list scrolls back to its end until its layout is complete. */
    const toBeginning = async (first: number): Promise<void> => {
      await list.focus();
      await eventually(
        async () => {
          await tab.page.keyboard.press('Home');
          return await tab.page.getByText(`Message number ${first}`, { exact: true }).isVisible();
        },
        (isVisible) => isVisible,
        { until: `message ${first} is in sight` },
      );
    };
    for (let first = count - 200; first > 1; first = Math.max(1, first - 200)) {
      await toBeginning(first);
      await tab.page.getByRole('button', { name: 'Show earlier messages' }).click();
    }
    await toBeginning(1);
    expect(await tab.page.getByRole('button', { name: 'Show earlier messages' }).count()).toBe(0);
  });

  it('does not show a message field to viewers', async () => {
    const { projects } = await new Client(service.url, service.tokens.member).get<ProjectSummaryListResponse>(
      '/projects?q=Prices',
    );
    await tab.page.goto(service.url);
    await tab.page.getByRole('button', { name: 'Ada Demo' }).click();
    await tab.page.getByRole('menuitem', { name: 'Switch to Max' }).click();
    await tab.page.getByRole('button', { name: 'Max Demo' }).waitFor();
    await tab.page.goto(`${service.url}/#/projects/${projects[0]?.id}`);
    await tab.page.getByText('Read-only').waitFor();
    await tab.page.getByText('No messages yet').waitFor();
    expect(await message().count()).toBe(0);
  });

  it('reports that the project does not exist', async () => {
    await tab.page.goto(`${service.url}/#/projects/01900000-0000-7000-8000-0000000000ff`);
    await tab.page.getByText('This project no longer exists, or you do not have access to it.').waitFor();
    await tab.page.getByRole('link', { name: 'All projects' }).click();
    await tab.page.getByRole('link', { name: 'Weekly production plan' }).waitFor();
  });

  it('reports a lost connection and resumes when the connection is back', async () => {
    await tab.page.route('**/chat/stream*', (route) => route.abort());
    await open();
    await tab.page.getByText('Connection lost').waitFor();
    await tab.page.unroute('**/chat/stream*');
    await tab.page.getByText('Connection lost').waitFor({ state: 'detached' });
    await message().fill('Hello');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Highest profit' }).waitFor();
  });

  it.each(LOOKS)(
    'is readable and usable in the %s color scheme at a width of %i pixels',
    async (colorScheme, width) => {
      await tab.appear(colorScheme, width);
      await tab.page.goto(service.url);
      await tab.page.getByRole('link', { name: 'Weekly production plan' }).click();
      await said('Which limits bind?').waitFor();
      await said('Agent').waitFor();
      expect(await faults()).toEqual([]);
      expect(await overflow()).toBe(0);
      await show(`conversation-${colorScheme}-${width}`);
    },
  );
});
