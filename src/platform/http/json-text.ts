/** A response that is already JSON text, made by the database, and is sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}
