/** Where the database of this process is, known once the embedded server runs. */
export class DatabaseUrl {
  constructor(readonly value: string) {}
}
