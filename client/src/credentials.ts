/** A token, or a function that gives one: it is called for the first request, and again when the token is not valid any more. */
export type TokenSource = string | (() => string | Promise<string>);

/** The token of a client. All requests that need one at the same time wait for the same one. */
export class Credentials {
  private held: Promise<string> | undefined;

  constructor(private readonly source: TokenSource | undefined) {}

  /** Whether there can be another token than the present one. */
  get canRenew(): boolean {
    return typeof this.source === 'function';
  }

  async token(): Promise<string | undefined> {
    if (typeof this.source !== 'function') return this.source;
    this.held ??= this.ask(this.source);
    return await this.held;
  }

  /** Forgets a token that is not valid any more, unless somebody else has done so. */
  async reject(token: string | undefined): Promise<void> {
    const { held } = this;
    if (held !== undefined && (await held) === token && this.held === held) this.held = undefined;
  }

  private async ask(source: () => string | Promise<string>): Promise<string> {
    try {
      return await source();
    } catch (error) {
      this.held = undefined;
      throw error;
    }
  }
}
