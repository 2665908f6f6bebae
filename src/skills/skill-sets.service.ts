import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { MAX_SKILLS, SKILLS_FOLDER } from '../deployments/template.js';
import { BlobsService, type StoredBlob } from '../files/blobs/blobs.service.js';
import { decodeTextLoosely } from '../files/blobs/content.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../database/database.service.js';
import { Invalid, invalidValue, NotFound } from '../common/errors/errors.js';
import { describeSkill, HEAD_BYTES } from './description.js';
import { folderOf, isSkillName, SKILL_FILE, type SkillFiles, skillsAmong } from './skill-files.js';
import type { DescribedSkill, SkillTree, Skill } from './skill.js';

/** Stored files of a skill, by path relative to its directory. */
export type StoredSkillFiles = ReadonlyMap<string, StoredBlob>;

const READ_AT_ONCE = 16;

/**
 * Reads and writes the skills in a tree, which belongs to a deployment, a project's deployment scope, or a project's own scope.
 */
@Injectable()
export class SkillSetsService {
  constructor(
    private readonly fileTree: FileTreeService,
    private readonly containers: ContainersService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
  ) {}

  /** Returns all skills in a container, sorted by name, from a single snapshot. */
  async list(container: ContainerRef, tx?: Tx): Promise<SkillTree[]> {
    return skillsAmong(await this.reader.filesBelow(container, SKILLS_FOLDER, tx));
  }

  /** Returns a skill from a single snapshot, or undefined if the container does not contain the skill. */
  async find(container: ContainerRef, name: string, tx?: Tx): Promise<SkillTree | undefined> {
    if (!isSkillName(name)) return undefined;
    const [skill] = skillsAmong(await this.reader.filesBelow(container, folderOf(name), tx));
    return skill;
  }

  /**
   * Returns a skill like {@link find}, and locks the container against other changes until the transaction ends.
   * @throws NotFound if the container was deleted
   */
  async findLocked(tx: Tx, container: ContainerRef, name: string): Promise<SkillTree | undefined> {
    await this.containers.lock(tx, container.company_id, container.container_id);
    return await this.find(container, name, tx);
  }

  /** Adds the descriptions of skills. Reads only the beginning of each SKILL.md. */
  async describe<Found extends SkillTree>(skills: readonly Found[]): Promise<(Found & DescribedSkill)[]> {
    const described: (Found & DescribedSkill)[] = [];
    for (let from = 0; from < skills.length; from += READ_AT_ONCE) {
      const some = skills.slice(from, from + READ_AT_ONCE);
      described.push(...(await Promise.all(some.map(async (skill) => await this.described(skill)))));
    }
    return described;
  }

  /**
   * Returns a whole skill, including the contents of its files.
   * @throws TooLarge for an uploaded skill that is too large, because uploads are not validated
   */
  async read({ name, files }: SkillTree): Promise<Skill> {
    const texts = await this.reader.readTexts([...files.values()]);
    const contents = new Map(Array.from(files, ([path, file]) => [path, texts.get(file.path) ?? '']));
    return { name, description: describeSkill(contents.get(SKILL_FILE) ?? ''), files: contents };
  }

  /** Stores the contents of a validated skill. Must be called before the transaction that replaces the skill. */
  async store(company_id: string, files: SkillFiles): Promise<StoredSkillFiles> {
    const blobs = await this.blobs.storeAll(company_id, [...files.values()]);
    return new Map([...files.keys()].map((path, index) => [path, blobs[index] as StoredBlob]));
  }

  /**
   * Creates a skill, or replaces all files of an existing skill.
   *
   * @throws Invalid if there are too many skills
   */
  async replace(tx: Tx, container: ContainerRef, name: string, files: StoredSkillFiles): Promise<void> {
    await this.fileTree.replaceDirectory(tx, container, folderOf(name), files);
    const { length } = await this.list(container, tx);
    if (length > MAX_SKILLS) {
      throw new Invalid([
        invalidValue(['path', 'skill'], `there can be at most ${MAX_SKILLS} skills, not ${length}`, name),
      ]);
    }
  }

  /**
   * Removes a skill.
   * @throws NotFound
   */
  async remove(tx: Tx, container: ContainerRef, name: string): Promise<void> {
    if (!isSkillName(name)) throw new NotFound('Skill');
    const removed = await this.fileTree.removeAll(tx, container, [`${folderOf(name)}/${SKILL_FILE}`]);
    if (removed === 0) throw new NotFound('Skill');
    await this.fileTree.removeAll(tx, container, [folderOf(name)]);
  }

  private async described<Found extends SkillTree>(skill: Found): Promise<Found & DescribedSkill> {
    const main = skill.files.get(SKILL_FILE);
    return { ...skill, description: main === undefined ? '' : describeSkill(await this.head(main)) };
  }

  private async head({ blob_id, size }: TreeFile): Promise<string> {
    const range = size > HEAD_BYTES ? { start: 0, end: HEAD_BYTES - 1 } : undefined;
    return decodeTextLoosely(await buffer(await this.blobs.stream(blob_id, range)));
  }
}
