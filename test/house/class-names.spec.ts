import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const ROLES = 'agent|channel|controller|entity|filter|guard|interceptor|module|pipe|repository|service|store';
/** Matches classes with decorators or base classes from Nest or TypeORM. */
const KNOWN =
  /^@(?:Injectable|Controller|Module|Catch|Entity)\([^]*?^export (?:abstract )?class (\w+)|^export class (\w+) extends EntityRepository\(/gm;

const sourcesOf = (folder: string): (readonly [path: string, text: string])[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|^database\/migrations\//.test(path))
    .map((path) => [path, readFileSync(join(ROOT, folder, path), 'utf8')]);
const sources = sourcesOf('src');
const allSources = [...sources, ...sourcesOf('packages')];

const pascalCase = (words: string): string =>
  words.replace(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the expected class name of a file: `TurnRunnerService` for `turn-runner.service.ts`, `Turn` for `turn.entity.ts`. */
function expectedName(path: string): string | undefined {
  const name = new RegExp(`^([a-z0-9-]+)\\.(${ROLES})\\.ts$`).exec(basename(path));
  if (name === null) return undefined;
  const [, subject = '', role = ''] = name;
  return pascalCase(role === 'entity' ? subject : `${subject}.${role}`);
}

/** Returns the classes that are not named after their files. */
function misnamed(files: Iterable<readonly [path: string, text: string]>): string[] {
  const wrong: string[] = [];
  for (const [path, text] of files) {
    for (const [, injected, repository] of text.matchAll(KNOWN)) {
      const name = injected ?? repository ?? '';
      if (name !== expectedName(path)) wrong.push(`${path}: ${name}`);
    }
  }
  return wrong;
}

describe('classes for Nest and TypeORM', () => {
  it('are named after their files and roles', () => {
    expect(sources.filter(([, text]) => text.match(KNOWN)).length).toBeGreaterThan(200);
    expect(misnamed(sources)).toEqual([]);
  });

  it.each([
    ['chat/answers.service.ts', '@Injectable()\nexport class Answers {}', 'Answers'],
    ['chat/answers.ts', '@Injectable()\nexport class AnswersService {}', 'AnswersService'],
    ['chat/answer.entity.ts', "@Entity({ name: 'answers' })\nexport class StoredAnswer {}", 'StoredAnswer'],
    ['chat/answers.repository.ts', 'export class Answers extends EntityRepository(Answer) {}', 'Answers'],
  ])('are reported if their names do not match the file name %s', (path, text, name) => {
    expect(misnamed([[path, text]])).toEqual([`${path}: ${name}`]);
  });
});

describe('classes', () => {
  const MAX_LINES = 300;
  /** Exceptions: a list of settings, and a grammar that is read from top to bottom. */
  const LONG = ['Settings', 'Parser'];

  it(`have at most ${MAX_LINES} lines`, () => {
    const long = allSources.flatMap(([path, text]) =>
      Array.from(text.matchAll(/^(?:export )?(?:abstract )?class (\w+)[^]*?^}/gm))
        .filter(([body, name = '']) => body.split('\n').length > MAX_LINES && !LONG.includes(name))
        .map(([, name]) => `${path}: ${name}`),
    );
    expect(long).toEqual([]);
  });
});
