import TestSequencer from '@jest/test-sequencer';

/**
 * Runs end-to-end tests first, because they take longest. The other tests then fill idle workers at the end. Within
 * both groups, Jest's order applies: tests that took long in the last run, or that are large, come first.
 */
export default class EndToEndFirst extends TestSequencer {
  sort(tests) {
    const isEndToEnd = ({ context }) => context.config.displayName?.name === 'e2e';
    const sorted = super.sort(tests);
    return [...sorted.filter(isEndToEnd), ...sorted.filter((test) => !isEndToEnd(test))];
  }
}
