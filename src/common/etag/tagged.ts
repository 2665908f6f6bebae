/** Response with its entity tag. It has no body if the client already has this version, and is then sent as 304. */
export class Tagged<Body> {
  private constructor(
    readonly tag: string,
    readonly body: Body | undefined,
  ) {}

  static of<Body>(tag: string, body: Body): Tagged<Body> {
    return new Tagged(tag, body);
  }

  /** Returns a response without a body, for a version that the client already has. */
  static unchanged(tag: string): Tagged<never> {
    return new Tagged<never>(tag, undefined);
  }

  /** Applies `make` to the body, if there is a body, and keeps the tag. */
  map<Other>(make: (body: Body) => Other): Tagged<Other> {
    return new Tagged(this.tag, this.body === undefined ? undefined : make(this.body));
  }
}
