/** A response that is already JSON text, made by the database, and is sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON in UTF-8, sent unchanged. Several answers may share the bytes, so nobody writes to them. */
export class JsonBytes {
  constructor(readonly bytes: Buffer) {}
}

/** JSON text of what a handler answers; empty where that is nothing. */
export function bodyText(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  return body === undefined ? '' : JSON.stringify(body);
}
