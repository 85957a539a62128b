import { isIP } from "node:net";
import { boolFlag, intFlag, stringFlag, stringsFlag, type Values } from "../../../cli/flag.ts";
import { readAuthorities, readKeyPair } from "../../../platform/given-files.ts";
import { isLoopback } from "../../serving/advertise-address.ts";
import type { EtcdListen } from "../../serving/etcd-listen.ts";

const withoutEffect = "has no effect: there is one member";
const unused = (what: string) => stringFlag({ usage: `${what}; ${withoutEffect}` });

/** The flags of etcd that test environments use. */
export const etcdProgramFlags = {
  "data-dir": stringFlag({ usage: "the `DIR` for the data", default: "default.etcd" }),
  "listen-client-urls": stringsFlag({
    usage: "the `URL` to listen on for clients",
    default: ["http://localhost:2379"],
  }),
  "unsafe-no-fsync": boolFlag({
    usage: "whether writes are acknowledged before they are on disk, for tests",
  }),
  "quota-backend-bytes": intFlag({
    usage: "the size limit of the data in bytes; 0 for the default",
  }),
  "cert-file": stringFlag({ usage: "the `FILE` with the serving certificate" }),
  "key-file": stringFlag({ usage: "the `FILE` with its private key" }),
  "trusted-ca-file": stringFlag({
    usage: "the `FILE` with CA certificates for clients, which then need a certificate",
  }),
  "client-cert-auth": boolFlag({ usage: "whether clients need a certificate" }),
  "advertise-client-urls": unused("the URLs that members tell clients"),
  "listen-peer-urls": unused("the URLs to listen on for other members"),
  "initial-advertise-peer-urls": unused("the URLs that other members use"),
  "initial-cluster": unused("the URLs of the first members"),
  "initial-cluster-state": unused("whether the cluster is new"),
  "initial-cluster-token": unused("the name of the cluster"),
  name: unused("the name of the member"),
  "heartbeat-interval": unused("the time between signs of life of the leader"),
  "election-timeout": unused("the time after which another leader is elected"),
  "snapshot-count": unused("after how many commits to write a snapshot"),
  "log-level": unused("how much to log"),
  logger: unused("the format of the log"),
};

type EtcdFlags = Values<typeof etcdProgramFlags>;

/** All problems of the flags. */
export function etcdFlagProblems(flags: EtcdFlags): string[] {
  const [address, ...others] = flags["listen-client-urls"].map(parseUrl);
  const cert = flags["cert-file"];
  const problems: string[] = [];
  if (!address || others.length > 0)
    problems.push(
      `--listen-client-urls must be one URL, such as http://127.0.0.1:2379: ${flags["listen-client-urls"].join(",")}`,
    );
  else if (address.isSecure !== (cert !== ""))
    problems.push("--listen-client-urls is https exactly if --cert-file and --key-file are given");
  if ((cert === "") !== (flags["key-file"] === ""))
    problems.push("--cert-file and --key-file must be given together");
  const isGuarded = cert !== "" && flags["trusted-ca-file"] !== "";
  if (flags["client-cert-auth"] && !isGuarded)
    problems.push("--client-cert-auth needs --cert-file, --key-file and --trusted-ca-file");
  if (address && !isLoopback(address.host) && !isGuarded)
    problems.push(
      `--listen-client-urls=${flags["listen-client-urls"].join(",")} can be reached from other machines, and every client can read all secrets: give a loopback address, or --cert-file, --key-file and --trusted-ca-file`,
    );
  if (flags["quota-backend-bytes"] < 0) problems.push("--quota-backend-bytes must not be negative");
  return problems;
}

/** Where to serve, with the contents of the files; for flags without problems. */
export async function givenListen(flags: EtcdFlags): Promise<EtcdListen> {
  const { host, port } = parseUrl(flags["listen-client-urls"][0] ?? "") ?? { host: "", port: 0 };
  if (flags["cert-file"] === "") return { host, port };
  const file = (flag: "cert-file" | "key-file" | "trusted-ca-file") => ({
    flag,
    path: flags[flag],
  });
  const pair = await readKeyPair(file("cert-file"), file("key-file"));
  const ca = flags["trusted-ca-file"];
  return {
    host,
    port,
    tls: { ...pair, ...(ca !== "" && { ca: await readAuthorities(file("trusted-ca-file")) }) },
  };
}

/** As etcd, takes addresses and `localhost` only. */
function parseUrl(
  text: string,
): { readonly host: string; readonly port: number; readonly isSecure: boolean } | undefined {
  const [, scheme, bracketed, plain = "", digits] =
    /^(https?):\/\/(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})\/?$/i.exec(text) ?? [];
  const host = bracketed ?? (plain === "localhost" ? "127.0.0.1" : plain);
  const port = Number(digits);
  if (isIP(host) === 0 || port > 65_535) return undefined;
  return { host, port, isSecure: scheme?.toLowerCase() === "https" };
}
