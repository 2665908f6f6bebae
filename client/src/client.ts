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
 * Client for the service. `GET`, `POST`, `PUT`, `PATCH` and `DELETE` call any operation of `openapi.json` by its path. The
 * other methods combine several requests.
 *
 * Every call accepts a `signal`. Temporary failures are retried if repeating the request is safe.
 */
export class WorkspaceClient {
  readonly GET = this.createCall('get');
  readonly POST = this.createCall('post');
  readonly PUT = this.createCall('put');
  readonly PATCH = this.createCall('patch');
  readonly DELETE = this.createCall('delete');
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /**
   * Iterates over all items of a paginated listing. An item that exists throughout the iteration is returned exactly
   * once.
   *
   * @param options.params.query.limit number of items per page
   */
  list<Path extends ListPath>(
    path: Path,
    ...[options]: Record<never, never> extends ListOptions<Path>
      ? [options?: ListOptions<Path>]
      : [options: ListOptions<Path>]
  ): AsyncGenerator<ItemOf<Path>, void> {
    return listItems(this.transport, path, options ?? ({} as ListOptions<Path>));
  }

  /** Returns a conversation to post to, stop and follow. @param conversationId default: the project's default conversation */
  conversation(projectId: string, conversationId?: string): Conversation {
    return new Conversation(this.transport, projectId, conversationId);
  }

  /**
   * Uploads a file in parts, several at a time, and resends lost parts. Only the parts being sent are held in memory. In Node,
   * `fs.openAsBlob` creates a Blob from a file.
   *
   * To resume an upload, save the state passed to `onStart` and pass it as `resume`. Without `onStart` and `resume`, a failed
   * upload is aborted.
   *
   * @throws {@link FileChangedError} if the file differs from the upload's original file, {@link GoneError} if the upload has
   * expired
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
      // The service eventually expires the upload, and the caller only needs the original error.
      if (resume === undefined && onStart === undefined) void upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Returns a file as a Blob. An interrupted download continues where it stopped. To avoid holding a large file in memory, read
   * it from the URL that `POST /files/download` returns.
   */
  async download(file: Schemas['FileDownloadRequest'], options: DownloadOptions = {}): Promise<Blob> {
    return await download(this.transport, file, options);
  }

  /**
   * Starts an execution and waits until it has `succeeded`, `failed` or been `canceled`. `onChange` receives the execution as
   * soon as it is created, and again whenever its progress changes.
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

  /** Waits until an execution has ended. The execution may have been started by another client. */
  async waitForExecution(projectId: string, executionId: string, options: WaitOptions = {}): Promise<Execution> {
    return await waitForExecution(this.transport, projectId, executionId, options);
  }

  /**
   * Yields a project's events as they happen. Each event arrives once and in order, even across lost connections and service
   * restarts. A {@link Resync} means that the displayed data must be read again. Without `after`, the first item is a Resync.
   * Ends after `project.deleted`.
   *
   * @throws {@link ServiceError} if the stream cannot continue because the project was deleted or the caller has lost access
   */
  projectEvents(projectId: string, options: ProjectEventsOptions = {}): AsyncGenerator<ProjectEvent | Resync, void> {
    return projectEvents(this.transport, projectId, options);
  }

  private createCall<Method extends HttpMethod>(method: Method): Call<Method> {
    const call = async (path: string, options?: PlainCall): Promise<unknown> =>
      await this.transport.call(method, path, options);
    return call as Call<Method>;
  }
}
