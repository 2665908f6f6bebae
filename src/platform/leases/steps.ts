/** The life cycle of a row: which state can follow which. A state without successors is final. */
export class Steps<State extends string> {
  private readonly states: readonly State[];

  constructor(private readonly following: Readonly<Record<State, readonly State[]>>) {
    this.states = Object.keys(following) as State[];
  }

  /** SQL condition that a row may step to `state`: a change to it is made where this holds, and nowhere else. */
  mayBecome(state: State, column = 'state'): string {
    const before = this.states.filter((from) => this.following[from].includes(state)).map((from) => `'${from}'`);
    return before.length === 1 ? `${column} = ${before[0]}` : `${column} IN (${before.join(', ')})`;
  }

  /** Whether a state is final. */
  isEnd(state: State): boolean {
    return this.following[state].length === 0;
  }
}
