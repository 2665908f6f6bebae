import { nextPage, walkStart } from '../common/listing/cursor.js';
import { CURSOR } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { Rule } from '../common/validation/field.js';
import { pathProblem } from '../../packages/paths/index.js';
import { contentTypeByName } from './blobs/content-type.js';
import { ContainerRequest, type FileSource, NamesContainer, PathField, pathsValid } from './container-request.js';
import type { EntryPlace, ListedFile, TreeFile, TreePage } from './tree/tree-file.js';

/** Maximum number of items in a batch. */
const MAX_BATCH = 1000;

/** File in a container. */
export class FileEntry {
  @StringField({ example: 'inputs/demand.csv' })
  path!: string;

  @IntegerField({ description: 'Size in bytes' })
  size!: number;

  @StringField({
    optional: true,
    nullable: true,
    description: 'Media type as uploaded, otherwise derived from the extension',
    example: 'text/csv',
  })
  content_type?: string | null;

  @DateTimeField({ optional: true, nullable: true, description: 'Time of the last change to the content' })
  modified?: Date | string | null;

  @StringField({
    optional: true,
    nullable: true,
    description: 'Origin of a workspace file: `upload`, `agent`, `execution` or `deployment`; null elsewhere',
  })
  source?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    extension: true,
    description: 'Id of a workspace file, unchanged when the file is moved or its content is replaced; null elsewhere',
  })
  id?: string | null;

  static from(
    source: FileSource,
    { path, size, content_type, modified, source: origin, file_id }: TreeFile | ListedFile,
  ): FileEntry {
    const workspace = source === 'workspace';
    return {
      path,
      size,
      content_type: (workspace ? content_type : null) ?? contentTypeByName(path),
      modified,
      source: workspace ? origin : null,
      id: workspace ? file_id : null,
    };
  }
}

@NamesContainer()
export class MkdirRequest extends ContainerRequest {
  @StringField({
    check: (path) => pathProblem(path, { root: true }),
    description: 'Path of the directory. Missing parents are also created',
    example: 'inputs',
  })
  path!: string;
}

export class MkdirResponse {
  @BooleanField({ description: 'True if this call created the directory' })
  created!: boolean;

  @StringField()
  path!: string;
}

@NamesContainer()
export class FileContentRequest extends ContainerRequest {
  @PathField('File to read')
  path!: string;
}

/** Requested encoding of file content. */
export class FileContentQuery {
  @EnumField(['text'], {
    optional: true,
    extension: true,
    description: 'With `text`, returns the text in PDF, DOCX and XLSX files. Has no effect on other files',
  })
  as?: 'text';
}

/** Content of a file, as text if it is UTF-8, otherwise as base64. */
export class FileContentResponse {
  @StringField({ optional: true, nullable: true, description: 'Null if the content is not text' })
  text?: string | null;

  @StringField({ optional: true, nullable: true, description: 'Null if the content is text' })
  base64?: string | null;

  @StringField({ optional: true, nullable: true })
  content_type?: string | null;
}

@NamesContainer()
export class FileDeleteRequest extends ContainerRequest {
  @PathField('File or directory to delete')
  path!: string;

  @BooleanField({ optional: true, description: 'Required for a non-empty directory' })
  recursive?: boolean;

  @StringField({
    optional: true,
    nullable: true,
    description: 'Conversation in the project. Its next turn informs the agent of the change',
  })
  conversation_id?: string | null;
}

export class DeleteResponse {
  @IntegerField({ description: 'Number of files and explicitly created directories' })
  deleted!: number;
}

export class MovePair {
  @PathField('File or directory to move')
  source_path!: string;

  @PathField('New path')
  dest_path!: string;
}

@NamesContainer()
export class BatchMoveRequest extends ContainerRequest {
  @ObjectArrayField(() => MovePair, {
    maxItems: MAX_BATCH,
    description: 'Moves to make, in order. A failed move does not affect the others',
  })
  moves!: MovePair[];
}

/** Move that failed in a batch. */
export class BatchMoveError {
  @StringField()
  error!: string;

  @StringField()
  source_path!: string;
}

export class BatchMoveResponse {
  @IntegerField({ description: 'Number of successful moves' })
  moved!: number;

  @ObjectArrayField(() => BatchMoveError, { optional: true })
  errors?: BatchMoveError[];
}

@Rule(pathsValid)
@NamesContainer()
export class BatchDeleteRequest extends ContainerRequest {
  @StringArrayField({
    optional: true,
    maxItems: MAX_BATCH,
    description: 'Directories are deleted with their contents; missing paths are skipped',
  })
  paths?: string[];
}

@NamesContainer()
export class FileListRequest extends ContainerRequest {
  @StringField({
    default: '',
    check: (path) => pathProblem(path, { root: true }),
    description: 'Directory to list; empty for the root',
  })
  path!: string;

  @BooleanField({ default: false, description: 'Whether to list all levels below the directory' })
  recursive!: boolean;

  @IntegerField({ default: 50, minimum: 1, maximum: 1000 })
  limit!: number;

  @IntegerField({ default: 0, minimum: 0 })
  offset!: number;

  @StringField(CURSOR)
  cursor?: string;

  /** Returns the entry after which the page begins, or undefined without a cursor. @throws Invalid at the cursor */
  static afterOf(request: FileListRequest): EntryPlace | undefined {
    const start = walkStart('files', request, (key) => ENTRY.test(key) && !key.includes('\0'), 'body');
    if (start == null) return start === null ? ['', ''] : undefined;
    const [kind, path] = start.startsWith('file/')
      ? (['file', start.slice(5)] as const)
      : (['directory', start.slice(10)] as const);
    return [kind, path];
  }
}

/** Kind and path of an entry in a cursor. */
const ENTRY = /^(?:file|directory)\/./s;

/** Page of a directory listing. Directories come first, then files, each ordered by the bytes of their paths. */
export class FileListResponse extends WalkResponse {
  @ObjectArrayField(() => FileEntry)
  entries!: FileEntry[];

  @StringArrayField({ description: 'Paths of directories' })
  directories!: string[];

  @IntegerField({ description: 'Number of directories and files' })
  override total!: number;

  static from({ files, directories, total }: TreePage, path: string, request: FileListRequest): FileListResponse {
    const { source, limit, offset } = request;
    const inside = (of: string): string => (path === '' ? of : of.slice(path.length + 1));
    const keys = [
      ...directories.map((directory) => `directory/${inside(directory)}`),
      ...files.map((file) => `file/${inside(file.path)}`),
    ];
    const entries = files.map((file) => FileEntry.from(source, file));
    return { entries, directories, limit, offset, total, ...nextPage('files', request, keys) };
  }
}

export class FileDownloadRequest extends FileContentRequest {}

export class FileDownloadResponse {
  @StringField({ description: 'For `GET`; supports range requests' })
  url!: string;

  @DateTimeField()
  expires_at!: Date;
}
