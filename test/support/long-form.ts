/**
 * Whether exhaustive tests run in full, as in `npm run test:long`. In `npm test`, they check each behavior with fewer
 * combinations, repetitions or random values.
 */
export const isLongForm = process.env['LONG'] === 'true';
