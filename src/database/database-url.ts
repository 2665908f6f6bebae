/** Database URL for this process. With an embedded server it is known only after the server has started. */
export class DatabaseUrl {
  constructor(readonly value: string) {}
}
