/** Response that the database has already built as JSON text. It is sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Response that is JSON in UTF-8. It is sent unchanged. Several responses may share the bytes, so they must not be modified. */
export class JsonBytes {
  constructor(readonly bytes: Buffer) {}
}

/** Returns a handler's result as JSON text. An undefined result becomes an empty string. */
export function bodyText(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  return body === undefined ? '' : JSON.stringify(body);
}
