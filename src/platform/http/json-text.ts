/** An answer that is JSON text already, made by the database: it is sent as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}
