import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ago, dayAndTime } from './times';

const MINUTE_MS = 60_000;

/** Shows the age of a moment, updated over time. The tooltip has the date and time. */
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
