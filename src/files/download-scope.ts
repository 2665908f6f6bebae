/** What a download URL depends on beside its object. */
interface DownloadScope {
  container_id: string;
  /** The API key that has asked for the URL, where it was one. */
  api_key_id: string | null;
}

/** A scope as a URL has it. */
export const writeScope = ({ container_id, api_key_id }: DownloadScope): string =>
  `${container_id}.${api_key_id ?? ''}`;

/** The scope that {@link writeScope} has written. */
export function readScope(text: string): DownloadScope {
  const [container_id = '', api_key_id = ''] = text.split('.');
  return { container_id, api_key_id: api_key_id === '' ? null : api_key_id };
}
