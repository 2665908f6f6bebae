import TestSequencer from '@jest/test-sequencer';

/**
 * End-to-end tests first, since they take longest; what else there is fills the gaps that they leave in the end. Inside
 * both, Jest's own order: what took long the last time, or is large.
 */
export default class EndToEndFirst extends TestSequencer {
  sort(tests) {
    const isEndToEnd = ({ context }) => context.config.displayName?.name === 'e2e';
    const sorted = super.sort(tests);
    return [...sorted.filter(isEndToEnd), ...sorted.filter((test) => !isEndToEnd(test))];
  }
}
