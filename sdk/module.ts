/** Entry point of the ES module, `/sdk/adsdk.mjs`: the same script without the global, and the REST client. */
import { serviceUrlOf } from './service-url.js';
import { createSdk } from './sdk.js';
import type { Adsdk } from './types.js';

export { createClient } from './client.js';
export { AdsdkError } from './error.js';

const adsdk: Adsdk = createSdk(serviceUrlOf(import.meta.url));
export default adsdk;
