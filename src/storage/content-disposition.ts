/** Invisible characters that change the display order of other characters, so that a name could look like another name. */
const DECEPTIVE = /[\p{Bidi_Control}\u206a-\u206f\u2028\u2029]/gu;

/**
 * Returns the `Content-Disposition` header for a download (RFC 6266), with the name in UTF-8 and in a format for old clients.
 */
export function attachment(fileName: string): string {
  const safeName = fileName.replace(DECEPTIVE, '_');
  const plain = safeName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(safeName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
