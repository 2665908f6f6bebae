/** State that the processes of a test run share. Created by `global-setup.js`. */
export interface TestRun {
  /** URL of the server's administrative database. */
  admin: string;
  /** Name of the migrated database that tests copy. */
  template: string;
  /** Folder of the run. It is removed with its content when the run ends. */
  directory: string;
  /**
   * Base URL for the addresses of shared services. Append the name of a service. The first request for a name starts its service.
   */
  shared: string;
}

/** Returns the current run. */
export function testRun(): TestRun {
  const run = process.env['TEST_RUN'];
  if (run === undefined) throw new Error('Only tests under test/e2e and test/integration have a database');
  return JSON.parse(run) as TestRun;
}
