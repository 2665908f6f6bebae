import { Code, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Card } from './cards';
import classes from './canvas.module.css';

type Gap = Card['gaps'][number];

const SEVERITY_LABELS: Record<string, string> = { blocking: 'Required', warning: 'Check', info: 'Note' };

/** Lists a card's gaps and how to resolve them. Required gaps come first. */
export function Gaps({ gaps, onOpen }: { gaps: readonly Gap[]; onOpen: ((field: string) => void) | undefined }) {
  if (gaps.length === 0) return null;
  const order = Object.keys(SEVERITY_LABELS);
  const sorted = gaps.toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
  return (
    <ul className={classes.gaps} aria-label="Gaps">
      {sorted.map(({ field, message, severity }) => (
        <li key={`${field} ${message}`} data-severity={severity}>
          <span className={classes.severity}>{SEVERITY_LABELS[severity] ?? severity}</span>
          {onOpen === undefined ? (
            <span>
              <Sentence text={message} />
            </span>
          ) : (
            <UnstyledButton className={classes.gap} onClick={() => onOpen(field)}>
              <Sentence text={message} />
              <VisuallyHidden>: edit</VisuallyHidden>
            </UnstyledButton>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows a sentence from the service. Formulas in the sentence are enclosed in backticks. */
export function Sentence({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Code key={index} className={classes.inSentence}>
        {part}
      </Code>
    ),
  );
}
