import { isIP } from "node:net";
import { stringFlag } from "../../cli/flag.ts";
import { readAuthorities, readKeyPair } from "../../platform/given-files.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { type ServedEtcd, type ServeEtcdOptions, serveEtcd } from "../../store/serve/serve-etcd.ts";
import { isLoopback } from "./advertise-address.ts";
import { listenFault } from "./listen-fault.ts";

/** The address at which etcd's API is served, and its TLS options. */
export interface EtcdListen {
  readonly host: string;
  readonly port: number;
  /** PEM; with `ca`, clients need a certificate of that CA. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
}

/** The flags for it; a command may use another name for the address. */
export const etcdListenFlags = {
  "etcd-listen": stringFlag({
    usage: "the `ADDRESS` (host:port) to serve etcd's API on; empty for none",
  }),
  "etcd-listen-cert-file": stringFlag({
    usage: "the `FILE` with the serving certificate of etcd's API",
  }),
  "etcd-listen-key-file": stringFlag({ usage: "the `FILE` with its private key" }),
  "etcd-listen-client-ca-file": stringFlag({
    usage: "the `FILE` with CA certificates for clients, which then need a certificate",
  }),
};

export type EtcdListenValues = Readonly<Record<keyof typeof etcdListenFlags, string>>;

/** All problems of the flags. */
export function etcdListenProblems(flags: EtcdListenValues, addressFlag = "etcd-listen"): string[] {
  const address = flags["etcd-listen"];
  const cert = flags["etcd-listen-cert-file"];
  const key = flags["etcd-listen-key-file"];
  const ca = flags["etcd-listen-client-ca-file"];
  if (address === "")
    return `${cert}${key}${ca}` === ""
      ? []
      : [`--etcd-listen-cert-file, -key-file and -client-ca-file need --${addressFlag}`];
  const parsed = parseAddress(address);
  if (!parsed)
    return [
      `--${addressFlag} must be an IP address and a port, such as 127.0.0.1:2379: ${address}`,
    ];
  const problems: string[] = [];
  if ((cert === "") !== (key === ""))
    problems.push("--etcd-listen-cert-file and --etcd-listen-key-file must be given together");
  if (ca !== "" && cert === "")
    problems.push("--etcd-listen-client-ca-file needs --etcd-listen-cert-file");
  if (!isLoopback(parsed.host) && (cert === "" || ca === ""))
    problems.push(
      `--${addressFlag}=${address} can be reached from other machines, and every client can read all secrets: give a loopback address, or --etcd-listen-cert-file, --etcd-listen-key-file and --etcd-listen-client-ca-file`,
    );
  return problems;
}

/** The options of the flags, with the contents of their files; undefined if nothing is served. */
export async function givenEtcdListen(flags: EtcdListenValues): Promise<EtcdListen | undefined> {
  const address = parseAddress(flags["etcd-listen"]);
  if (!address) return undefined;
  const file = (flag: keyof EtcdListenValues) => ({ flag, path: flags[flag] });
  if (flags["etcd-listen-cert-file"] === "") return address;
  const pair = await readKeyPair(file("etcd-listen-cert-file"), file("etcd-listen-key-file"));
  const authorities = file("etcd-listen-client-ca-file");
  const ca = authorities.path === "" ? undefined : await readAuthorities(authorities);
  return { ...address, tls: { ...pair, ...(ca !== undefined && { ca }) } };
}

/** Serves etcd's API on a store until it is closed, which leaves the store open. */
export async function listenEtcd(
  { host, port, tls }: EtcdListen,
  parts: Pick<ServeEtcdOptions, "store" | "log" | "storeBytes">,
  addressFlag = "etcd-listen",
): Promise<ServedEtcd> {
  const served = await serveEtcd({
    ...parts,
    host,
    port,
    tls: tls && { ...tls, ...(tls.ca !== undefined && onlyKnown) },
    clock: realClock,
    random: systemRandom,
  }).catch((cause: unknown) => {
    throw listenFault(cause, { host, port, flag: `--${addressFlag}` });
  });
  parts.log.info("serving etcd's API", { url: served.url });
  return served;
}

const onlyKnown = { requestCert: true, rejectUnauthorized: true } as const;

/** `127.0.0.1:2379`, `[::1]:2379` */
function parseAddress(text: string): Pick<EtcdListen, "host" | "port"> | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 || isIP(host) === 0 ? undefined : { host, port };
}
