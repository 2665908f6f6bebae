/** An answer with its entity tag. Of what the client has already there is no body, and it is answered 304. */
export class Tagged<Body> {
  private constructor(
    readonly tag: string,
    readonly body: Body | undefined,
  ) {}

  static of<Body>(tag: string, body: Body): Tagged<Body> {
    return new Tagged(tag, body);
  }

  /** What the client has already. */
  static unchanged(tag: string): Tagged<never> {
    return new Tagged<never>(tag, undefined);
  }

  /** The same tag on what is made of the body, if there is one. */
  map<Other>(make: (body: Body) => Other): Tagged<Other> {
    return new Tagged(this.tag, this.body === undefined ? undefined : make(this.body));
  }
}
