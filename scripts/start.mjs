import './node-version.mjs';
import { setUpCheckout } from './checkout.mjs';

/*
 * `npm start`. There is no "pre" script, because policies against install scripts would skip it.
 *
 * The setup and the service run in the same process, which replaces npm's shell (`exec`). A signal to npm therefore reaches the
 * service instead of the shell, and npm ends together with the service.
 */
await setUpCheckout();
await import('../dist/bundle/main.js');
