import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FileContentResponse, FileEntry, FileListResponse } from '../../../src/files/files.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import type { Wire } from '../../support/client.js';
import { docxParts, makeArchive, makePdf, paragraph, pdfObjects } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { HOSTILE_MARKUP } from '../../support/hostile-markup.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';
import { testRun } from '../../support/run.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { workbookFile } from '../../support/workbook-file.js';

const MiB = 1024 ** 2;
const HOSTILE = '<img src=x onerror="globalThis.hacked=1">';
const DEMAND = 'product,week,quantity,price\nchairs,1,40,12.5\ntables,1,12,120\nchairs,2,12000,12.25\nstools,2,7,9\n';
/** Smallest possible PNG, which is a single red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const shared = useSharedService();

inBrowser('the files of a project on the page', () => {
  const tab = usePage(() => [shared]);
  let session: Session;
  let project: Wire<ProjectResponse>;

  beforeEach(async () => {
    session = await shared.session({ name: 'Ada' });
    project = await makeProject(session.client, { name: 'A new plan' });
  });

  const workspace = () => ({ source: 'workspace', project_id: project.id }) as const;
  const put = (path: string, content: string | Uint8Array): Promise<Wire<FileEntry>> =>
    makeFile(session.client, workspace(), path, content);
  const list = (path = '', recursive = true): Promise<Wire<FileListResponse>> =>
    session.client.post<FileListResponse>('/files/list', { ...workspace(), path, recursive, limit: 1000 });
  const paths = async (): Promise<string[]> => (await list()).entries.map((entry) => entry.path);
  const content = async (path: string): Promise<string | null | undefined> =>
    (await session.client.post<FileContentResponse>('/files/content', { ...workspace(), path })).text;
  const grid = () => tab.page.getByRole('grid');
  const row = (name: string) =>
    grid()
      .getByRole('row')
      .filter({ has: tab.page.getByText(name, { exact: true }) });
  const file = (name: string) => tab.page.getByRole('region', { name: `File ${name}` });
  const dialog = () => tab.page.getByRole('dialog');
  const focused = () => tab.page.locator(':focus');
  const chooser = () => tab.page.getByRole('region', { name: 'Files', exact: true }).locator('input[type=file]');
  const toTheEnd = async (name: string): Promise<void> =>
    await tab.page
      .getByRole('listitem')
      .filter({ hasText: name })
      .getByText(/, uploaded$/)
      .waitFor();

  /** Opens the file list, or a file or folder in it, in a tab that has no token yet, and pastes a token. */
  async function open(place = '', who = session): Promise<void> {
    await tab.page.goto(`${shared.url}/#/projects/${project.id}/files${place}`);
    await tab.paste(who.token);
    await tab.page.getByRole('heading', { name: project.name }).waitFor();
  }

  describe('uploading', () => {
    /**
     * Lets only the first part of a file arrive. The requests for all other parts hang until the upload is paused.
     */
    async function holdParts(): Promise<{ parts: string[]; isHeld: boolean }> {
      const sent = { parts: [] as string[], isHeld: true };
      await tab.page.route('**/store/**', async (route) => {
        if (route.request().method() !== 'PUT') return await route.continue();
        const part = /part(?:Number|_number)?[=/](\d+)/i.exec(route.request().url())?.[1] ?? '';
        sent.parts.push(part);
        if (part === '1' || !sent.isHeld) await route.continue();
      });
      return sent;
    }

    it('accepts several files together, selected or dropped, with any names', async () => {
      await open();
      await tab.page.getByText('No files yet').waitFor();
      await tab.show('files-empty');
      const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
      await chooser().setInputFiles([file('demand.csv', DEMAND), file(`${HOSTILE}.csv`, 'a,b\n1,2\n')]);
      await toTheEnd('demand.csv');
      await toTheEnd(`${HOSTILE}.csv`);
      await row('demand.csv').waitFor();
      await row(`${HOSTILE}.csv`).waitFor();
      const dropped = await tab.page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['one'], 'one.txt'));
        data.items.add(new File(['two'], 'two.txt'));
        return data;
      })()`);
      await grid().dispatchEvent('dragover', { dataTransfer: dropped });
      await grid().dispatchEvent('drop', { dataTransfer: dropped });
      await toTheEnd('one.txt');
      await toTheEnd('two.txt');
      await tab.page.getByText('4 files uploaded').waitFor();
      await tab.show('files-uploaded');
      expect(await tab.faults()).toEqual([]);
      await tab.page.getByRole('button', { name: 'Clear' }).click();
      expect(await tab.page.getByRole('region', { name: 'Uploads' }).count()).toBe(0);
      expect(await paths()).toEqual([`${HOSTILE}.csv`, 'demand.csv', 'one.txt', 'two.txt']);
      expect(await content('demand.csv')).toBe(DEMAND);
      expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
      expect(await tab.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('upload_token');
    });

    it('works even if the tab’s storage is full', async () => {
      await open();
      await tab.page.getByText('No files yet').waitFor();
      await tab.page.evaluate(`
        for (let size = 1 << 22, number = 0; size > 0; number += 1)
          try { sessionStorage.setItem('filler ' + number, 'x'.repeat(size)); } catch { size >>= 1; }
      `);
      await chooser().setInputFiles({ name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.from(DEMAND) });
      await toTheEnd('demand.csv');
      expect(await content('demand.csv')).toBe(DEMAND);
      expect(await tab.faults()).toEqual([]);
    });

    it('replaces a file only after confirmation', async () => {
      const before = await put('plan.txt', 'before');
      await open();
      await row('plan.txt').waitFor();
      const give = (text: string) =>
        chooser().setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
      await give('kept beside');
      await tab.page.getByText('A file with this name already exists').waitFor();
      await tab.show('files-asking');
      expect(await tab.faults()).toEqual([]);
      expect(await content('plan.txt')).toBe('before');
      await tab.page.getByRole('button', { name: 'Keep both' }).click();
      await toTheEnd('plan (2).txt');
      await give('after');
      await tab.page.getByRole('button', { name: 'Replace', exact: true }).click();
      await toTheEnd('plan.txt');
      await give('never');
      await tab.page.getByText('A file with this name already exists').waitFor();
      await tab.page.getByRole('button', { name: 'Cancel upload of plan.txt' }).click();
      expect([await content('plan.txt'), await content('plan (2).txt')]).toEqual(['after', 'kept beside']);
      const { entries } = await list();
      expect(entries.find(({ path }) => path === 'plan.txt')?.id).toBe(before.id);
      expect(entries).toHaveLength(2);
    });

    it('shows its progress, pauses, resumes with the missing parts, and can be canceled', async () => {
      const sent = await holdParts();
      await open();
      const bytes = Buffer.alloc(11 * MiB, 'demand ');
      await chooser().setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: bytes });
      const bar = tab.page.getByRole('progressbar', { name: 'Uploading large.bin' });
      await eventually(
        async () => Number(await bar.getAttribute('aria-valuenow')),
        (percent) => percent > 10,
        { until: 'a part has arrived' },
      );
      // The upload continues while another section of the project is open.
      await tab.page.getByRole('link', { name: 'Runs' }).click();
      await bar.waitFor({ state: 'detached' });
      await tab.page.getByRole('link', { name: 'Files', exact: true }).click();
      await tab.page.getByRole('button', { name: 'Pause large.bin' }).click();
      await tab.show('files-paused');
      sent.isHeld = false;
      const first = sent.parts.length;
      await tab.page.getByRole('button', { name: 'Resume large.bin' }).click();
      await toTheEnd('large.bin');
      expect(sent.parts.slice(first)).not.toContain('1');
      expect((await list()).entries).toMatchObject([{ path: 'large.bin', size: bytes.length }]);

      sent.isHeld = true;
      await chooser().setInputFiles({ name: 'given up.bin', mimeType: '', buffer: bytes });
      await tab.page.getByRole('progressbar', { name: 'Uploading given up.bin' }).waitFor();
      const end = tab.page.waitForResponse('**/files/upload/abort');
      await tab.page.getByRole('button', { name: 'Cancel upload of given up.bin' }).click();
      expect((await end).status()).toBe(204);
      expect(await paths()).toEqual(['large.bin']);
    });

    it('resumes after leaving the page if the same file is selected again', async () => {
      const directory = await mkdtemp(join(testRun().directory, 'page-'));
      const path = join(directory, 'left.bin');
      await writeFile(path, Buffer.alloc(11 * MiB, 'left '));
      const sent = await holdParts();
      await open();
      await chooser().setInputFiles(path);
      await tab.page.getByText('5.2 MB of 11.5 MB').waitFor();
      tab.page.on('dialog', (leave) => void leave.accept());
      await tab.page.reload();
      await tab.page.getByText('No files yet').waitFor();
      const first = sent.parts.length;
      sent.isHeld = false;
      await chooser().setInputFiles(path);
      await toTheEnd('left.bin');
      expect(sent.parts.slice(first)).toEqual(expect.arrayContaining(['2', '3']));
      expect(sent.parts.slice(first)).not.toContain('1');
      expect((await list()).entries).toMatchObject([{ path: 'left.bin', size: 11 * MiB }]);
    });
  });

  describe('the folder', () => {
    it('can be navigated and changed with only the keyboard', async () => {
      await put('data/demand.csv', DEMAND);
      await put('notes.txt', 'one\n');
      await open();
      await row('notes.txt').waitFor();
      const newFolder = tab.page.getByRole('button', { name: 'New folder' });
      await newFolder.focus();
      await tab.page.keyboard.press('Enter');
      await dialog().getByRole('textbox', { name: 'Name' }).waitFor();
      await tab.page.keyboard.type('archive');
      await tab.page.keyboard.press('Enter');
      await row('archive').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await newFolder.and(focused()).waitFor();

      await grid().focus();
      // The folder contains archive, data and notes.txt, so End selects notes.txt.
      await tab.page.keyboard.press('End');
      await tab.page.keyboard.press('F2');
      await dialog().getByRole('textbox', { name: 'Name' }).waitFor();
      // Only the name without the extension is selected.
      await tab.page.keyboard.type('readme');
      await tab.page.keyboard.press('Enter');
      await row('readme.txt').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await grid().and(focused()).waitFor();
      await tab.page.keyboard.press('Home');
      await tab.page.keyboard.press('ArrowDown');
      await tab.page.keyboard.press('Enter');
      await row('demand.csv').waitFor();
      expect(tab.page.url()).toContain('/files/workspace/data/');
      await grid().focus();
      await tab.page.keyboard.press('Enter');
      await file('demand.csv').waitFor();
      await tab.page.getByRole('columnheader', { name: 'quantity' }).waitFor();
      await grid().focus();
      await tab.page.keyboard.press('Shift+F10');
      await tab.page.getByRole('menuitem', { name: 'Download' }).waitFor();
      await tab.page.keyboard.press('Escape');
      await tab.page.getByRole('menuitem').first().waitFor({ state: 'detached' });
      await grid().and(focused()).waitFor();
      await tab.page.keyboard.press('Backspace');
      await row('archive').waitFor();
      await tab.page.goBack();
      await file('demand.csv').waitFor();
      await tab.page.reload();
      await file('demand.csv').waitFor();
      expect(await paths()).toEqual(['data/demand.csv', 'readme.txt']);
    });

    it('focuses the name field as soon as the dialog appears, so that no keystroke is lost', async () => {
      await open();
      const newFolder = tab.page.getByRole('button', { name: 'New folder' });
      await newFolder.waitFor();
      const appearance = tab.page.evaluate<boolean>(`new Promise((resolve) => {
        new MutationObserver(() => {
          const name = document.querySelector('[role=dialog] input');
          if (name !== null) resolve(name === document.activeElement);
        }).observe(document.body, { childList: true, subtree: true });
      })`);
      await newFolder.click();
      expect(await appearance).toBe(true);
    });

    it('shows the number of selected entries, and moves and deletes them', async () => {
      for (const path of ['old/a.csv', 'old/b.csv', 'old/deep/c.csv', 'keep.txt', 'x.txt', 'y.txt'])
        await put(path, 'a\n');
      await open();
      await row('x.txt').getByRole('checkbox').check();
      await row('y.txt').getByRole('checkbox').check();
      await tab.page.getByRole('button', { name: 'Move', exact: true }).click();
      await dialog().getByLabel('Destination folder').fill('new/inside');
      await dialog().getByText('The folder new/inside will be created.').waitFor();
      await tab.show('files-move');
      expect(await tab.faults()).toEqual([]);
      await dialog().getByRole('button', { name: 'Move' }).click();
      await row('new').waitFor();
      await dialog().waitFor({ state: 'detached' });
      expect(await paths()).toEqual(expect.arrayContaining(['new/inside/x.txt', 'new/inside/y.txt']));

      await row('old').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      // Entries fade in, so their contrast is low at first.
      await eventually(
        () => tab.faults(),
        (found) => found.length === 0,
        { until: 'the menu has no faults' },
      );
      await tab.show('files-menu');
      await tab.page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog().getByText('The folder contains 3 files and 1 folder.').waitFor();
      await tab.show('files-delete');
      expect(await tab.faults()).toEqual([]);
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await row('old').waitFor({ state: 'detached' });
      expect(await paths()).toEqual(['keep.txt', 'new/inside/x.txt', 'new/inside/y.txt']);
    });

    it('shows which cards and scenarios use a file that is moved, and updates their paths', async () => {
      await put('data/prices.csv', DEMAND);
      await put('data/other.csv', DEMAND);
      const add = async (label: string, data: object): Promise<string> => {
        const body = { card_type: 'data', label, data };
        return (await session.client.post<CardResponse>(`/projects/${project.id}/cards`, body)).id;
      };
      await add('Prices', { file_path: 'data/prices.csv' });
      await add('Weeks', { file_path: 'data/prices.csv', set: 'weeks', column: 'week' });
      await add('Other', { file_path: 'data/other.csv' });
      const hours = await add('Hours', { values: { hours: 60 } });
      const { id: scenario } = await session.client.post<ScenarioResponse>(`/projects/${project.id}/scenarios`, {
        name: 'Low',
        changes: [
          { kind: 'file', target: 'weeks', to: 'data/prices.csv' },
          { kind: 'value', target: 'hours', to: 3 },
        ],
      });
      const usedPaths = async (): Promise<unknown[]> => {
        const { cards } = await session.client.get<CardListResponse>(`/projects/${project.id}/cards`);
        const { changes } = await session.client.get<ScenarioResponse>(`/projects/${project.id}/scenarios/${scenario}`);
        return [...cards.flatMap(({ data }) => data['file_path'] ?? []), ...changes.map(({ to }) => to)];
      };
      await open('/workspace/data/');
      await row('prices.csv').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Rename' }).click();
      await dialog().getByText('Used by Prices, Weeks, scenario Low. They will use the new path.').waitFor();
      await tab.show('files-used');
      await dialog().getByRole('textbox', { name: 'Name' }).fill('price list.csv');
      await dialog().getByRole('button', { name: 'Rename' }).click();
      await dialog().waitFor({ state: 'detached' });
      const renamed = 'data/price list.csv';
      expect(await usedPaths()).toEqual([renamed, renamed, 'data/other.csv', renamed, 3]);

      await tab.page.goto(`${shared.url}/#/projects/${project.id}/files`);
      await row('data').getByRole('checkbox').check();
      await tab.page.getByRole('button', { name: 'Move', exact: true }).click();
      await dialog().getByText('Used by Prices, Weeks, Other, scenario Low.').waitFor();
      await dialog().getByLabel('Destination folder').fill('archive');
      await dialog().getByRole('button', { name: 'Move' }).click();
      await dialog().waitFor({ state: 'detached' });
      const [prices, other] = [`archive/${renamed}`, 'archive/data/other.csv'];
      const moved = [prices, prices, other, prices, 3];
      expect(await usedPaths()).toEqual(moved);

      // Without this card, the scenario is invalid and cannot be changed.
      await session.client.delete(`/projects/${project.id}/cards/${hours}`);
      await tab.page.goto(`${shared.url}/#/projects/${project.id}/files/workspace/archive/data/`);
      await row('price list.csv').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Rename' }).click();
      await dialog().getByRole('textbox', { name: 'Name' }).fill('prices.csv');
      await dialog().getByRole('button', { name: 'Rename' }).click();
      await dialog().getByText('scenario Low: still has the old path').waitFor();
      await dialog().getByText('Renamed, but not everywhere').waitFor();
      await tab.show('files-not-followed');
      const renamedAgain = 'archive/data/prices.csv';
      expect(await usedPaths()).toEqual([renamedAgain, renamedAgain, other, prices, 3]);
      await dialog().getByRole('button', { name: 'Cancel' }).click();

      await row('other.csv').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog().getByText('Used by Other. Solving will fail without this data.').waitFor();
      expect(await tab.faults()).toEqual([]);
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await row('other.csv').waitFor({ state: 'detached' });
      expect(await usedPaths()).toEqual([renamedAgain, renamedAgain, other, prices, 3]);
    });

    it('explains why an entry was not moved', async () => {
      await put('a.txt', 'a');
      await put('b.txt', 'b');
      await open();
      await row('a.txt').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Rename' }).click();
      await dialog().getByRole('textbox', { name: 'Name' }).fill('b.txt');
      await dialog().getByRole('button', { name: 'Rename' }).click();
      await dialog().getByText('The destination already exists').waitFor();
      expect(await content('b.txt')).toBe('b');
    });

    it('handles 10,000 entries without rendering all of them', async () => {
      const count = 10_000;
      await tab.page.route('**/files/list', async (route) => {
        const { offset, limit } = route.request().postDataJSON() as { offset: number; limit: number };
        const entries = Array.from({ length: Math.min(limit, count - offset) }, (_, i) => ({
          path: `file ${String(offset + i).padStart(5, '0')}.csv`,
          size: offset + i,
          content_type: 'text/csv',
          modified: '2026-01-02T03:04:05.000Z',
          source: 'upload',
          id: null,
        }));
        await route.fulfill({ json: { entries, directories: [], limit, offset, total: count } });
      });
      await open();
      await row('file 00000.csv').waitFor();
      await tab.page.getByText('10,000 items').waitFor();
      await grid().focus();
      await tab.page.keyboard.press('End');
      await row('file 09999.csv').waitFor();
      expect(await grid().getByRole('row').count()).toBeLessThan(60);
      await tab.page.keyboard.press('Home');
      await row('file 00000.csv').waitFor();
    });

    it('updates automatically and reports that the open file was removed', async () => {
      await put('notes.txt', 'first words');
      await open();
      await row('notes.txt').getByRole('link').click();
      await file('notes.txt').getByText('first words').waitFor();
      await put('by another.txt', 'x');
      await row('by another.txt').waitFor();
      await put('notes.txt', 'second words');
      await file('notes.txt').getByText('second words').waitFor();
      await session.client.post('/files/delete', { ...workspace(), path: 'notes.txt' });
      await file('notes.txt').getByText('This file no longer exists').waitFor();
      await tab.page.getByRole('button', { name: 'Close notes.txt' }).click();
      await row('by another.txt').waitFor();
    });

    it('hides all editing controls from viewers', async () => {
      await put('notes.txt', 'words');
      await session.client.patch(`/projects/${project.id}`, { visibility: 'private' });
      const viewer = await shared.session({ company: session.company, role: 'member' });
      await viewer.client.get('/me');
      await session.client.put(`/projects/${project.id}/members/${viewer.user}`, { role: 'viewer' });
      await open('', viewer);
      await row('notes.txt').waitFor();
      for (const name of ['Upload', 'New folder']) expect(await tab.page.getByRole('button', { name }).count()).toBe(0);
      expect(await grid().getByRole('checkbox').count()).toBe(0);
      await row('notes.txt').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Download' }).waitFor();
      expect(await tab.page.getByRole('menuitem').allInnerTexts()).toEqual(['Download', 'Copy path']);
    });

    it('shows the deployment and snapshots as read-only', async () => {
      const deployment = await makeDeployment(session.client, { instructions: 'Plan well.' });
      project = await makeProject(session.client, { name: 'From a deployment', from_deployment: deployment.handle });
      await put('then.txt', 'as it was');
      await session.client.post(`/projects/${project.id}/snapshots`);
      await put('then.txt', 'as it is');
      await open();
      await tab.page.getByRole('button', { name: 'Other files' }).click();
      await tab.page.getByRole('menuitemradio').first().waitFor();
      await tab.show('files-others');
      await tab.page.getByRole('menuitemradio', { name: `Deployment ${deployment.handle}` }).click();
      await row('AGENTS.md').getByRole('link').click();
      await file('AGENTS.md').getByText('Plan well.').waitFor();
      await tab.page.getByText('Read-only').waitFor();
      expect(await tab.page.getByRole('button', { name: 'Upload' }).count()).toBe(0);
      await tab.page.getByRole('button', { name: 'Other files' }).click();
      await tab.page.getByRole('menuitemradio', { name: /^Snapshot from/ }).click();
      await row('then.txt').getByRole('link').click();
      await file('then.txt').getByText('as it was').waitFor();
    });
  });

  describe('a file', () => {
    const HOSTILE_TEXT = `${HOSTILE}\n<script>globalThis.hacked=1</script>\n\u202Egnp.exe\n[x](javascript:globalThis.hacked=1)`;

    it('is shown as lines of text, even if the text is hostile', async () => {
      const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}`);
      await put(`${HOSTILE}.md`, HOSTILE_TEXT);
      await put('long.txt', lines.join('\n'));
      await put('one line.txt', 'x'.repeat(200_000));
      await put('nothing.bin', Buffer.from([0, 255, 0, 254]));
      await put('\u202Egnp.exe', 'no picture');
      await open();
      await row(`${HOSTILE}.md`).getByRole('link').click();
      await file(`${HOSTILE}.md`).getByText('<script>globalThis.hacked=1</script>').waitFor();
      expect(await file(`${HOSTILE}.md`).locator('img, script, a').count()).toBe(0);
      await tab.show('files-text');
      // Characters that reverse the writing direction must not hide an extension.
      await row('\uFFFDgnp.exe').waitFor();
      await row('long.txt').getByRole('link').click();
      const text = tab.page.getByRole('group', { name: 'Text of long.txt' });
      await text.getByText('line 1', { exact: true }).waitFor();
      await text.focus();
      await tab.page.keyboard.press('End');
      await text.getByText('line 5000', { exact: true }).waitFor();
      await text.getByText('5000', { exact: true }).waitFor();
      expect(await text.locator('> div > div').count()).toBeLessThan(80);
      await row('one line.txt').getByRole('link').click();
      await tab.page.getByText('195,000 more characters').waitFor();
      await row('nothing.bin').getByRole('link').click();
      await tab.page.getByText('No preview for this type of file').waitFor();
      expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    });

    it(`is shown with a hostile name and text ${HOSTILE_MARKUP.length} times without running anything`, async () => {
      /** Names cannot contain slashes or control characters. */
      const names = HOSTILE_MARKUP.map(
        (markup, at) => `${at} ${markup.replaceAll(/[/\\\p{Cc}]/gu, '∕').slice(0, 120)}.md`,
      );
      for (const [at, name] of names.entries()) await put(name, HOSTILE_MARKUP[at] ?? '');
      await open();
      await row(names[0] ?? '').waitFor();
      for (const [at, name] of names.entries()) {
        await tab.page.evaluate(
          `location.hash = '#/projects/${project.id}/files/workspace/' + encodeURIComponent(${JSON.stringify(name)})`,
        );
        const [line = ''] = (HOSTILE_MARKUP[at] ?? '').split('\n');
        const text = file(name).getByRole('group', { name: 'Text of' });
        await text.getByText(line, { exact: true }).first().waitFor();
        expect(await text.locator('*:not(div):not(span)').count()).toBe(0);
      }
      expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    }, 120_000);

    it('is displayed if it is an image, and shown as extracted text if it is a document', async () => {
      const pdf = makePdf(pdfObjects(['BT /F1 12 Tf 72 720 Td (Forty chairs a week) Tj ET']));
      await put('pixel.png', PIXEL);
      await put('broken.png', 'not an image');
      await put('letter.docx', makeArchive(docxParts(paragraph('We deliver on Mondays'))));
      await put('contract.pdf', pdf);
      await put('broken.pdf', 'no PDF');
      await put(
        'evil.svg',
        '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.hacked=1"><script>hacked=1</script></svg>',
      );
      await open();
      await row('pixel.png').getByRole('link').click();
      await tab.page.getByRole('img', { name: 'pixel.png' }).waitFor();
      expect(await tab.page.evaluate('document.querySelector("img[alt=\'pixel.png\']").naturalWidth')).toBe(1);
      await row('broken.png').getByRole('link').click();
      await file('broken.png').getByText('This image cannot be displayed').waitFor();
      await row('letter.docx').getByRole('link').click();
      await file('letter.docx').getByText('We deliver on Mondays').waitFor();
      await row('contract.pdf').getByRole('link').click();
      await file('contract.pdf').getByText('Forty chairs a week').waitFor();
      await row('broken.pdf').getByRole('link').click();
      await file('broken.pdf').getByText('The text of this file cannot be displayed').waitFor();
      await row('evil.svg').getByRole('link').click();
      await file('evil.svg').locator('img').waitFor();
      expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    });

    it('can be downloaded unchanged, from a URL without the token', async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
      await put(`data/${HOSTILE}.bin`, bytes);
      await open('/workspace/data/');
      const download = tab.page.waitForEvent('download');
      await row(`${HOSTILE}.bin`).getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Download' }).click();
      const saved = await download;
      expect(saved.url()).not.toContain(session.token);
      expect(await readFile(await saved.path())).toEqual(bytes);
    });

    it('has a path that can be copied', async () => {
      await put('data/demand.csv', DEMAND);
      await tab.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(shared.url).origin });
      await open('/workspace/data/');
      await row('demand.csv').getByRole('button').click();
      await tab.page.getByRole('menuitem', { name: 'Copy path' }).click();
      await tab.page.getByText('Copied: data/demand.csv').waitFor();
      expect(await tab.page.evaluate('navigator.clipboard.readText()')).toBe('data/demand.csv');
    });
  });

  describe('a table', () => {
    const table = () => tab.page.getByRole('table');
    const cells = async (place: number): Promise<string[]> =>
      await table().locator(`[role=cell][aria-colindex="${place}"]`).allInnerTexts();
    const settled = async (place: number, values: string[]): Promise<void> => {
      await eventually(
        () => cells(place),
        (found) => JSON.stringify(found) === JSON.stringify(values),
        { until: `column ${place} is ${values.join(', ')}` },
      );
    };

    it('can be sorted and filtered by the service, and shows aligned numbers', async () => {
      await put('demand.csv', DEMAND);
      await open('/workspace/demand.csv');
      await settled(3, ['40', '12', '12,000', '7']);
      await settled(4, ['12.50', '120.00', '12.25', '9.00']);
      const align = 'getComputedStyle(document.querySelector(\'[role=cell][aria-colindex="3"]\')).textAlign';
      expect(await tab.page.evaluate(align)).toBe('right');
      await tab.page.getByText('4 rows · 4 columns · read with commas, UTF-8, decimal point').waitFor();
      await table().getByRole('button', { name: 'quantity' }).click();
      await settled(3, ['7', '12', '40', '12,000']);
      await table().getByRole('button', { name: 'quantity' }).click();
      await settled(3, ['12,000', '40', '12', '7']);
      expect(await table().getByRole('columnheader', { name: 'quantity' }).getAttribute('aria-sort')).toBe(
        'descending',
      );
      await tab.page.getByRole('button', { name: 'Filter', exact: true }).click();
      await tab.page.getByRole('combobox', { name: 'Column' }).selectOption('quantity');
      await tab.page.getByRole('combobox', { name: 'Condition' }).selectOption('is at least');
      await tab.page.getByRole('textbox', { name: 'Value' }).fill('twelve');
      await tab.page.keyboard.press('Enter');
      await tab.page.getByText('Enter a whole number').waitFor();
      await tab.show('files-filter');
      await tab.page.getByRole('textbox', { name: 'Value' }).fill('12');
      await tab.page.keyboard.press('Enter');
      await settled(3, ['12,000', '40', '12']);
      await tab.page.getByText('3 matching rows').waitFor();
      await tab.show('files-table-filtered');
      expect(await tab.faults()).toEqual([]);
      await tab.page.getByRole('button', { name: 'Remove the filter quantity is at least 12' }).click();
      await settled(3, ['12,000', '40', '12', '7']);
    });

    it('shows each sheet, offers to skip invalid rows, and falls back to text if the file is not a table', async () => {
      await put(
        'lanes.xlsx',
        workbookFile({
          Lanes: [
            ['from', 'km'],
            ['Ulm', 120],
          ],
          Costs: [
            ['cost', 'per km'],
            [HOSTILE, 1.5],
          ],
        }),
      );
      await put('ragged.csv', 'a,b\n1,2\n1,2,3\n4,5\n');
      await put('settings.json', '{"a": {"b": 1}}\n{"half');
      await open('/workspace/lanes.xlsx');
      await settled(1, ['Ulm']);
      await tab.page.getByRole('combobox', { name: 'Sheet' }).selectOption('Costs');
      await settled(1, [HOSTILE]);
      await row('ragged.csv').getByRole('link').click();
      await tab.page.getByText('This file cannot be read as a table').waitFor();
      await tab.page.getByRole('button', { name: 'Skip these rows' }).click();
      await settled(1, ['1', '4']);
      await tab.page.getByText('1 skipped').waitFor();
      await row('settings.json').getByRole('link').click();
      await file('settings.json').getByText('{"half').waitFor();
      expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    });

    it('renders only the visible cells out of 10,000 rows or 500 columns', async () => {
      const rows = Array.from(
        { length: 10_000 },
        (_, i) => `${i + 1},product ${i % 97},${(i * 37) % 1009}.5,${i % 2 === 0}`,
      );
      await put('many.csv', ['id,product,price,is_even', ...rows].join('\n'));
      const columns = Array.from({ length: 500 }, (_, i) => i);
      await put('wide.csv', `${columns.map((i) => `c${i}`).join(',')}\n${columns.join(',')}\n`);
      await open('/workspace/many.csv');
      await table().getByText('product 0', { exact: true }).first().waitFor();
      const frames = await tab.page.evaluate<{
        frames: number;
        p95: number;
        longest: number;
      }>(`new Promise((resolve) => {
        const grid = document.querySelector('[role=table]');
        const deltas = [];
        let last = performance.now();
        const began = last;
        const step = (now) => {
          deltas.push(now - last);
          last = now;
          grid.scrollTop += 40;
          if (now - began < 1000) requestAnimationFrame(step);
          else {
            deltas.sort((a, b) => a - b);
            resolve({ frames: deltas.length, p95: deltas[Math.floor(deltas.length * 0.95)], longest: deltas.at(-1) });
          }
        };
        requestAnimationFrame(step);
      })`);
      console.log(
        `10,000 rows scrolled: ${frames.frames} frames/s, 95 % under ${frames.p95.toFixed(1)} ms, longest ${frames.longest.toFixed(1)} ms`,
      );
      expect(await table().getByRole('row').count()).toBeLessThan(80);
      await table().focus();
      await tab.page.keyboard.press('End');
      await table().getByRole('rowheader', { name: '10,000' }).waitFor();
      await table().getByRole('cell', { name: '10,000' }).waitFor();
      await row('wide.csv').getByRole('link').click();
      await table().getByRole('cell', { name: '0', exact: true }).waitFor();
      expect(await table().getByRole('cell').count()).toBeLessThan(40);
      await tab.page.evaluate("document.querySelector('[role=table]').scrollLeft = 1e6");
      await table().getByRole('cell', { name: '499' }).waitFor();
      expect(await table().getByRole('cell').count()).toBeLessThan(40);
    });

    it('can be queried in SQL, shows errors at their position, and saves the result', async () => {
      await put('data/demand.csv', DEMAND);
      await put('data/by-product.csv', 'product,weight\nchairs,4\ntables,9\n');
      await put('lanes.csv', 'name,km\nUlm,120\n');
      await open('/workspace/data/demand.csv');
      await file('demand.csv').getByText('SQL', { exact: true }).click();
      const sql = tab.page.getByRole('textbox', { name: 'SQL' });
      await sql.press('Control+Enter');
      await tab.page.getByText('4 rows').waitFor();
      await sql.fill('SELECT product,\n  sum(quantty) AS total\nFROM demand GROUP BY product');
      await sql.press('Control+Enter');
      await tab.page.getByText('Referenced column "quantty" not found').waitFor();
      await eventually(
        () => tab.page.evaluate<string>('getSelection().toString()'),
        (text) => text === 'quantty',
        { until: 'what is wrong is marked' },
      );
      await tab.show('files-sql-error');
      expect(await tab.faults()).toEqual([]);
      await sql.fill(
        'SELECT product, sum(quantity) * weight AS total\nFROM demand JOIN "by-product" USING (product)\nWHERE (SELECT km FROM "lanes.csv") = 120\nGROUP BY product, weight ORDER BY total',
      );
      await tab.page.getByRole('textbox', { name: 'Save the result as' }).fill('results/total.csv');
      await tab.page.getByRole('button', { name: 'Run and save' }).click();
      await tab.page.getByText('Saved as').waitFor();
      await settled(2, ['108', '48,160']);
      await tab.show('files-sql');
      expect(await content('results/total.csv')).toBe('product,total\ntables,108\nchairs,48160\n');
      // The page keeps the query while another view is open.
      await sql.fill('SELECT 1 AS one');
      await file('demand.csv').getByText('Text', { exact: true }).click();
      await file('demand.csv').getByText('chairs,1,40,12.5').waitFor();
      await file('demand.csv').getByText('SQL', { exact: true }).click();
      expect(await sql.inputValue()).toBe('SELECT 1 AS one');
      await tab.page.getByRole('textbox', { name: 'Save the result as' }).fill('results/total.csv');
      await tab.page.getByRole('button', { name: 'Run and save' }).click();
      await tab.page.getByText('The file results/total.csv already exists.').waitFor();
      expect(await content('results/total.csv')).toContain('48160');
      await tab.page.getByRole('button', { name: 'Replace it' }).click();
      await settled(1, ['1']);
      expect(await content('results/total.csv')).toBe('one\n1\n');
      await tab.page.getByRole('link', { name: 'results/total.csv' }).click();
      await file('total.csv').waitFor();
    });
  });

  it.each(LOOKS)(
    'is readable and usable in the %s color scheme at a width of %i pixels',
    async (colorScheme, width) => {
      const rows = Array.from(
        { length: 400 },
        (_, i) =>
          `${i + 1},${['chairs', 'tables', 'stools'][i % 3]},2026-0${(i % 9) + 1}-15,${(i * 7919) % 100000},${((i * 37) % 1009) / 8},A remark that is rather long and says something about line ${i}`,
      );
      await put('inputs/demand.csv', ['id,product,due,quantity,price,remark', ...rows].join('\n'));
      await put(
        'inputs/a rather long name of a file that somebody has exported from another system (final) v2.csv',
        DEMAND,
      );
      await put('model/plan.lp', 'maximize\n obj: 3 x + 2 y\nsubject to\n c1: x + y <= 4\nend\n');
      await put('notes.md', '# What we agreed on\n\n- Chairs first\n- No overtime in week 7\n');
      await tab.appear(colorScheme, width);
      const look = async (name: string): Promise<void> => {
        expect(await tab.overflow()).toBe(0);
        await tab.show(`files-${name}-${colorScheme}-${width}`);
      };
      await open();
      await row('notes.md').waitFor();
      expect(await tab.faults()).toEqual([]);
      await look('folder');
      await row('inputs').getByRole('link').click();
      await row('demand.csv').getByRole('link').click();
      await tab.page.getByRole('table').getByText('tables').first().waitFor();
      await look('table');
      await file('demand.csv').getByText('SQL', { exact: true }).click();
      await tab.page.getByRole('button', { name: 'Run', exact: true }).click();
      await tab.page.getByText('100 rows').waitFor();
      expect(await tab.faults()).toEqual([]);
      await look('sql');
    },
  );
});
