import { Typography } from '@mantine/core';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';
import classes from './conversation.module.css';

/** Markup that is allowed in the agent's text. Nothing in it may run, load, submit or cover other content. */
const SANITIZE_OPTIONS = {
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
    // Shows HTML in the text as source code.
    html: ({ text }) => escapeHtml(text),
    // Images become links, because the browser would load embedded images from any host.
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text === '' ? href : text)}</a>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Converts untrusted Markdown to safe HTML. */
export const renderMarkdown = (text: string): string =>
  purifier.sanitize(marked.parse(text, { async: false }), SANITIZE_OPTIONS);

/** Shows untrusted Markdown. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: renderMarkdown(text) }), [text]);
  return <Typography dir="auto" className={classes.markdown} dangerouslySetInnerHTML={html} />;
}
