import type { Config } from '../../src/config/config.js';
import { BlobsRepository } from '../../src/files/blobs/blobs.repository.js';
import { BlobsService } from '../../src/files/blobs/blobs.service.js';
import { ContainersRepository } from '../../src/files/tree/containers.repository.js';
import { ContainersService } from '../../src/files/tree/containers.service.js';
import { FileTreeRepository } from '../../src/files/tree/file-tree.repository.js';
import { TreeReader } from '../../src/files/tree/tree-reader.service.js';
import { TreesService } from '../../src/files/tree/trees.service.js';
import type { ObjectStore } from '../../src/platform/object-store/object-store.js';
import type { TestDatabase } from './database.js';

export interface FileServices {
  containers: ContainersService;
  trees: TreesService;
  reader: TreeReader;
  blobs: BlobsService;
}

/** The services of files on a database, without the application; what needs the store or the settings fails without them. */
export function fileServices({ database, source }: TestDatabase, store?: ObjectStore, config?: Config): FileServices {
  const containers = new ContainersService(new ContainersRepository(source));
  const tree = new FileTreeRepository(source);
  const blobs = new BlobsService(database, new BlobsRepository(source), store as ObjectStore, config as Config);
  return { containers, trees: new TreesService(containers, tree), reader: new TreeReader(tree, blobs), blobs };
}
