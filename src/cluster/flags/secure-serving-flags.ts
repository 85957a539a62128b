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
import { only, section } from "./server-flag.ts";
import { cipherProblems, curveProblems, versionProblems } from "./tls-names.ts";

export interface SecureServing {
  readonly port: number;
  /** What the certificate and key are called. */
  readonly pair: string;
  /** Where they are if nobody says it. */
  readonly without: string;
  /** What port 0 stands for. */
  readonly zero: "takes a free one" | "serves nothing";
}

/** What is served with, of a server whose usual port is this, and whose files in `--cert-dir` are called so. */
export const secureServingFlags = ({ port, pair, without, zero }: SecureServing) =>
  section("Secure serving flags", {
    "bind-address": ipFlag({
      usage: "the `IP` to listen on; 0.0.0.0 or :: for all that the machine has",
      default: "127.0.0.1",
    }),
    "secure-port": intFlag({
      usage: `the port to serve HTTPS on; 0 ${zero}`,
      default: port,
    }),
    "disable-http2-serving": boolFlag({ usage: "whether to speak HTTP/1.1 only" }),
    "http2-max-streams-per-connection": intFlag({
      usage: "how many requests a client may have under way on a connection; 0 for 250",
    }),
    "cert-dir": stringFlag({
      usage: `the \`DIR\` of ${pair}.crt and ${pair}.key, where --tls-cert-file is not given; they are made if they are missing (default: ${without})`,
    }),
    "tls-cert-file": stringFlag({
      usage:
        "the `FILE` of the certificate to serve with, those of its authorities after it, instead of one that is made; read again when it is replaced",
    }),
    "tls-private-key-file": stringFlag({ usage: "the `FILE` of its private key" }),
    "tls-sni-cert-key": valueFlag<readonly NamedCertificate[]>({
      usage:
        "a certificate for clients who ask for other names: `CERT,KEY` for the names it holds, or CERT,KEY:NAME,… for these; may be repeated",
      type: "namedCertKey",
      default: [],
      read: (text, before = []) => [...before, readNamedCertificate(text)],
      show: () => "",
    }),
    "tls-min-version": stringFlag({
      usage:
        "the oldest version of TLS to speak: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13 (default VersionTLS12)",
    }),
    "tls-cipher-suites": stringsFlag({
      usage:
        "the cipher suites to offer below TLS 1.3, by names like TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 (default: those that are known to be safe)",
    }),
    "tls-curve-preferences": stringsFlag({
      usage:
        "how keys may be exchanged, by numbers: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519); their order does not matter",
    }),
    "permit-port-sharing": only(
      [false],
      { because: "a port is not shared with another process" },
      boolFlag({ usage: "whether several servers may listen on the port" }),
    ),
    "permit-address-sharing": boolFlag({
      usage:
        "whether a port may be taken again at once after its last owner has gone, as it always can be here",
    }),
  });

export type SecureServingFlags = Values<ReturnType<typeof secureServingFlags>>;

/** What is wrong with the values, in upstream's words. */
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
        `--tls-sni-cert-key for ${name} is not served: who connects by address gets the usual certificate, unless --bind-address is that address`,
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
