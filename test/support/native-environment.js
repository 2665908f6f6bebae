import { TestEnvironment } from 'jest-environment-node';

/** Node, with a way for modules of `native-transform.js` to reach what Jest has not loaded. */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // What tests hand to native modules is told apart by class there.
    Object.assign(this.global, { Date, Error, importNatively: (url) => import(url) });
  }
}
