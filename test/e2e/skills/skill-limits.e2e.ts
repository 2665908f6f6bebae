import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ProjectSkillDetail, ProjectSkillListResponse, SkillSummary } from '../../../src/skills/skills.dto.js';
import { makeDeployment, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { fingerprint } from '../../support/fingerprint.js';
import { useService } from '../../support/service.js';

type Files = Record<string, string>;
interface Refusal {
  detail: { type: string; loc: unknown[]; msg: string; input: unknown; ctx?: unknown }[];
}

const service = useService();
let client: Client;
/** API paths of a deployment and a project, the two kinds of skill owners. */
let owners: string[];

beforeAll(async () => {
  client = (await service.session()).client;
  const { id } = await makeProject(client);
  const { handle } = await makeDeployment(client);
  owners = [`/projects/${id}`, `/deployments/${handle}`];
  for (const owner of owners) await client.put(`${owner}/skills/own`, { files: { 'SKILL.md': 'Before.' } });
});

const put = async (owner: string, name: string, files: unknown) => {
  const path = `${owner}/skills/${encodeURIComponent(name)}`;
  return await client.send<SkillSummary & Refusal>('PUT', path, { body: { files } });
};

/** Returns the error entries of a PUT request that both owners reject. */
async function refusal(name: string, files: Files): Promise<Refusal['detail']> {
  const answers = await Promise.all(owners.map(async (owner) => await put(owner, name, files)));
  expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 422, 422]);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  return answers[0]?.body.detail ?? [];
}

async function accepted(name: string, files: Files): Promise<void> {
  for (const owner of owners) {
    const { status, body } = await put(owner, name, files);
    expect([status, Object.keys(body)]).toEqual([200, ['name', 'description', 'files']]);
    expect((await client.get<ProjectSkillDetail>(`${owner}/skills/${name}`)).files).toEqual(files);
    await client.delete(`${owner}/skills/${name}`);
  }
}

/** Runs `work` and checks that it changes no rows and no files. */
async function changingNothing(work: () => Promise<void>): Promise<void> {
  const before = await fingerprint(service.environment);
  await work();
  expect(await fingerprint(service.environment)).toEqual(before);
}

const main = { 'SKILL.md': 'Text.' };

describe('the name of a skill', () => {
  it.each(['a', '0', 'a-b-0', 'x'.repeat(64), 'constructor', 'skill-md'])('can be %j', async (name) => {
    await accepted(name, main);
  });

  it('is rejected if it is too long, or contains other characters or misplaced hyphens', async () => {
    await changingNothing(async () => {
      for (const name of ['x'.repeat(65), 'A', 'a_b', 'a--b', '-a', 'a-', 'a.b', 'é', ' a', 'a ', 'a\n', '%00']) {
        const entry = { type: 'value_error', loc: ['path', 'skill'], input: name, ctx: { error: {} } };
        const msg =
          'Value error, a skill name must have 1 to 64 characters: a-z and 0-9, with single hyphens between them';
        expect(await refusal(name, main)).toEqual([{ ...entry, msg }]);
      }
    });
  });
});

describe('the paths in a skill', () => {
  const segment = 'é'.repeat(127) + 'x';
  it.each([
    ['a segment of 255 bytes', `${segment}/${segment}`],
    ['1,024 bytes', `${`${'a'.repeat(255)}/`.repeat(3)}${'a'.repeat(254)}/b`],
    ['512 levels', 'a/'.repeat(511) + 'a'],
    ['spaces, dots and characters that other systems reject', ' /.hidden/a:b*c?"<>|%2e%2e/\u{1F600} .txt'],
    ['SKILL.md in lower case', 'skill.md'],
    ['SKILL.md in a subdirectory', 'x/SKILL.md'],
  ])('are accepted with %s', async (_, path) => await accepted('paths', { ...main, [path]: 'x' }));

  it('are normalized', async () => {
    const { body } = await put(owners[0] as string, 'normal', { '/SKILL.md': 'x', 'e\u0301': 'y' });
    expect(body.files).toEqual(['SKILL.md', '\u00e9']);
  });

  it('are rejected independently, each for a specific reason', async () => {
    const faults: [string, RegExp][] = [
      ['', /must not be empty/],
      ['/', /must not be empty/],
      ['//a', /empty segments/],
      ['a//b', /empty segments/],
      ['a/', /empty segments/],
      ['.', /'\.' or '\.\.' segments/],
      ['../SKILL.md', /'\.' or '\.\.' segments/],
      ['a/../b', /'\.' or '\.\.' segments/],
      ['a\\b', /backslash/],
      ['a\nb', /control characters/],
      ['a\u007f', /control characters/],
      [`${segment}x`, /at most 255 bytes/],
      ['a/'.repeat(512) + 'a', /at most 1024 bytes/],
      ['SKILL.md/x', /SKILL\.md is a file and cannot hold files/],
      ['d/e/f', /d is a file and cannot hold files/],
      ['/d', /twice/],
    ];
    await changingNothing(async () => {
      for (const [path, reason] of faults) {
        const detail = await refusal('own', { ...main, d: '', [path]: 'x' });
        expect(detail).toMatchObject([{ type: 'value_error', loc: ['body', 'files', path], input: 'x' }]);
        expect(detail[0]?.msg).toMatch(reason);
      }
      const all = await refusal('own', { '../a': '1', ...main, 'b//c': '2' });
      expect(all.map(({ loc, input }) => [loc.at(-1), input])).toEqual([
        ['../a', '1'],
        ['b//c', '2'],
      ]);
      for (const files of [
        { ...main, 'a\0b': '' },
        { ...main, a: '\0' },
        { ...main, a: '\ud800' },
      ]) {
        expect((await refusal('own', files)).map(({ type, loc }) => [type, ...loc.slice(0, 2)])).toEqual([
          ['value_error', 'body', 'files'],
        ]);
      }
    });
  });
});

describe('the size of a skill', () => {
  const many = (count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${'dir/'.repeat(index % 3)}${index}`, 'x']));

  it('is limited to 200 files', async () => {
    await accepted('many', { ...main, ...many(199) });
    await changingNothing(async () => {
      const files = { ...main, ...many(200) };
      const msg = 'Dictionary should have at most 200 items after validation, not 201';
      const ctx = { field_type: 'Dictionary', max_length: 200, actual_length: 201 };
      expect(await refusal('own', files)).toEqual([
        { type: 'too_long', loc: ['body', 'files'], msg, input: files, ctx },
      ]);
    });
  });

  it('is limited to 1,000,000 bytes in total', async () => {
    const half = 'é'.repeat(250_000);
    await accepted('large', { 'SKILL.md': half, 'half.txt': half, empty: '' });
    await accepted('large', { 'SKILL.md': `---\nname: large\n---\n${'\n'.repeat(999_979)}` });
    await changingNothing(async () => {
      const [entry] = await refusal('own', { 'SKILL.md': half, 'half.txt': half, 'one-more': 'x' });
      const msg = 'Value error, the files of a skill can have at most 1000000 bytes in total, not 1000001';
      expect(entry).toMatchObject({ type: 'value_error', loc: ['body', 'files'], msg });
    });
  });

  it('may reach its limit even if all characters in the request are escaped', async () => {
    const [owner = ''] = owners;
    const escaped = (text: string) => [...text].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
    const text = `{"files": {"SKILL.md": "${escaped('x'.repeat(1_000_000))}"}}`;
    const { status } = await client.send('PUT', `${owner}/skills/large`, { text });
    expect(status).toBe(200);
    const tooLarge = `{"files": {"SKILL.md": "x"}${' '.repeat(8 * 1024 ** 2)}}`;
    expect((await client.send('PUT', `${owner}/skills/large`, { text: tooLarge })).status).toBe(413);
    expect((await client.get<ProjectSkillDetail>(`${owner}/skills/large`)).files['SKILL.md']).toHaveLength(1_000_000);
    const { skills } = await client.get<ProjectSkillListResponse>(`${owner}/skills`);
    expect(skills.find(({ name }) => name === 'large')?.description).toBe('x'.repeat(1024));
    await client.delete(`${owner}/skills/large`);
  });
});

describe('frontmatter', () => {
  it('may have a byte order mark, CRLF line breaks and up to 65,536 bytes', async () => {
    const description = 'y'.repeat(65_536 - 'name: own\ndescription: \n'.length);
    const text = `---\nname: own\ndescription: ${description}\n---\n`;
    for (const [given, read] of [
      ['\uFEFF---\r\nname: own\r\ndescription: "Quoted: colon"\r\n---\r\nText', 'Quoted: colon'],
      ['---\n# a comment\nlicense: MIT\nmetadata:\n  tags: [a, b]\n---\n\n# Title\n', 'Title'],
      [text, description],
    ] as const) {
      expect((await put(owners[0] as string, 'own', { 'SKILL.md': given })).body.description).toBe(read);
      const { skills } = await client.get<ProjectSkillListResponse>(`${owners[0]}/skills`);
      expect(skills.find(({ name }) => name === 'own')?.description).toBe(read);
    }
    await client.put(`${owners[0]}/skills/own`, { files: { 'SKILL.md': 'Before.' } });
  });

  const bomb = Array.from({ length: 9 }, (_, index) => `x${index + 1}: &x${index + 1} [${`*x${index},`.repeat(9)}]`);
  it.each([
    ['an unquoted colon', 'name: own\ndescription: one: two', 3, 'put text that contains ": " in quotes'],
    ['a tab', 'name: own\nmore:\n\tx: 1', 4, 'tabs are not allowed as indentation'],
    ['a tag', 'name: own\ndescription: !!js/function "return 1"', 3, 'tags are not allowed'],
    ['an alias', 'name: own\na: &a x\nb: *a', 3, 'anchors are not allowed'],
    ['an alias bomb', `x0: &x0 lol\n${bomb.join('\n')}`, 2, 'anchors are not allowed'],
    ['deeply nested brackets', `a: ${'['.repeat(60_000)}`, 2, 'nested deeper than 64 levels'],
    ['deeply nested braces', '{a: '.repeat(15_000), 2, 'nested deeper than 64 levels'],
    ['deeply nested lists', '- '.repeat(30_000), 2, 'nested deeper than 64 levels'],
    ['too many commas', `a: [${','.repeat(60_000)}]`, 2, 'more than 10000 YAML tokens'],
    ['too many keys', Array.from({ length: 9_000 }, (_, index) => `k${index}:`).join('\n'), 2502, 'more than 10000'],
    ['more than 65,536 bytes', `x: ${'y'.repeat(65_534)}`, 1, 'the frontmatter has more than 65536 bytes'],
    ['the name of another skill', 'description: x\nname: other', 3, 'the name is "other", but the skill is own'],
    ['a name that is a number', 'name: 5', 2, 'name is not a string'],
    ['a description that is a list', 'name: own\ndescription: [a, b]', 3, 'description is not a string'],
    ['a duplicate key', 'name: own\nname: own', 3, 'the key "name" appears twice'],
    ['a list instead of a mapping', '- name', 2, 'the frontmatter is not a mapping'],
  ])('is rejected with the file, line and reason if it contains %s', async (_, yaml, line, reason) => {
    await changingNothing(async () => {
      const text = `---\n${yaml}\n---\nText`;
      const [entry, ...more] = await refusal('own', { 'SKILL.md': text, 'other.md': '---\nnot: looked: at\n---\n' });
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ type: 'value_error', loc: ['body', 'files', 'SKILL.md'], input: text });
      expect(entry?.msg.startsWith(`Value error, SKILL.md line ${line}: `)).toBe(true);
      expect(entry?.msg).toContain(reason);
    });
  });

  it('is rejected if it is not closed', async () => {
    const [entry] = await refusal('own', { 'SKILL.md': '---\nname: own\n' });
    expect(entry?.msg).toBe('Value error, SKILL.md line 1: the frontmatter has no closing line ---');
  });
});
