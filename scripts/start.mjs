import './node-version.mjs';
import { setUpCheckout } from './checkout.mjs';

/*
 * `npm start`. There is no "pre" script, which policies against install scripts would skip. Set-up and service are one
 * process that takes the place of npm's shell (`exec`): a signal to npm reaches the service itself, and npm ends when
 * the service has, not when the shell between them dies.
 */
await setUpCheckout();
await import('../dist/bundle/main.js');
