import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import classes from './canvas.module.css';
import { NUMBER } from './numbers';

/** Number of characters shown before the user expands the text. */
const PREVIEW_LENGTH = 400;

/** Long text that is truncated until the user expands it. */
export function LongText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= PREVIEW_LENGTH * 1.25) return text;
  return (
    <>
      {isOpen ? text : `${text.slice(0, PREVIEW_LENGTH)}…`}{' '}
      <UnstyledButton className={classes.more} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${NUMBER.format(text.length)} characters`}
      </UnstyledButton>
    </>
  );
}
