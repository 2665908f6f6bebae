/**
 * Token, or a function that returns a token. The function is called for the first request, and again whenever the token is no
 * longer valid.
 */
export type TokenSource = string | (() => string | Promise<string>);

/** Token for a client. Concurrent requests share one call to the token source. */
export class Credentials {
  private cachedToken: Promise<string> | undefined;

  constructor(private readonly source: TokenSource | undefined) {}

  /** Whether the source can supply a new token. */
  get canRenew(): boolean {
    return typeof this.source === 'function';
  }

  async token(): Promise<string | undefined> {
    if (typeof this.source !== 'function') return this.source;
    this.cachedToken ??= this.requestToken(this.source);
    return await this.cachedToken;
  }

  /** Discards a token that is no longer valid, unless another request has already done so. */
  async reject(token: string | undefined): Promise<void> {
    const { cachedToken } = this;
    if (cachedToken !== undefined && (await cachedToken) === token && this.cachedToken === cachedToken)
      this.cachedToken = undefined;
  }

  private async requestToken(source: () => string | Promise<string>): Promise<string> {
    try {
      return await source();
    } catch (error) {
      this.cachedToken = undefined;
      throw error;
    }
  }
}
