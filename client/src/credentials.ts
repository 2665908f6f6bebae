/**
 * Token, or a function that returns a token. The function is called for the first request, and again when the token is no longer
 * valid.
 */
export type TokenSource = string | (() => string | Promise<string>);

/** Token of a client. Concurrent requests share one call to the token source. */
export class Credentials {
  private held: Promise<string> | undefined;

  constructor(private readonly source: TokenSource | undefined) {}

  /** Whether the source can supply a new token. */
  get canRenew(): boolean {
    return typeof this.source === 'function';
  }

  async token(): Promise<string | undefined> {
    if (typeof this.source !== 'function') return this.source;
    this.held ??= this.ask(this.source);
    return await this.held;
  }

  /** Discards a token that is no longer valid, unless another request has already done so. */
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
