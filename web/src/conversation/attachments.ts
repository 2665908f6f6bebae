import { useEffect, useRef, useState } from 'react';
import { freePath } from '../files/uploads/free-path';
import { useService } from '../service/service';

/** Maximum number of parallel uploads. */
const MAX_PARALLEL = 3;
/** Folder for files dropped into the conversation. */
const FOLDER = 'uploads';

/** File that is being uploaded, or was uploaded, to the workspace. */
export interface Attachment {
  key: number;
  name: string;
  /** Path in the workspace, once known. */
  path: string | undefined;
  loaded: number;
  total: number;
  isDone: boolean;
  error: unknown;
}

/** Uploads files to the project's workspace as soon as they are added. */
export function useAttachments(projectId: string) {
  const { client, onFailure } = useService();
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const uploads = useRef(new Map<number, AbortController>());
  const reservedPaths = useRef(new Set<string>());
  const count = useRef(0);
  /**
   * Last upload of each lane. Each file waits for the previous file in its lane, so the number of lanes limits parallel
   * uploads.
   */
  const lanes = useRef<Promise<void>[]>([]);
  useEffect(() => {
    const { current } = uploads;
    return () => current.forEach((upload) => upload.abort());
  }, []);

  const update = (key: number, part: Partial<Attachment>) =>
    setAttachments((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));

  const send = async (key: number, file: File, { signal }: AbortController): Promise<void> => {
    try {
      signal.throwIfAborted();
      const path = await freePath(client, projectId, `${FOLDER}/${file.name}`, reservedPaths.current, signal);
      update(key, { path });
      await client.upload(
        file,
        { source: 'workspace', project_id: projectId, path },
        { signal, onProgress: ({ loaded }) => update(key, { loaded }) },
      );
      update(key, { isDone: true, loaded: file.size });
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
      update(key, { error });
    } finally {
      uploads.current.delete(key);
    }
  };

  const add = (files: Iterable<File>): void => {
    for (const file of files) {
      const key = (count.current += 1);
      const upload = new AbortController();
      uploads.current.set(key, upload);
      const attachment = {
        key,
        name: file.name,
        path: undefined,
        loaded: 0,
        total: file.size,
        isDone: false,
        error: null,
      };
      setAttachments((all) => [...all, attachment]);
      const lane = key % MAX_PARALLEL;
      lanes.current[lane] = (lanes.current[lane] ?? Promise.resolve()).then(() => send(key, file, upload));
    }
  };
  /**
   * Removes an attachment and cancels its upload if it is still running. A file that was already uploaded stays in the
   * workspace.
   */
  const remove = (key: number): void => {
    uploads.current.get(key)?.abort();
    setAttachments((all) => all.filter((one) => one.key !== key));
  };
  const clear = (): void => setAttachments([]);
  return { attachments, add, remove, clear };
}
