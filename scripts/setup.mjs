import './node-version.mjs';
import { setUpCheckout } from './checkout.mjs';

await setUpCheckout();
