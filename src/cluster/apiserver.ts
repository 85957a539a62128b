import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { kinds } from "../api/kinds.generated.ts";
import type { TokenIssuer } from "../apiserver/authentication/service-account-tokens.ts";
import { parseTokenFile } from "../apiserver/authentication/token-file.ts";
import { listen } from "../apiserver/http/server.ts";
import type { User } from "../apiserver/identity.ts";
import { parseRuntimeConfig, type RuntimeConfig } from "../apiserver/runtime-config.ts";
import { ApiServer } from "../apiserver/server.ts";
import type { Log } from "../base/log.ts";
import { command } from "../cli/command.ts";
import {
  boolFlag,
  intFlag,
  pairsFlag,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
} from "../cli/flag.ts";
import { UsageError } from "../cli/parse-flags.ts";
import { directoryBytes } from "../platform/directory-bytes.ts";
import { systemEntropy, systemRandom } from "../platform/entropy.ts";
import { ensurePrivateDir } from "../platform/files.ts";
import { streamLog } from "../platform/log.ts";
import { ensurePki, type Pki } from "../platform/pki.ts";
import { writeAdminKubeconfig } from "../platform/pki-kubeconfig.ts";
import { addProcessMetrics } from "../platform/process-metrics.ts";
import { realClock } from "../platform/real-clock.ts";
import { openLmdbStore } from "../store/lmdb/lmdb-store.ts";
import type { Store } from "../store/store.ts";
import { openTokenIssuer, type TokenIssuerFlags } from "./token-issuer.ts";
import { versionInfo } from "./version.ts";

/** Runs the API server alone, on a store on disk, until it is asked to stop. */
export const apiserverCommand = command({
  name: "apiserver",
  short: "Run the API server",
  long: `Run the API server in the foreground, on a store in the data directory.

On the first start it makes a certificate authority, certificates and keys under
DIR/pki, private to their owner, and writes DIR/admin.kubeconfig. It prints a line
when it is ready, and stops in good order on SIGINT or SIGTERM.`,
  examples: `  # Start on a free port, and use it from another terminal
  wherry apiserver --data-dir ./data --secure-port 0
  kubectl --kubeconfig ./data/admin.kubeconfig get namespaces`,
  flags: {
    "data-dir": stringFlag({ usage: "the `DIR` that holds all state" }),
    "secure-port": intFlag({
      usage: "the port to serve HTTPS on; 0 takes a free one",
      default: 6443,
    }),
    "bind-address": stringFlag({ usage: "the address to listen on", default: "127.0.0.1" }),
    "service-cluster-ip-range": stringFlag({
      usage: "the range of addresses that services are given",
      default: "10.0.0.0/24",
    }),
    "runtime-config": pairsFlag({
      usage:
        "what to serve beside the stable versions, as group/version[/resource]=true or =false, or api/all, api/ga, api/beta, api/alpha",
    }),
    "service-account-issuer": stringArrayFlag({
      usage:
        "who issues the tokens of service accounts, best an https URL; the first is named by new tokens, those of all are accepted (default https://kubernetes.default.svc)",
    }),
    "service-account-signing-key-file": stringFlag({
      usage: "the `FILE` of the private key that signs tokens, instead of the cluster's own",
    }),
    "service-account-key-file": stringArrayFlag({
      usage: "a `FILE` of keys, public or private, by which tokens are verified",
    }),
    "api-audiences": stringsFlag({
      usage: "whom tokens are meant for that are shown to this server (default: the issuers)",
    }),
    "token-auth-file": stringFlag({
      usage:
        'a `FILE` of lines token,user,uid,"group1,group2": who shows such a token is that user',
    }),
    "enable-bootstrap-token-auth": boolFlag({
      usage:
        "whether secrets of type bootstrap.kubernetes.io/token in kube-system hold tokens by which nodes join",
    }),
  },
  async run({ flags, streams, signal }) {
    const dir = flags["data-dir"];
    if (dir === "") {
      streams.stderr.write("Error: --data-dir is required: it says where all state is kept\n");
      return 2;
    }
    const port = flags["secure-port"];
    if (port < 0 || port > 65535) {
      streams.stderr.write(`Error: --secure-port ${port} must be between 0 and 65535, inclusive\n`);
      return 2;
    }
    const pairs = Object.fromEntries(flags["runtime-config"]);
    const server = await start({
      runtimeConfig: readRuntimeConfig(pairs),
      dir: resolve(dir),
      host: flags["bind-address"],
      port,
      serviceRange: flags["service-cluster-ip-range"],
      tokens: {
        issuers: flags["service-account-issuer"],
        audiences: flags["api-audiences"],
        keyFiles: flags["service-account-key-file"],
        signingKeyFile: flags["service-account-signing-key-file"],
      },
      tokenFile: flags["token-auth-file"],
      bootstrapTokens: flags["enable-bootstrap-token-auth"],
    });
    streams.stdout.write(
      `ready: https://${flags["bind-address"]}:${server.port}\n` +
        `to use it: export KUBECONFIG=${server.kubeconfig}\n`,
    );
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener("abort", () => done(), { once: true });
    });
    await server.close();
    return 0;
  },
});

function readRuntimeConfig(pairs: Readonly<Record<string, string>>): RuntimeConfig {
  try {
    return parseRuntimeConfig(pairs, kinds);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export interface StartOptions {
  readonly runtimeConfig?: RuntimeConfig;
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  readonly serviceRange?: string;
  readonly tokens?: TokenIssuerFlags;
  readonly tokenFile?: string;
  readonly bootstrapTokens?: boolean;
}

export interface RunningServer {
  readonly port: number;
  /** The path of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts the API server with its store, its certificates and its socket. */
export async function start(options: StartOptions): Promise<RunningServer> {
  const { dir, host } = options;
  await ensureDir(dir);
  const pki = await ensurePki(join(dir, "pki"), { ips: [host], now: new Date() });
  // What is open, the last first: that is how it is closed, in the end or when a later step fails.
  const open: { close(): unknown }[] = [];
  const close = async (): Promise<void> => {
    for (const part of open.splice(0)) await part.close();
  };
  const tokenIssuer = await openTokenIssuer(options.tokens ?? ownTokens, pki);
  try {
    const store = await openLmdbStore({ path: join(dir, "store"), clock: realClock });
    open.unshift(store);
    const { port, address } = await serve(options, { pki, tokenIssuer, store, open });
    const reachable = host === "0.0.0.0" || host === "::" ? `127.0.0.1:${port}` : address;
    const kubeconfig = await writeAdminKubeconfig(dir, `https://${reachable}`, pki);
    return { port, kubeconfig, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const ownTokens: TokenIssuerFlags = {
  issuers: [],
  audiences: [],
  keyFiles: [],
  signingKeyFile: "",
};

async function ensureDir(dir: string): Promise<void> {
  try {
    await ensurePrivateDir(dir);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new Error(`${dir} is not a directory: choose another with --data-dir`, { cause });
  }
}

interface Parts {
  readonly pki: Pki;
  readonly tokenIssuer: TokenIssuer;
  readonly store: Store;
  readonly open: { close(): unknown }[];
}

/** Opens the server on the store, then the socket; the socket is closed before the store is. */
async function serve(
  {
    dir,
    host,
    port,
    serviceRange,
    runtimeConfig,
    tokenFile,
    bootstrapTokens = false,
  }: StartOptions,
  { pki, tokenIssuer, store, open }: Parts,
): Promise<{ readonly port: number; readonly address: string }> {
  const log = streamLog(process.stderr, { clock: realClock, level: "info" });
  const staticTokens = tokenFile ? await readTokenFile(tokenFile, log) : undefined;
  let address = "";
  const core = await ApiServer.open({
    store,
    kinds,
    clock: realClock,
    ticks: () => performance.now(),
    storeBytes: () => directoryBytes(join(dir, "store")),
    entropy: systemEntropy,
    random: systemRandom,
    log,
    sha256: (text) => createHash("sha256").update(text).digest(),
    version: versionInfo,
    address: () => address,
    tokenIssuer,
    bootstrapTokens,
    ...(staticTokens && { staticTokens }),
    ...(serviceRange !== undefined && { serviceRange }),
    ...(runtimeConfig && { runtimeConfig }),
  });
  open.unshift(core);
  addProcessMetrics(core.metrics.all);
  const socket = await listen({
    host,
    port,
    tls: { cert: pki.apiserver.cert, key: pki.apiserver.key, ca: pki.ca.cert },
    handler: core.handle,
    metrics: core.metrics.all,
    log,
  }).catch((cause: unknown) => {
    throw listenFault(cause, { host, port });
  });
  // It refuses requests before the socket closes, which ends watches and waits for what is running.
  open.unshift({ close: () => core.shutDown() }, socket);
  address = `${host.includes(":") ? `[${host}]` : host}:${socket.port}`;
  return { port: socket.port, address };
}

async function readTokenFile(path: string, log: Log): Promise<ReadonlyMap<string, User>> {
  const { users, warnings } = parseTokenFile(path, await readFile(path, "utf8"));
  for (const warning of warnings) log.warn("token file is odd", { warning });
  return users;
}

/** Says what to do about a socket that cannot be had. */
function listenFault(cause: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE")
    return new Error(
      `port ${port} of ${host} is in use: stop what listens there, or choose another with --secure-port`,
      { cause },
    );
  if (code === "EACCES")
    return new Error(
      `port ${port} is for the system's own services: choose one above 1023 with --secure-port`,
      { cause },
    );
  if (code === "EADDRNOTAVAIL")
    return new Error(
      `${host} is not an address of this machine: choose another with --bind-address`,
      { cause },
    );
  return cause;
}
