import { Injectable } from '@nestjs/common';
import { SKILLS_FOLDER } from '../deployments/template.js';
import { BlobsService, type StoredBlob } from '../files/blobs.service.js';
import type { ContainerRef } from '../files/containers.service.js';
import { TreeReader } from '../files/tree-reader.service.js';
import { TreesService } from '../files/trees.service.js';
import { Database } from '../platform/database/database.js';
import { NotFound } from '../platform/errors/errors.js';
import { checkSkill, describeSkill, isSkillName, SKILL_FILE, type SkillFiles } from './skill-files.js';
import type { Skill } from './skill.js';

/** Skills as they lie in a tree, be it a deployment's, a project's deployment scope or a project's own. */
@Injectable()
export class SkillSetsService {
  constructor(
    private readonly database: Database,
    private readonly trees: TreesService,
    private readonly reader: TreeReader,
    private readonly blobs: BlobsService,
  ) {}

  /** All skills in a container by name, as one read sees them. */
  async list(container: ContainerRef): Promise<Skill[]> {
    const texts = await this.readBelow(container, SKILLS_FOLDER);
    const byName = new Map<string, Map<string, string>>();
    for (const [path, text] of texts) {
      const [name = '', ...rest] = path.split('/');
      if (rest.length === 0 || !isSkillName(name)) continue;
      const skill = byName.get(name) ?? new Map<string, string>();
      byName.set(name, skill.set(rest.join('/'), text));
    }
    return [...byName].flatMap(([name, files]) => toSkill(name, files) ?? []);
  }

  /** One skill, or undefined when the container has none of this name. */
  async find(container: ContainerRef, name: string): Promise<Skill | undefined> {
    return isSkillName(name) ? toSkill(name, await this.readBelow(container, folderOf(name))) : undefined;
  }

  /**
   * Creates a skill or replaces its whole file set, in one transaction.
   *
   * @throws Invalid when the set is not a skill of this name.
   */
  async put(container: ContainerRef, name: string, given: SkillFiles): Promise<Skill> {
    const files = checkSkill(name, given);
    const blobs = await this.blobs.storeAll(container.company_id, [...files.values()]);
    const stored = new Map([...files.keys()].map((path, index) => [path, blobs[index] as StoredBlob]));
    await this.database.transaction(async (tx) => {
      await this.trees.replaceDirectory(tx, container, folderOf(name), stored);
    });
    return { name, description: describeSkill(files.get(SKILL_FILE) ?? ''), files };
  }

  /** Removes a skill. @throws NotFound */
  async delete(container: ContainerRef, name: string): Promise<void> {
    if (!isSkillName(name)) throw new NotFound('Skill');
    await this.database.transaction(async (tx) => {
      const deleted = await this.trees.removeAll(tx, container, [folderOf(name)]);
      if (deleted === 0) throw new NotFound('Skill');
    });
  }

  /** Texts of all files below a folder, by path relative to it. */
  private async readBelow(container: ContainerRef, folder: string): Promise<Map<string, string>> {
    const texts = await this.reader.readTexts(await this.reader.filesBelow(container, folder));
    return new Map([...texts].map(([path, text]) => [path.slice(folder.length + 1), text]));
  }
}

const folderOf = (name: string): string => `${SKILLS_FOLDER}/${name}`;

/** A folder is a skill when it has a SKILL.md; one that came as a plain upload may have a faulty frontmatter. */
function toSkill(name: string, files: SkillFiles): Skill | undefined {
  const main = files.get(SKILL_FILE);
  return main === undefined ? undefined : { name, description: describeSkill(main), files };
}
