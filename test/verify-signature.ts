/** The real verifier, for tests in folders that may not import `platform`. */
export { verifySignature } from "../src/platform/pki/verify-with-node.ts";
