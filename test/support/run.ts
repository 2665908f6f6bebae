/** State shared by the processes of a test run. Created by `global-setup.js`. */
export interface TestRun {
  /** URL of the server's administrative database. */
  admin: string;
  /** Name of the migrated database that is copied for tests. */
  template: string;
  /** Folder of the run. It is removed with its contents when the run ends. */
  directory: string;
  /**
   * Base URL of the server for shared services. Append the name of a service to get its address. The first request for
   * a name starts the service.
   */
  shared: string;
}

/** Returns the current run. */
export function testRun(): TestRun {
  const run = process.env['TEST_RUN'];
  if (run === undefined) throw new Error('Only tests under test/e2e and test/integration have a database');
  return JSON.parse(run) as TestRun;
}
