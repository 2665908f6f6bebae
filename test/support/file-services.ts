import type { Config } from '../../src/config/config.js';
import { BlobsRepository } from '../../src/files/blobs/blobs.repository.js';
import { BlobsService } from '../../src/files/blobs/blobs.service.js';
import { ContainersRepository } from '../../src/files/tree/containers.repository.js';
import { ContainersService } from '../../src/files/tree/containers.service.js';
import { FileTreeRepository } from '../../src/files/tree/file-tree.repository.js';
import { FileTreeReaderService } from '../../src/files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../../src/files/tree/file-tree.service.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import type { TestDatabase } from './database.js';

export interface FileServices {
  containers: ContainersService;
  trees: FileTreeService;
  reader: FileTreeReaderService;
  blobs: BlobsService;
}

/**
 * Builds the file services for a database, without the application. Methods that need the store or the settings fail if
 * these are not provided.
 */
export function fileServices({ database, source }: TestDatabase, store?: ObjectStore, config?: Config): FileServices {
  const containers = new ContainersService(new ContainersRepository(source));
  const tree = new FileTreeRepository(source);
  const blobs = new BlobsService(database, new BlobsRepository(source), store as ObjectStore, config as Config);
  return {
    containers,
    trees: new FileTreeService(containers, tree),
    reader: new FileTreeReaderService(tree, blobs),
    blobs,
  };
}
