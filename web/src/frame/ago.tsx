import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ago, dayAndTime } from './times';

const MINUTE_MS = 60_000;

/** How long ago a moment was, as time passes; day and time on demand. */
export function Ago({ moment }: { moment: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(clock);
  }, []);
  return (
    <Tooltip label={dayAndTime(moment)}>
      <time dateTime={moment}>{ago(moment, now)}</time>
    </Tooltip>
  );
}
