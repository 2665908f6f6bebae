import { beforeAll, describe, expect, it } from '@jest/globals';
import { FileTreeReaderService } from '../../../src/files/tree/file-tree-reader.service.js';
import type { EffectiveSkill } from '../../../src/skills/skill.js';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { eventually } from '../../support/eventually.js';
import { Gate, type Script, useScriptedService } from '../../support/scripted-agent.js';
import type { Session } from '../../support/session.js';

let session: Session;
let gate: Gate;
let started = 0;
const seen: unknown[] = [];

/** Returns the current contents of a mounted skill's files, by path. */
async function textsOf({ files }: EffectiveSkill): Promise<Record<string, string>> {
  const texts = await service.app.get(FileTreeReaderService).readTexts([...files.values()]);
  return Object.fromEntries(Array.from(files, ([path, file]) => [path, texts.get(file.path) ?? '']));
}

/** Records the mounted configuration, waits at the gate, and only then reads the skill files. */
const script: Script = async function* ({ configuration: { instructions, skills } }) {
  started += 1;
  await gate.passed;
  const read = skills.map(async (skill) => {
    const { name, scope, shadows, description } = skill;
    const files = await textsOf(skill);
    return { name, scope, shadows, description, files };
  });
  seen.push({ instructions, skills: await Promise.all(read) });
  yield { type: 'text', text: 'Done.' };
};

const service = useScriptedService(script);

beforeAll(async () => {
  session = await service.session();
}, 60_000);

describe('a running turn', () => {
  it('keeps the instructions and skills it started with, even if they are replaced, deleted or pulled', async () => {
    const { client } = session;
    const skills = { alpha: { 'SKILL.md': 'Alpha.', 'a.txt': 'a' }, beta: { 'SKILL.md': 'Beta.' } };
    const { handle } = await makeDeployment(client, { instructions: 'First', skills });
    const { id } = await makeProject(client, { from_deployment: handle });
    const own = { 'SKILL.md': '---\ndescription: Mine\n---\n', 'notes/own.txt': 'own' };
    await client.put(`/projects/${id}/skills/beta`, { files: own });

    gate = new Gate();
    await client.post(`/projects/${id}/chat`, { content: 'One' });
    await eventually(
      () => Promise.resolve(started),
      (count) => count === 1,
      { until: 'the turn has started' },
    );
    await client.put(`/deployments/${handle}/instructions`, { content: 'Second' });
    await client.put(`/deployments/${handle}/skills/gamma`, { files: { 'SKILL.md': 'Gamma.' } });
    await client.delete(`/deployments/${handle}/skills/alpha`);
    await client.post(`/projects/${id}/agent-config/pull`, {});
    await client.put(`/projects/${id}/skills/beta`, { files: { 'SKILL.md': 'Replaced.' } });
    await client.delete(`/projects/${id}/skills/beta`);
    await client.delete(`/deployments/${handle}`);
    gate.open();
    await idle(client, id);
    await client.post(`/projects/${id}/chat`, { content: 'Two' });
    await idle(client, id);

    expect(seen).toEqual([
      {
        instructions: 'First',
        skills: [
          { name: 'alpha', scope: 'deployment', shadows: false, description: 'Alpha.', files: skills.alpha },
          { name: 'beta', scope: 'project', shadows: true, description: 'Mine', files: own },
        ],
      },
      {
        instructions: 'Second',
        skills: [
          { name: 'beta', scope: 'deployment', shadows: false, description: 'Beta.', files: skills.beta },
          {
            name: 'gamma',
            scope: 'deployment',
            shadows: false,
            description: 'Gamma.',
            files: { 'SKILL.md': 'Gamma.' },
          },
        ],
      },
    ]);
  });
});
