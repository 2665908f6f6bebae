import { TooLargeError, type WorkspaceClient } from '@project-workspace/client';

/** Saves a blob as a file on the user's computer. The browser does not open the file. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // After this time, the browser has started to read the blob.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Returns the content of a workspace file. */
export async function contentOf(client: WorkspaceClient, project_id: string, path: string): Promise<Blob> {
  const body = { source: 'workspace', project_id, path } as const;
  try {
    const { text, base64, content_type } = (await client.POST('/api/v1/files/content', { body })).data;
    const bytes = text ?? Uint8Array.from(atob(base64 ?? ''), (letter) => letter.charCodeAt(0));
    return new Blob([bytes], { type: content_type ?? '' });
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    // Files that are too large for a response are downloaded from the store.
    const { url } = (await client.POST('/api/v1/files/download', { body })).data;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`Could not download the file (${response.status}).`);
    return await response.blob();
  }
}
