import { Injectable } from '@nestjs/common';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../database/database.service.js';
import { Invalid, invalidValue } from '../common/errors/errors.js';
import { AGENT_CONFIG_NAMES, configProblems } from './template.js';

/** The agent configuration to copy. */
export interface ConfigCopy {
  /** A deployment's container. */
  from: ContainerRef;
  /** The deployment scope of a project. */
  to: ContainerRef;
  /** Which of {@link AGENT_CONFIG_NAMES}. */
  names: readonly string[];
  /** `from_deployment` as the request has it. */
  requested: string | null;
}

/** Copies what deployments hold into projects. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReaderService,
  ) {}

  /**
   * Replaces the named kinds of configuration by what the deployment has of them at this moment. Resolves with the number
   * of files copied and the digest of all that the scope holds now.
   *
   * @throws Invalid when the configuration is more than a project can have
   */
  async copyConfig(
    tx: Tx,
    { from, to, names, requested }: ConfigCopy,
  ): Promise<{ objects: number; config_digest: string }> {
    await this.fileTree.removeAll(tx, to, names);
    const objects = await this.fileTree.copy(tx, { from, to, only: names });
    // The copy is looked at, not the deployment: that may have changed since.
    const problems = configProblems(await this.reader.filesBelow(to, '', tx));
    if (problems.length > 0) {
      const loc = ['body', 'from_deployment'];
      throw new Invalid(
        problems.map((problem) => invalidValue(loc, `the deployment cannot be copied: ${problem}`, requested)),
      );
    }
    return { objects, config_digest: await this.digest(to, tx) };
  }

  /** Copies the template files into a workspace, where existing files stay; resolves with the number of files. */
  async copyFiles(tx: Tx, from: ContainerRef, workspace: ContainerRef): Promise<number> {
    return await this.fileTree.copy(tx, { from, to: workspace, except: AGENT_CONFIG_NAMES });
  }

  /** A hash of the agent configuration in a container; equal for a deployment and for an up-to-date copy of it. */
  async digest(container: ContainerRef, tx?: Tx): Promise<string> {
    return await this.reader.digest(container, AGENT_CONFIG_NAMES, tx);
  }
}
