/** Restrictions on a download URL, in addition to its object. */
interface DownloadScope {
  container_id: string;
  /** API key that requested the URL, or null for users. */
  api_key_id: string | null;
}

/** Encodes a scope for a URL. */
export const writeScope = ({ container_id, api_key_id }: DownloadScope): string =>
  `${container_id}.${api_key_id ?? ''}`;

/** Decodes a scope from {@link writeScope}. */
export function readScope(text: string): DownloadScope {
  const [container_id = '', api_key_id = ''] = text.split('.');
  return { container_id, api_key_id: api_key_id === '' ? null : api_key_id };
}
