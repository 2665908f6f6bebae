import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatAge, formatDateTime } from './times';

const MINUTE_MS = 60_000;

/** Shows how long ago a moment was, and stays up to date. The tooltip shows the date and time. */
export function RelativeTime({ moment }: { moment: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(clock);
  }, []);
  return (
    <Tooltip label={formatDateTime(moment)}>
      <time dateTime={moment}>{formatAge(moment, now)}</time>
    </Tooltip>
  );
}
