/** The ciphers that pure code gets, for its tests. */
export { nodeCiphers } from "../src/platform/node-ciphers.ts";
