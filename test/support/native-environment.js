import { TestEnvironment } from 'jest-environment-node';

/**
 * Node, with a way for modules of `native-transform.js` to reach what Jest has not loaded.
 *
 * The option `classes` names those that native modules tell the values of tests apart by.
 */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { classes = [] } = config.projectConfig.testEnvironmentOptions;
    for (const name of classes) this.global[name] = globalThis[name];
    this.global.importNatively = (url) => import(url);
  }
}
