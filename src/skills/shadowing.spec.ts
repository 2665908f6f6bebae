import { describe, expect, it } from '@jest/globals';
import { winner, winners } from './shadowing.js';
import type { SkillTree } from './skill.js';

const skill = (name: string): SkillTree => ({ name, files: new Map() });
const [own, deployment] = [skill('shifts'), skill('shifts')];

describe('winner', () => {
  it('prefers the project skill and reports that it shadows the deployment skill', () => {
    const won = winner(own, deployment);
    expect(won).toMatchObject({ scope: 'project', shadows: true });
    expect(won?.files).toBe(own.files);
  });

  it('does not mark a skill as shadowing if it exists in only one scope', () => {
    expect(winner(own, undefined)).toMatchObject({ scope: 'project', shadows: false });
    expect(winner(undefined, deployment)).toMatchObject({ scope: 'deployment', shadows: false });
    expect(winner(undefined, undefined)).toBeUndefined();
  });
});

it('lists the skills of both scopes by name, without duplicates', () => {
  const listed = winners([skill('b'), skill('c')], [skill('a'), skill('c')]);
  expect(listed.map(({ name, scope, shadows }) => [name, scope, shadows])).toEqual([
    ['a', 'deployment', false],
    ['b', 'project', false],
    ['c', 'project', true],
  ]);
});
