import { NotFoundError } from '@project-workspace/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import type { Container } from '../containers';
import { extensionOf } from '../paths';
import classes from './previews.module.css';
import { MissingFile, Notice } from './notice';

/** Supported image types by extension. The content type stored with the file is ignored. */
const TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
/** Images above this size are shown only when the user asks for them. */
const MAX_BYTES = 32 * 1024 ** 2;

export const isImage = (path: string): boolean => extensionOf(path) in TYPES;

interface ImagePreviewProps {
  projectId: string;
  container: Container;
  path: string;
  size: number | undefined;
}

/** Shows an image that was loaded into memory. In an `img` element, even an untrusted SVG runs no scripts and loads nothing. */
export function ImagePreview({ projectId, container, path, size }: ImagePreviewProps) {
  const { client } = useService();
  const isTooLarge = size !== undefined && size > MAX_BYTES;
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(projectId, 'files', 'image', container.key, path),
    queryFn: async ({ signal }) => await client.download({ ...container.ref, path }, { signal }),
    staleTime: Infinity,
    gcTime: 30_000,
    // React Query cannot compare blobs structurally.
    structuralSharing: false,
    enabled: !isTooLarge,
  });
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (data === undefined) return;
    const objectUrl = URL.createObjectURL(new Blob([data], { type: TYPES[extensionOf(path)] ?? '' }));
    setUrl(objectUrl);
    setBroken(false);
    return () => URL.revokeObjectURL(objectUrl);
  }, [data, path]);
  if (isTooLarge) return <Notice title="This image is too large to preview" text="Download it to view it." />;
  if (error instanceof NotFoundError) return <MissingFile />;
  if (error !== null && data === undefined)
    return <Failure title="Could not load the image" error={error} onRetry={() => void refetch()} />;
  if (isBroken)
    return <Notice title="This image cannot be displayed" text="Its content does not match its file extension." />;
  if (url === undefined) return <Loading name="the image" />;
  return (
    <div className={classes.image}>
      <img src={url} alt={path} onError={() => setBroken(true)} />
    </div>
  );
}
