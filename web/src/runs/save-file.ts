import { TooLargeError, type WorkspaceClient } from '@project-workspace/client';

/** A text or bytes as a file of the one who looks at the page; nothing is opened. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The content of a file of the workspace. */
export async function contentOf(client: WorkspaceClient, project_id: string, path: string): Promise<Blob> {
  const body = { source: 'workspace', project_id, path } as const;
  try {
    const { text, base64, content_type } = (await client.POST('/api/v1/files/content', { body })).data;
    const bytes = text ?? Uint8Array.from(atob(base64 ?? ''), (letter) => letter.charCodeAt(0));
    return new Blob([bytes], { type: content_type ?? '' });
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    // What no answer can hold comes from where the files are.
    const { url } = (await client.POST('/api/v1/files/download', { body })).data;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The file could not be fetched: ${response.status}`);
    return await response.blob();
  }
}

/** The last part of a path. */
export const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
