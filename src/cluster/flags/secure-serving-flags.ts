import {
  boolFlag,
  intFlag,
  ipFlag,
  stringFlag,
  stringsFlag,
  type Values,
  valueFlag,
} from "../../cli/flag.ts";
import { parseIpSloppy } from "../../schema/values/ip.ts";
import { type NamedCertificate, readNamedCertificate } from "./named-certificate.ts";
import { refused, section } from "./server-flag.ts";
import { cipherProblems, curveProblems, versionProblems } from "./tls-names.ts";

export interface SecureServing {
  readonly port: number;
  /** The file names of the certificate and key, without extension. */
  readonly pair: string;
  /** The default of `--cert-dir`, for the help text. */
  readonly without: string;
  /** What port 0 does. */
  readonly zero: "chooses a free one" | "disables serving";
}

/** The flags for serving HTTPS, with the server's default port and file names in `--cert-dir`. */
export const secureServingFlags = ({ port, pair, without, zero }: SecureServing) =>
  section("Secure serving flags", {
    "bind-address": ipFlag({
      usage: "the `IP` to listen on; 0.0.0.0 or :: for all addresses",
      default: "127.0.0.1",
    }),
    "secure-port": intFlag({
      usage: `the port to serve HTTPS on; 0 ${zero}`,
      default: port,
    }),
    "disable-http2-serving": boolFlag({ usage: "whether to serve HTTP/1.1 only" }),
    "http2-max-streams-per-connection": intFlag({
      usage: "the maximum number of concurrent requests on a connection; 0 for 250",
    }),
    "cert-dir": stringFlag({
      usage: `the \`DIR\` with ${pair}.crt and ${pair}.key, unless --tls-cert-file is given; missing files are created (default: ${without})`,
    }),
    "tls-cert-file": stringFlag({
      usage:
        "the `FILE` with the serving certificate and its intermediate certificates, instead of a generated one; reloaded when it changes",
    }),
    "tls-private-key-file": stringFlag({ usage: "the `FILE` with its private key" }),
    "tls-sni-cert-key": valueFlag<readonly NamedCertificate[]>({
      usage:
        "a certificate for clients that request other names: `CERT,KEY` for the names in it, or CERT,KEY:NAME,… for these names; may be repeated",
      type: "namedCertKey",
      default: [],
      read: (text, before = []) => [...before, readNamedCertificate(text)],
      show: () => "",
    }),
    "tls-min-version": stringFlag({
      usage:
        "the minimum version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13 (default VersionTLS12)",
    }),
    "tls-cipher-suites": stringsFlag({
      usage:
        "the cipher suites to offer below TLS 1.3, by names like TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 (default: those that are considered secure)",
    }),
    "tls-curve-preferences": stringsFlag({
      usage:
        "the key exchange mechanisms, by number: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519); their order does not matter",
    }),
    "permit-port-sharing": refused(
      "Node.js 20 cannot set SO_REUSEPORT",
      boolFlag({ usage: "whether several processes may listen on the port" }),
      [false],
    ),
    "permit-address-sharing": boolFlag({
      usage: "whether a port can be reused at once after its last owner exited; always true here",
    }),
  });

export type SecureServingFlags = Values<ReturnType<typeof secureServingFlags>>;

/** The problems of the values, in upstream's words. */
export function secureServingProblems(
  flags: SecureServingFlags,
  { canBeOff = false }: { readonly canBeOff?: boolean } = {},
): string[] {
  const problems: string[] = [];
  const port = flags["secure-port"];
  if (port < 0 || port > 65535)
    problems.push(
      canBeOff
        ? `--secure-port ${port} must be between 0 and 65535, inclusive. 0 for turning off secure port`
        : `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
    );
  if ((flags["tls-cert-file"] === "") !== (flags["tls-private-key-file"] === ""))
    problems.push(
      "missing filename for serving cert: give --tls-cert-file and --tls-private-key-file, or neither",
    );
  for (const name of flags["tls-sni-cert-key"].flatMap(({ names }) => names))
    if (parseIpSloppy(name) !== undefined && name !== flags["bind-address"])
      problems.push(
        `--tls-sni-cert-key for ${name} is not supported: clients that connect by address get the default certificate, unless --bind-address is that address`,
      );
  if (flags["http2-max-streams-per-connection"] < 0)
    problems.push("--http2-max-streams-per-connection can not be negative value");
  const minVersion = flags["tls-min-version"];
  return [
    ...problems,
    ...versionProblems(minVersion),
    ...cipherProblems(flags["tls-cipher-suites"], {
      minVersion,
      http2: !flags["disable-http2-serving"],
    }),
    ...curveProblems(flags["tls-curve-preferences"]),
  ];
}
