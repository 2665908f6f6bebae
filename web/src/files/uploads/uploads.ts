import {
  ConflictError,
  FileChangedError,
  GoneError,
  NotFoundError,
  type UploadState,
  type WorkspaceClient,
} from '@project-workspace/client';
import { useSyncExternalStore } from 'react';
import { saveInTab } from '../../service/save-in-tab';
import { useService } from '../../service/service';
import { joinPath, nameOf } from '../paths';
import type { FileToUpload } from './dropped-files';
import { freePath, isFile } from './free-path';

/** Maximum number of parallel uploads. Other uploads wait. */
const MAX_PARALLEL = 3;

/** Upload to the workspace. */
export interface UploadItem {
  key: number;
  name: string;
  /** Path in the workspace. */
  path: string;
  loaded: number;
  total: number;
  /** `asking` means that a file already exists at this path and that the user has not decided what to do. */
  state: 'waiting' | 'asking' | 'sending' | 'paused' | 'done' | 'failed';
  error: unknown;
}

/** Internal state of an upload. */
interface Job {
  file: File;
  /** Action if a file already exists at this path. */
  onExisting: 'ask' | 'replace' | 'keep both';
  /** Aborts the current transfer. */
  controller: AbortController | undefined;
  /** State for resuming the upload. */
  resumeState: UploadState | undefined;
}

/**
 * A project's uploads. They continue while the user visits another part of the project, until the user signs out or leaves the
 * page. Adding the same file again later resumes its upload.
 */
export class Uploads {
  private items: readonly UploadItem[] = [];
  private readonly jobs = new Map<number, Job>();
  private readonly listeners = new Set<() => void>();
  private readonly reservedPaths = new Set<string>();
  private count = 0;
  private running = 0;

  constructor(
    private readonly client: WorkspaceClient,
    private readonly projectId: string,
    private readonly signOutSignal: AbortSignal,
  ) {
    signOutSignal.addEventListener('abort', () => {
      for (const { path } of this.items) sessionStorage.removeItem(storageKey(projectId, path));
    });
  }

  readonly current = (): readonly UploadItem[] => this.items;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  add(files: readonly FileToUpload[], folder: string): void {
    const newItems = files.map(({ file, path }): UploadItem => {
      const key = (this.count += 1);
      const fullPath = joinPath(folder, path);
      const resumeState = storedState(this.projectId, fullPath, file);
      this.jobs.set(key, { file, onExisting: 'ask', controller: undefined, resumeState });
      return { key, name: nameOf(path), path: fullPath, loaded: 0, total: file.size, state: 'waiting', error: null };
    });
    this.setItems([...this.items, ...newItems]);
    this.sendWaiting();
  }

  /** Sets what to do with a file whose path is taken. */
  decide(key: number, onExisting: 'replace' | 'keep both'): void {
    const job = this.jobs.get(key);
    if (job === undefined) return;
    job.onExisting = onExisting;
    this.resume(key);
  }

  pause(key: number): void {
    this.change(key, { state: 'paused' });
    this.jobs.get(key)?.controller?.abort();
  }

  /** Resumes a paused or failed upload. */
  resume(key: number): void {
    this.change(key, { state: 'waiting', error: null });
    this.sendWaiting();
  }

  /** Removes an upload from the list. An incomplete upload is aborted. */
  remove(key: number): void {
    const job = this.jobs.get(key);
    const item = this.items.find((one) => one.key === key);
    this.jobs.delete(key);
    this.setItems(this.items.filter((one) => one.key !== key));
    if (job === undefined || item === undefined) return;
    job.controller?.abort();
    if (item.state !== 'done' && job.resumeState !== undefined) this.abortUpload(item.path, job.resumeState);
  }

  removeDone(): void {
    this.setItems(this.items.filter(({ state }) => state !== 'done'));
  }

  private abortUpload(path: string, { upload_token }: UploadState): void {
    sessionStorage.removeItem(storageKey(this.projectId, path));
    // If aborting fails, the service eventually expires the upload anyway.
    void this.client.POST('/api/v1/files/upload/abort', { body: { upload_token } }).catch(() => undefined);
  }

  private sendWaiting(): void {
    for (const { key, state } of this.items) {
      if (this.running >= MAX_PARALLEL) return;
      const job = this.jobs.get(key);
      if (state === 'waiting' && job !== undefined) void this.send(key, job);
    }
  }

  private async send(key: number, job: Job): Promise<void> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, this.signOutSignal]);
    job.controller = controller;
    this.change(key, { state: 'sending' });
    if ((this.running += 1) === 1) addEventListener('beforeunload', confirmLeave);
    try {
      const path = await this.resolvePath(key, job, signal);
      if (path === undefined) this.change(key, { state: 'asking' });
      else await this.uploadTo(path, key, job, signal);
    } catch (error) {
      if (!signal.aborted) this.change(key, { state: 'failed', error });
    } finally {
      if ((this.running -= 1) === 0) removeEventListener('beforeunload', confirmLeave);
      if (!this.signOutSignal.aborted) this.sendWaiting();
    }
  }

  /** Returns the path for a file. Returns undefined if the user must decide what to do. */
  private async resolvePath(key: number, job: Job, signal: AbortSignal): Promise<string | undefined> {
    const requestedPath = this.items.find((item) => item.key === key)?.path ?? '';
    if (job.onExisting === 'replace') return requestedPath;
    if (job.onExisting === 'keep both') {
      const path = await freePath(this.client, this.projectId, requestedPath, this.reservedPaths, signal);
      this.change(key, { path, name: nameOf(path) });
      // The path is now reserved for this upload and cannot conflict again.
      job.onExisting = 'replace';
      return path;
    }
    return (await isFile(this.client, this.projectId, requestedPath, signal)) ? undefined : requestedPath;
  }

  private async uploadTo(path: string, key: number, job: Job, signal: AbortSignal): Promise<void> {
    const target = { source: 'workspace', project_id: this.projectId, path } as const;
    const stateKey = storageKey(this.projectId, path);
    const onStart = (state: UploadState): void => {
      job.resumeState = state;
      saveInTab(stateKey, state);
    };
    const onProgress = ({ loaded }: { loaded: number }): void => this.change(key, { loaded });
    try {
      await this.client.upload(job.file, target, { signal, onStart, onProgress, resume: job.resumeState });
    } catch (error) {
      if (job.resumeState === undefined || signal.aborted || !isNotResumable(error)) throw error;
      job.resumeState = undefined;
      await this.client.upload(job.file, target, { signal, onStart, onProgress });
    }
    sessionStorage.removeItem(stateKey);
    // A completed upload cannot be resumed.
    this.jobs.delete(key);
    this.change(key, { state: 'done', loaded: job.file.size });
  }

  private change(key: number, part: Partial<UploadItem>): void {
    this.setItems(this.items.map((item) => (item.key === key ? { ...item, ...part } : item)));
  }

  private setItems(items: readonly UploadItem[]): void {
    this.items = items;
    for (const listener of this.listeners) listener();
  }
}

/** Whether an upload can no longer be resumed. */
const isNotResumable = (error: unknown): boolean =>
  error instanceof GoneError ||
  error instanceof FileChangedError ||
  (error instanceof NotFoundError && error.code === 'upload_not_found') ||
  (error instanceof ConflictError && error.code === 'upload_aborted');

/** Makes the browser ask for confirmation before the user leaves the page. */
const confirmLeave = (event: Event): void => event.preventDefault();

/** Storage key for the state of an upload. The state is as secret as the token, and both are kept in `sessionStorage`. */
const storageKey = (projectId: string, path: string): string => `upload ${projectId} ${path}`;

/** Returns the saved state of an earlier upload of the same file to the same path. */
function storedState(projectId: string, path: string, { size, lastModified }: File): UploadState | undefined {
  const stored = sessionStorage.getItem(storageKey(projectId, path));
  if (stored === null) return undefined;
  const state = JSON.parse(stored) as UploadState;
  return state.size === size && state.last_modified === lastModified ? state : undefined;
}

const uploadsByClient = new WeakMap<WorkspaceClient, Map<string, Uploads>>();

/** Returns a project's uploads. They include uploads that were started before this part of the project was opened. */
export function useUploads(projectId: string): { uploads: Uploads; items: readonly UploadItem[] } {
  const { client, signOutSignal } = useService();
  const uploadsByProject = uploadsByClient.get(client) ?? new Map<string, Uploads>();
  uploadsByClient.set(client, uploadsByProject);
  const uploads = uploadsByProject.get(projectId) ?? new Uploads(client, projectId, signOutSignal);
  uploadsByProject.set(projectId, uploads);
  return { uploads, items: useSyncExternalStore(uploads.subscribe, uploads.current) };
}
