import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import classes from './canvas.module.css';
import { NUMBER } from './numbers';

/** Characters that are shown of a text before somebody asks for more. */
const SHOWN = 400;

/** A text that may be much longer than a card: its beginning, until all is asked for. */
export function LongText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= SHOWN * 1.25) return text;
  return (
    <>
      {isOpen ? text : `${text.slice(0, SHOWN)}…`}{' '}
      <UnstyledButton className={classes.more} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${NUMBER.format(text.length)} characters`}
      </UnstyledButton>
    </>
  );
}
