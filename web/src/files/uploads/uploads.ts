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
import { joined, nameOf } from '../paths';
import type { GivenFile } from './dropped-files';
import { freePath, isFile } from './free-path';

/** Maximum number of parallel uploads. Other uploads wait. */
const AT_ONCE = 3;

/** Upload to the workspace. */
export interface UploadItem {
  key: number;
  name: string;
  /** Path in the workspace. */
  path: string;
  loaded: number;
  total: number;
  /** `asking`: a file exists at this path, and the user has not decided what to do. */
  state: 'waiting' | 'asking' | 'sending' | 'paused' | 'done' | 'failed';
  error: unknown;
}

/** Internal state of an upload. */
interface Job {
  file: File;
  /** Action if a file already exists at this path. */
  whenThere: 'ask' | 'replace' | 'keep both';
  /** Aborts the current transfer. */
  work: AbortController | undefined;
  /** State for resuming the upload. */
  begun: UploadState | undefined;
}

/**
 * Uploads of a project. They continue while another part of the project is open, until the user signs out or leaves the page.
 * Adding the same file again later resumes its upload.
 */
export class Uploads {
  private items: readonly UploadItem[] = [];
  private readonly jobs = new Map<number, Job>();
  private readonly listeners = new Set<() => void>();
  private readonly taken = new Set<string>();
  private count = 0;
  private running = 0;

  constructor(
    private readonly client: WorkspaceClient,
    private readonly projectId: string,
    private readonly signedOut: AbortSignal,
  ) {
    signedOut.addEventListener('abort', () => {
      for (const { path } of this.items) sessionStorage.removeItem(storageKey(projectId, path));
    });
  }

  readonly current = (): readonly UploadItem[] => this.items;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  add(given: readonly GivenFile[], folder: string): void {
    const added = given.map(({ file, path }): UploadItem => {
      const key = (this.count += 1);
      const whole = joined(folder, path);
      const begun = keptState(this.projectId, whole, file);
      this.jobs.set(key, { file, whenThere: 'ask', work: undefined, begun });
      return { key, name: nameOf(path), path: whole, loaded: 0, total: file.size, state: 'waiting', error: null };
    });
    this.show([...this.items, ...added]);
    this.sendWaiting();
  }

  /** Sets the action for a file whose path is taken. */
  decide(key: number, whenThere: 'replace' | 'keep both'): void {
    const job = this.jobs.get(key);
    if (job === undefined) return;
    job.whenThere = whenThere;
    this.goOn(key);
  }

  pause(key: number): void {
    this.change(key, { state: 'paused' });
    this.jobs.get(key)?.work?.abort();
  }

  /** Resumes a paused or failed upload. */
  goOn(key: number): void {
    this.change(key, { state: 'waiting', error: null });
    this.sendWaiting();
  }

  /** Removes an upload from the list. An incomplete upload is aborted. */
  remove(key: number): void {
    const job = this.jobs.get(key);
    const item = this.items.find((one) => one.key === key);
    this.jobs.delete(key);
    this.show(this.items.filter((one) => one.key !== key));
    if (job === undefined || item === undefined) return;
    job.work?.abort();
    if (item.state !== 'done' && job.begun !== undefined) this.giveUp(item.path, job.begun);
  }

  removeDone(): void {
    this.show(this.items.filter(({ state }) => state !== 'done'));
  }

  private giveUp(path: string, { upload_token }: UploadState): void {
    sessionStorage.removeItem(storageKey(this.projectId, path));
    // The service eventually expires the upload.
    void this.client.POST('/api/v1/files/upload/abort', { body: { upload_token } }).catch(() => undefined);
  }

  private sendWaiting(): void {
    for (const { key, state } of this.items) {
      if (this.running >= AT_ONCE) return;
      const job = this.jobs.get(key);
      if (state === 'waiting' && job !== undefined) void this.send(key, job);
    }
  }

  private async send(key: number, job: Job): Promise<void> {
    const work = new AbortController();
    const signal = AbortSignal.any([work.signal, this.signedOut]);
    job.work = work;
    this.change(key, { state: 'sending' });
    if ((this.running += 1) === 1) addEventListener('beforeunload', askFirst);
    try {
      const path = await this.placeOf(key, job, signal);
      if (path === undefined) this.change(key, { state: 'asking' });
      else await this.sendTo(path, key, job, signal);
    } catch (error) {
      if (!signal.aborted) this.change(key, { state: 'failed', error });
    } finally {
      if ((this.running -= 1) === 0) removeEventListener('beforeunload', askFirst);
      if (!this.signedOut.aborted) this.sendWaiting();
    }
  }

  /** Returns the path for a file, or undefined if the user has to decide. */
  private async placeOf(key: number, job: Job, signal: AbortSignal): Promise<string | undefined> {
    const wanted = this.items.find((item) => item.key === key)?.path ?? '';
    if (job.whenThere === 'replace') return wanted;
    if (job.whenThere === 'keep both') {
      const path = await freePath(this.client, this.projectId, wanted, this.taken, signal);
      this.change(key, { path, name: nameOf(path) });
      // The path is now reserved for this upload.
      job.whenThere = 'replace';
      return path;
    }
    return (await isFile(this.client, this.projectId, wanted, signal)) ? undefined : wanted;
  }

  private async sendTo(path: string, key: number, job: Job, signal: AbortSignal): Promise<void> {
    const place = { source: 'workspace', project_id: this.projectId, path } as const;
    const kept = storageKey(this.projectId, path);
    const onStart = (state: UploadState): void => {
      job.begun = state;
      saveInTab(kept, state);
    };
    const onProgress = ({ loaded }: { loaded: number }): void => this.change(key, { loaded });
    try {
      await this.client.upload(job.file, place, { signal, onStart, onProgress, resume: job.begun });
    } catch (error) {
      if (job.begun === undefined || signal.aborted || !isOver(error)) throw error;
      job.begun = undefined;
      await this.client.upload(job.file, place, { signal, onStart, onProgress });
    }
    sessionStorage.removeItem(kept);
    // A completed upload cannot be resumed.
    this.jobs.delete(key);
    this.change(key, { state: 'done', loaded: job.file.size });
  }

  private change(key: number, part: Partial<UploadItem>): void {
    this.show(this.items.map((item) => (item.key === key ? { ...item, ...part } : item)));
  }

  private show(items: readonly UploadItem[]): void {
    this.items = items;
    for (const listener of this.listeners) listener();
  }
}

/** Whether an upload can no longer be resumed. */
const isOver = (error: unknown): boolean =>
  error instanceof GoneError ||
  error instanceof FileChangedError ||
  (error instanceof NotFoundError && error.code === 'upload_not_found') ||
  (error instanceof ConflictError && error.code === 'upload_aborted');

/** Makes the browser ask before the user leaves the page. */
const askFirst = (event: Event): void => event.preventDefault();

/** Storage key of an upload's state, which is as secret as the token. Both are kept in `sessionStorage`. */
const storageKey = (projectId: string, path: string): string => `upload ${projectId} ${path}`;

/** Returns the saved state of an earlier upload of the same file to the same path. */
function keptState(projectId: string, path: string, { size, lastModified }: File): UploadState | undefined {
  const kept = sessionStorage.getItem(storageKey(projectId, path));
  if (kept === null) return undefined;
  const state = JSON.parse(kept) as UploadState;
  return state.size === size && state.last_modified === lastModified ? state : undefined;
}

const known = new WeakMap<WorkspaceClient, Map<string, Uploads>>();

/** Returns the uploads of a project, including uploads from before this part was opened. */
export function useUploads(projectId: string): { uploads: Uploads; items: readonly UploadItem[] } {
  const { client, signOutSignal: signedOut } = useService();
  const ofClient = known.get(client) ?? new Map<string, Uploads>();
  known.set(client, ofClient);
  const uploads = ofClient.get(projectId) ?? new Uploads(client, projectId, signedOut);
  ofClient.set(projectId, uploads);
  return { uploads, items: useSyncExternalStore(uploads.subscribe, uploads.current) };
}
