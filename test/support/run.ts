/** What the processes of one test run share; made by `global-setup.js`. */
export interface TestRun {
  /** URL of the server's administrative database. */
  admin: string;
  /** Name of the migrated database that tests copy. */
  template: string;
  /** Folder that is removed with everything in it when the run ends. */
  directory: string;
  /** URL that tells where the shared service of the name behind it is, and starts it for the first who asks. */
  shared: string;
}

/** The present run. */
export function testRun(): TestRun {
  const run = process.env['TEST_RUN'];
  if (run === undefined) throw new Error('Only tests under test/e2e and test/integration have a database');
  return JSON.parse(run) as TestRun;
}
