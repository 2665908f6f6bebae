import { Injectable } from '@nestjs/common';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../database/database.service.js';
import { Invalid, invalidValue } from '../common/errors/errors.js';
import { AGENT_CONFIG_NAMES, configProblems } from './template.js';

/** Agent configuration to copy. */
export interface ConfigCopy {
  /** Container of a deployment. */
  from: ContainerRef;
  /** Deployment scope of a project. */
  to: ContainerRef;
  /** Subset of {@link AGENT_CONFIG_NAMES}. */
  names: readonly string[];
  /** Value of `from_deployment` in the request, for error messages. */
  requested: string | null;
}

/** Copies the contents of deployments into projects. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReaderService,
  ) {}

  /**
   * Replaces the named files and folders of the scope with the deployment's current content. Resolves with the number of copied
   * files and the digest of the whole scope.
   *
   * @throws Invalid if a project cannot use the configuration
   */
  async copyConfig(
    tx: Tx,
    { from, to, names, requested }: ConfigCopy,
  ): Promise<{ objects: number; config_digest: string }> {
    await this.fileTree.removeAll(tx, to, names);
    const objects = await this.fileTree.copy(tx, { from, to, only: names });
    // Checks the copy instead of the deployment, which may have changed in the meantime.
    const problems = configProblems(await this.reader.filesBelow(to, '', tx));
    if (problems.length > 0) {
      const loc = ['body', 'from_deployment'];
      throw new Invalid(
        problems.map((problem) => invalidValue(loc, `the deployment cannot be copied: ${problem}`, requested)),
      );
    }
    return { objects, config_digest: await this.digest(to, tx) };
  }

  /** Copies the template files into a workspace. Keeps existing files. Resolves with the number of copied files. */
  async copyFiles(tx: Tx, from: ContainerRef, workspace: ContainerRef): Promise<number> {
    return await this.fileTree.copy(tx, { from, to: workspace, except: AGENT_CONFIG_NAMES });
  }

  /** Returns a hash of the agent configuration in a container. A deployment and an up-to-date copy of it have the same hash. */
  async digest(container: ContainerRef, tx?: Tx): Promise<string> {
    return await this.reader.digest(container, AGENT_CONFIG_NAMES, tx);
  }
}
