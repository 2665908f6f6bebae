import type { SkillTree, SkillOrigin } from './skill.js';

/*
 * A project's own skill shadows the skill with the same name in its deployment scope. The files of the two skills are never
 * combined: no file of the shadowed skill is visible.
 */

/** Returns the skill that a turn uses, or undefined if neither scope contains the skill. */
export function winner<Found extends SkillTree>(
  own: Found | undefined,
  deployment: Found | undefined,
): (Found & SkillOrigin) | undefined {
  if (own !== undefined) return { ...own, scope: 'project', shadows: deployment !== undefined };
  return deployment && { ...deployment, scope: 'deployment', shadows: false };
}

/** Returns all skills that a turn uses, sorted by name. */
export function winners<Found extends SkillTree>(
  own: readonly Found[],
  deployment: readonly Found[],
): (Found & SkillOrigin)[] {
  const ownByName = new Map(own.map((skill) => [skill.name, skill]));
  const deploymentByName = new Map(deployment.map((skill) => [skill.name, skill]));
  return [...new Set([...ownByName.keys(), ...deploymentByName.keys()])]
    .sort()
    .flatMap((name) => winner(ownByName.get(name), deploymentByName.get(name)) ?? []);
}
