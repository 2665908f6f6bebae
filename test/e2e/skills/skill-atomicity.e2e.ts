import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentResponse } from '../../../src/deployments/deployments.dto.js';
import { FileTreeReaderService } from '../../../src/files/tree/file-tree-reader.service.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { EffectiveSkill } from '../../../src/skills/skill.js';
import type { AgentConfigPullResponse, ProjectSkillDetail } from '../../../src/skills/skills.dto.js';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client } from '../../support/client.js';
import { type Script, ScriptedService } from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';

type Files = Record<string, string>;

const A = { 'SKILL.md': 'A', 'a.txt': 'A' };
const B = { 'SKILL.md': 'B', 'b/b.txt': 'B' };
const FROM_DEPLOYMENT = { 'SKILL.md': 'D', 'a.txt': 'D', 'b/b.txt': 'D' };
const SETS: Record<string, Files> = { A, B, D: FROM_DEPLOYMENT };

/** Returns the current contents of a mounted skill's files, by path. */
async function textsOf({ files }: EffectiveSkill): Promise<Files> {
  const texts = await worker.app.get(FileTreeReaderService).readTexts([...files.values()]);
  return Object.fromEntries(Array.from(files, ([path, file]) => [path, texts.get(file.path) ?? '']));
}

/** Configurations mounted in the turns: the catalog entry of the skill and its files. */
const configurations: { instructions: string | null; letter: string; files: Files }[] = [];
/** Reads the mounted files only after the skill has been replaced several more times. */
const script: Script = async function* ({ configuration: { instructions, skills } }) {
  yield { type: 'text', text: 'Wait.' };
  await pause(100);
  for (const skill of skills) {
    const files = await textsOf(skill);
    configurations.push({ instructions, letter: skill.description, files });
  }
};

let first: Service;
/** Second process, which also runs turns. */
let worker: ScriptedService;
let onFirst: Session;
let onSecond: Client;

beforeAll(async () => {
  const environment = await makeEnvironment();
  [first, worker] = await Promise.all([
    Service.start({ environment, settings: { ROLE: 'api' } }),
    ScriptedService.start(environment, script),
  ]);
  onFirst = await first.session();
  const { company, user } = onFirst;
  onSecond = (await worker.session({ company, user })).client;
}, 60_000);
afterAll(async () => {
  await Promise.all([first.stop(), worker.stop()]);
  await removeEnvironment(first.environment);
}, 60_000);

/** Repeats an action with pauses until `work` has ended. */
async function during(work: Promise<unknown>, pauseMs: number, repeated: () => Promise<unknown>): Promise<void> {
  const state = { over: false };
  const ended = work.finally(() => {
    state.over = true;
  });
  while (!state.over) {
    await repeated();
    await pause(pauseMs);
  }
  await ended;
}

const until = async (
  isEnough: (index: number) => boolean,
  work: (index: number) => Promise<unknown>,
): Promise<void> => {
  for (let index = 0; !isEnough(index); index += 1) await work(index);
};
const times = async (count: number, work: (index: number) => Promise<unknown>): Promise<void> =>
  await until((index) => index === count, work);

describe('a skill that a process replaces repeatedly while another process pulls', () => {
  it('is always read and mounted as a complete set of files', async () => {
    const skills = { rules: FROM_DEPLOYMENT };
    const { handle } = await makeDeployment(onFirst.client, { instructions: 'Instructions', skills });
    const { id } = await makeProject(onFirst.client, { from_deployment: handle });
    const path = `/projects/${id}/skills/rules`;
    await onFirst.client.put(path, { files: B });
    const seen = new Set<string>();
    // The deployment's copy may be visible while the project's own skill is removed, but never while it is replaced.
    let away = false;
    let removals = 0;
    const read = async (client: Client): Promise<void> => {
      const [wasAway, removalsBefore] = [away, removals];
      const { files, scope, shadows, description: letter } = await client.get<ProjectSkillDetail>(path);
      expect({ letter, files }).toEqual({ letter, files: SETS[letter] });
      expect({ scope, shadows }).toEqual(
        letter === 'D' ? { scope: 'deployment', shadows: false } : { scope: 'project', shadows: true },
      );
      if (letter === 'D') expect(wasAway || away || removals > removalsBefore).toBe(true);
      seen.add(letter);
    };

    // Counts the rounds of the other loops, because this loop continues until each of them has run a few times.
    const rounds = [0, 0, 0, 0];
    const counted = (at: number, work: () => Promise<void>) => async (): Promise<void> => {
      await work();
      rounds[at] = (rounds[at] ?? 0) + 1;
    };
    const replacing = until(
      (index) => index >= 60 && index % 2 === 0 && Math.min(...rounds) > 3,
      async (index) => {
        await onFirst.client.put(path, { files: index % 2 === 0 ? A : B });
        away = false;
        if (index % 20 !== 10) return;
        away = true;
        removals += 1;
        await onFirst.client.delete(path);
        await Promise.all([read(onFirst.client), read(onSecond)]);
      },
    );
    await Promise.all([
      during(
        replacing,
        60,
        counted(0, async () => {
          const pulled = await onSecond.post<AgentConfigPullResponse>(`/projects/${id}/agent-config/pull`, {});
          expect(pulled).toEqual({ from_deployment: handle, objects: 4 });
        }),
      ),
      during(
        replacing,
        50,
        counted(1, async () => await read(onFirst.client)),
      ),
      during(
        replacing,
        50,
        counted(2, async () => await read(onSecond)),
      ),
      during(
        replacing,
        300,
        counted(3, async () => {
          await onSecond.post(`/projects/${id}/chat`, { content: 'Which rules?' });
          await idle(onSecond, id);
        }),
      ),
    ]);

    expect([...seen].sort()).toEqual(['A', 'B', 'D']);
    expect(Math.min(...rounds)).toBeGreaterThan(3);
    expect(configurations.length).toBeGreaterThan(3);
    for (const { instructions, letter, files } of configurations) {
      expect({ instructions, letter, files }).toEqual({ instructions: 'Instructions', letter, files: SETS[letter] });
    }
    expect((await onFirst.client.get<ProjectSkillDetail>(path)).files).toEqual(B);
  }, 120_000);

  it('is copied to projects as a complete set if it belongs to the deployment', async () => {
    const { handle } = await makeDeployment(onFirst.client, { skills: { rules: A, more: A } });
    const { id } = await makeProject(onFirst.client, { from_deployment: handle });
    const replacing = times(30, async (index) => {
      await onFirst.client.put(`/deployments/${handle}/skills/rules`, { files: index % 2 === 0 ? B : A });
    });
    const seen = new Set<string>();
    await during(replacing, 20, async () => {
      await onSecond.post(`/projects/${id}/agent-config/pull`, {});
      const skill = await onFirst.client.get<ProjectSkillDetail>(`/projects/${id}/skills/rules`);
      const { scope, files, description: letter } = skill;
      expect({ scope, files }).toEqual({ scope: 'deployment', files: SETS[letter] });
      seen.add(letter);
    });
    expect([...seen].sort()).toEqual(['A', 'B']);
    await onSecond.post(`/projects/${id}/agent-config/pull`, {});
    const { config_digest } = await onSecond.get<ProjectResponse>(`/projects/${id}`);
    expect((await onFirst.client.get<DeploymentResponse>(`/deployments/${handle}`)).config_digest).toBe(config_digest);
  }, 60_000);
});
