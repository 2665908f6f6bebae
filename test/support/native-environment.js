import { TestEnvironment } from 'jest-environment-node';

/**
 * Node environment in which the modules of `native-transform.js` can load modules outside Jest.
 *
 * The option `classes` lists global classes that native modules use to recognize values created by tests.
 */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { classes = [] } = config.projectConfig.testEnvironmentOptions;
    for (const name of classes) this.global[name] = globalThis[name];
    this.global.importNatively = (url) => import(url);
  }
}
