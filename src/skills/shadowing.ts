import type { FoundSkill, SkillOrigin } from './skill.js';

/*
 * Which skill wins: a project's own skill shadows the one of the same name in its deployment scope, whole skill by whole
 * skill. No file of the shadowed one is seen.
 */

/** The skill of one name that a turn works with; undefined when neither scope has it. */
export function winner<Found extends FoundSkill>(
  own: Found | undefined,
  deployment: Found | undefined,
): (Found & SkillOrigin) | undefined {
  if (own !== undefined) return { ...own, scope: 'project', shadows: deployment !== undefined };
  return deployment && { ...deployment, scope: 'deployment', shadows: false };
}

/** All skills that a turn works with, by name. */
export function winners<Found extends FoundSkill>(
  own: readonly Found[],
  deployment: readonly Found[],
): (Found & SkillOrigin)[] {
  const ownByName = new Map(own.map((skill) => [skill.name, skill]));
  const deploymentByName = new Map(deployment.map((skill) => [skill.name, skill]));
  return [...new Set([...ownByName.keys(), ...deploymentByName.keys()])]
    .sort()
    .flatMap((name) => winner(ownByName.get(name), deploymentByName.get(name)) ?? []);
}
