import type { Call, HttpMethod } from './calls.js';
import { Conversation } from './conversation.js';
import { download, type DownloadOptions } from './download.js';
import { type Execution, waitForExecution, type WaitOptions } from './executions.js';
import { type ItemOf, listItems, type ListOptions, type ListPath } from './listing.js';
import { projectEvents, type ProjectEventsOptions, type Resync } from './project-events.js';
import type { ProjectEvent, Schemas } from './schemas.js';
import { type PlainCall, Transport, type TransportOptions } from './transport.js';
import { Upload, type UploadOptions, type UploadTarget } from './upload.js';

export type ClientOptions = TransportOptions;

/**
 * A client of the service. `GET`, `POST`, `PUT`, `PATCH` and `DELETE` call any operation of `openapi.json` by its path; the other
 * methods do what takes more than one request.
 *
 * Every call takes a `signal`. Failures that pass are waited out and sent again, where doing it twice does no harm.
 */
export class WorkspaceClient {
  readonly GET = this.calling('get');
  readonly POST = this.calling('post');
  readonly PUT = this.calling('put');
  readonly PATCH = this.calling('patch');
  readonly DELETE = this.calling('delete');
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /**
   * Iterates over all items of a listing that has cursors, page by page. Items that exist throughout come exactly once.
   *
   * @param options.params.query.limit number of items in a page
   */
  list<Path extends ListPath>(
    path: Path,
    ...[options]: Record<never, never> extends ListOptions<Path>
      ? [options?: ListOptions<Path>]
      : [options: ListOptions<Path>]
  ): AsyncGenerator<ItemOf<Path>, void> {
    return listItems(this.transport, path, options ?? ({} as ListOptions<Path>));
  }

  /** A conversation: to post, to stop and to follow. @param conversationId absent: the project's default conversation */
  conversation(projectId: string, conversationId?: string): Conversation {
    return new Conversation(this.transport, projectId, conversationId);
  }

  /**
   * Uploads a file in parts, several at a time; a part that was lost is sent again. In memory are no more than the parts that
   * are on their way. In Node, `fs.openAsBlob` makes a Blob of a file.
   *
   * Whoever has kept the state that `onStart` gives can go on with `resume`. An upload whose state nobody wanted is aborted when
   * it fails.
   *
   * @throws {@link FileChangedError} when the file is not the one whose upload was begun, {@link GoneError} when that has expired
   */
  async upload(file: Blob, target: UploadTarget, options: UploadOptions = {}): Promise<Schemas['FileEntry']> {
    const { resume, onStart } = options;
    const upload =
      resume === undefined
        ? await Upload.start(this.transport, file, target, options)
        : Upload.resume(this.transport, file, target, { ...options, resume });
    try {
      return await upload.finish();
    } catch (error) {
      // The service forgets it by itself in the end; what matters to the caller is why it has failed.
      if (resume === undefined && onStart === undefined) void upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /**
   * A file as a Blob. What was lost on its way is read on from where it broke off. Files that should not be in memory are better
   * read from the URL that `POST /files/download` gives.
   */
  async download(file: Schemas['FileDownloadRequest'], options: DownloadOptions = {}): Promise<Blob> {
    return await download(this.transport, file, options);
  }

  /**
   * Starts an execution and waits until it is over: `succeeded`, `failed` or `canceled`. `onChange` is told of its progress, and of
   * its id at once.
   */
  async solve(
    projectId: string,
    request: Schemas['ExecutionCreateRequest'] = {},
    options: WaitOptions = {},
  ): Promise<Execution> {
    const { data } = await this.POST('/api/v1/projects/{project_id}/solve/executions', {
      params: { path: { project_id: projectId } },
      body: request,
      signal: options.signal,
    });
    return await this.waitForExecution(projectId, data.id, options);
  }

  /** Waits until an execution is over, whoever has started it. */
  async waitForExecution(projectId: string, executionId: string, options: WaitOptions = {}): Promise<Execution> {
    return await waitForExecution(this.transport, projectId, executionId, options);
  }

  /**
   * What happens in a project, as it happens: each event once, in order, over lost connections and restarts. A {@link Resync}
   * says that what is shown has to be read again; without `after`, the first thing is one. It ends after `project.deleted`.
   *
   * @throws {@link ServiceError} when it cannot go on: the project is gone, or the caller may not see it any more
   */
  projectEvents(projectId: string, options: ProjectEventsOptions = {}): AsyncGenerator<ProjectEvent | Resync, void> {
    return projectEvents(this.transport, projectId, options);
  }

  private calling<Method extends HttpMethod>(method: Method): Call<Method> {
    const call = async (path: string, options?: PlainCall): Promise<unknown> =>
      await this.transport.call(method, path, options);
    return call as Call<Method>;
  }
}
