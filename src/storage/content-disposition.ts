/** Invisible characters that change the order of others: they could make a name look like another one. */
const DECEPTIVE = /[\p{Bidi_Control}\u206a-\u206f\u2028\u2029]/gu;

/** `Content-Disposition` of a download (RFC 6266): the name in UTF-8 beside a form that old clients read. */
export function attachment(fileName: string): string {
  const shown = fileName.replace(DECEPTIVE, '_');
  const plain = shown.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(shown).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
