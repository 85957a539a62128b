import { resolve } from "node:path";
import type { SecureServingFlags } from "../flags/secure-serving-flags.ts";
import { tlsProtocol } from "../flags/tls-names.ts";
import type { ServingOptions } from "./serving.ts";

/** The serving options of the flags. */
export function givenServing(
  flags: SecureServingFlags & { readonly "client-ca-file": string },
): ServingOptions {
  const cert = { flag: "tls-cert-file", path: flags["tls-cert-file"] };
  const key = { flag: "tls-private-key-file", path: flags["tls-private-key-file"] };
  const clientCa = { flag: "client-ca-file", path: flags["client-ca-file"] };
  return {
    ...(cert.path !== "" && { certificate: { cert, key } }),
    ...(clientCa.path !== "" && { clientCa }),
    ...(flags["cert-dir"] !== "" && { certDir: resolve(flags["cert-dir"]) }),
    named: flags["tls-sni-cert-key"],
    protocol: tlsProtocol({
      minVersion: flags["tls-min-version"],
      cipherSuites: flags["tls-cipher-suites"],
      curves: flags["tls-curve-preferences"],
    }),
  };
}
