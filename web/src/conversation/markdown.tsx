import { Typography } from '@mantine/core';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';
import classes from './conversation.module.css';

/** What text of the agent may look like: nothing that runs, loads, submits or places itself over other things. */
const RULES = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code'],
    ...['ul', 'ol', 'li', 'strong', 'em', 'del', 'a'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
};

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML in a text is shown as it was written.
    html: ({ text }) => escaped(text),
    // Images would be loaded from wherever the text says: what they are called leads there instead.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Markdown as HTML that does no harm, whoever has written it. */
export const htmlOf = (text: string): string => purifier.sanitize(marked.parse(text, { async: false }), RULES);

/** Shows markdown that others have written. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: htmlOf(text) }), [text]);
  return <Typography dir="auto" className={classes.markdown} dangerouslySetInnerHTML={html} />;
}
