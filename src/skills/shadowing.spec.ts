import { describe, expect, it } from '@jest/globals';
import { winner, winners } from './shadowing.js';
import type { FoundSkill } from './skill.js';

const skill = (name: string): FoundSkill => ({ name, files: new Map() });
const [own, deployment] = [skill('shifts'), skill('shifts')];

describe('of two skills of one name', () => {
  it('wins the one of the project, and shadows the other', () => {
    const won = winner(own, deployment);
    expect(won).toMatchObject({ scope: 'project', shadows: true });
    expect(won?.files).toBe(own.files);
  });

  it('wins the only one', () => {
    expect(winner(own, undefined)).toMatchObject({ scope: 'project', shadows: false });
    expect(winner(undefined, deployment)).toMatchObject({ scope: 'deployment', shadows: false });
    expect(winner(undefined, undefined)).toBeUndefined();
  });
});

it('the skills of both scopes come by name, each name once', () => {
  const listed = winners([skill('b'), skill('c')], [skill('a'), skill('c')]);
  expect(listed.map(({ name, scope, shadows }) => [name, scope, shadows])).toEqual([
    ['a', 'deployment', false],
    ['b', 'project', false],
    ['c', 'project', true],
  ]);
});
