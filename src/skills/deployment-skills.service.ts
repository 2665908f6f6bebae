import { Injectable } from '@nestjs/common';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import type { CompanyPrincipal } from '../auth/company-level.js';
import { DatabaseService } from '../database/database.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { NotFound } from '../common/errors/errors.js';
import { describeSkill } from './description.js';
import { checkSkill, SKILL_FILE, type SkillFiles } from './skill-files.js';
import { SkillSetsService } from './skill-sets.service.js';
import { type DescribedSkill, type Skill, skillTag } from './skill.js';

const setOf = ({ company_id, container_id }: Deployment): ContainerRef => ({ company_id, container_id });

/** Manages deployments' skills. Changes apply to a project only after it has pulled them. */
@Injectable()
export class DeploymentSkillsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly deployments: DeploymentsService,
    private readonly sets: SkillSetsService,
  ) {}

  /**
   * Returns all of a deployment's skills, sorted by name.
   * @throws NotFound
   */
  async list(company_id: string, deployment: string): Promise<DescribedSkill[]> {
    const set = setOf(await this.deployments.require(company_id, deployment));
    return await this.sets.describe(await this.sets.list(set));
  }

  /**
   * Returns a skill, unless the caller already has its current version.
   * @throws NotFound
   */
  async get(company_id: string, deployment: string, name: string, clientTags: ClientTags): Promise<Tagged<Skill>> {
    const skill = await this.sets.find(setOf(await this.deployments.require(company_id, deployment)), name);
    if (skill === undefined) throw new NotFound('Skill');
    const tag = skillTag(skill);
    return clientTags.has(tag) ? Tagged.unchanged(tag) : Tagged.of(tag, await this.sets.read(skill));
  }

  /**
   * Creates or replaces a skill.
   * @throws NotFound
   * @throws Invalid
   * @throws PreconditionFailed
   */
  async put(
    caller: CompanyPrincipal,
    deployment: string,
    name: string,
    input: SkillFiles,
    expected: ExpectedTags,
  ): Promise<Tagged<Skill>> {
    const files = checkSkill(name, input);
    const changed = await this.deployments.requireForWriting(caller, deployment);
    const stored = await this.sets.store(caller.company_id, files);
    await this.database.transaction(async (tx) => {
      await assertExpected(expected, async () => {
        const present = await this.sets.findLocked(tx, setOf(changed), name);
        return present && skillTag(present);
      });
      await this.sets.replace(tx, setOf(changed), name, stored);
      await this.deployments.touch(tx, changed);
    });
    const skill = { name, description: describeSkill(files.get(SKILL_FILE) ?? ''), files };
    return Tagged.of(skillTag({ name, files: stored }), skill);
  }

  /**
   * Deletes a skill.
   * @throws NotFound
   * @throws PreconditionFailed
   */
  async delete(caller: CompanyPrincipal, deployment: string, name: string, expected: ExpectedTags): Promise<void> {
    const changed = await this.deployments.requireForWriting(caller, deployment);
    await this.database.transaction(async (tx) => {
      await assertExpected(expected, async () => {
        const present = await this.sets.findLocked(tx, setOf(changed), name);
        if (present === undefined) throw new NotFound('Skill');
        return skillTag(present);
      });
      await this.sets.remove(tx, setOf(changed), name);
      await this.deployments.touch(tx, changed);
    });
  }
}
