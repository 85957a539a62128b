import { hash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { FrontProxies } from "../../../apiserver/authentication/front-proxy.ts";
import type { TokenIssuer } from "../../../apiserver/authentication/service-account-tokens.ts";
import { parseTokenFile } from "../../../apiserver/authentication/token-file.ts";
import { serverName } from "../../../apiserver/bootstrap/identity-lease.ts";
import { type Listener, type ListenOptions, listen } from "../../../apiserver/http/listen.ts";
import type { RuntimeConfig } from "../../../apiserver/objects/runtime-config.ts";
import type { User } from "../../../apiserver/request/identity.ts";
import { ApiServer } from "../../../apiserver/server.ts";
import type { ApiServerOptions } from "../../../apiserver/server-options.ts";
import type { SigningKey } from "../../../base/cryptography/token-key.ts";
import type { Log } from "../../../base/log.ts";
import { hostPort } from "../../../base/network.ts";
import { command } from "../../../cli/command.ts";
import type { ChangingValue } from "../../../controller-runtime/reconcile/changing-value.ts";
import type { CertificateSigners } from "../../../controllers/csrsigning/csr-signing-controller.ts";
import type { Dial } from "../../../platform/dial-socket.ts";
import { ensurePrivateDir } from "../../../platform/files.ts";
import { type GivenFile, readGiven } from "../../../platform/given-files.ts";
import { ensurePki, type Pki } from "../../../platform/pki/pki.ts";
import { writeAdminKubeconfig } from "../../../platform/pki/pki-kubeconfig.ts";
import { verifySignature } from "../../../platform/pki/verify-with-node.ts";
import { addProcessMetrics } from "../../../platform/process-metrics.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { realNetwork } from "../../../platform/real-network.ts";
import { systemEntropy, systemRandom } from "../../../platform/system-entropy.ts";
import { encryptedStore } from "../../../store/encryption/encrypted-store.ts";
import { endLeases } from "../../../store/serve/end-leases.ts";
import type { AuditSettings } from "../../auditing/audit-settings.ts";
import { type OpenAuditing, openAuditing } from "../../auditing/open-auditing.ts";
import { openDebugSocket } from "../../debugging/debug-socket.ts";
import { allPages, logPages } from "../../debugging/log-pages.ts";
import { profilePages } from "../../debugging/profile-pages.ts";
import { type OpenEgress, openEgress } from "../../egress/open-egress.ts";
import type { EgressRoutes } from "../../egress/read-egress.ts";
import { type OpenEncryption, openEncryption } from "../../encryption/open-encryption.ts";
import { makeOwnKey, readOwnKey } from "../../encryption/own-key.ts";
import { reencrypt } from "../../encryption/reencrypt.ts";
import type { ClusterAddress } from "../../join/publish-cluster-info.ts";
import { configKind, configVersion } from "../../opening/config-file.ts";
import { stampDataDirectory } from "../../opening/data-version.ts";
import { type LogChoice, openLog } from "../../opening/open-log.ts";
import { type EtcdAccess, type OpenedStore, openStore } from "../../opening/open-store.ts";
import { advertiseAddress, isLoopback, localAddress } from "../../serving/advertise-address.ts";
import { type EtcdListen, listenEtcd } from "../../serving/etcd-listen.ts";
import { addFeatureMetrics } from "../../serving/feature-metrics.ts";
import { listenFault } from "../../serving/listen-fault.ts";
import { ownFrontProxies } from "../../serving/own-front-proxies.ts";
import { externalAddress, servingNames } from "../../serving/server-names.ts";
import {
  isOwn,
  ownServerName,
  ownServing,
  type Serving,
  type ServingOptions,
  servingTls,
} from "../../serving/serving.ts";
import { SpanExporter } from "../../tracing/span-exporter.ts";
import type { TracingSettings } from "../../tracing/tracing-configuration.ts";
import { versionInfo } from "../../version.ts";
import { serveUntilStopped } from "../server/serve-until-stopped.ts";
import { startOptions } from "./apiserver-options.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { kindsWith } from "./kinds-with-features.ts";
import {
  type AuthenticationFlags,
  type OpenedAuthentication,
  openAuthentication,
} from "./open-authentication.ts";
import {
  type AuthorizationFlags,
  type OpenedAuthorization,
  openAuthorization,
} from "./open-authorization.ts";
import { changingCertificates, followCertificates, withOwnTls } from "./server-certificates.ts";
import { openTokenIssuer, presentSigner, type TokenIssuerFlags } from "./token-issuer.ts";

/** Runs only the API server, until a signal stops it. */
export const apiserverCommand = command({
  name: "apiserver",
  short: "Run the API server",
  long: `Run the API server in the foreground. Objects are stored in the data directory, or in the
etcd that --etcd-servers names; several servers may share one etcd.

The first start creates a certificate authority, certificates and keys in DIR/pki, which
only the owner can read, and DIR/admin.kubeconfig. The server prints a line when it is
ready, and stops in order on SIGINT or SIGTERM.

Secrets in the data directory are encrypted with DIR/pki/secrets-encryption.key, which the first
start makes. It is not in the folder of the store, DIR/store, so that a copy of that is of no use
alone; without the key the server does not start, so keep a copy of it elsewhere. A file of
--encryption-provider-config takes its place. Servers share an etcd, and so its keys: there,
secrets are encrypted only if that file says so.

The flags are those of kube-apiserver, with the same meaning; "_" may be used instead of
"-". Flags that are not supported are rejected with the reason, so that nothing is silently ignored.
Flags can also be read from a file with --config, where a repeated flag is a list; the
command line overrides the file:

  apiVersion: ${configVersion}
  kind: ${configKind}
  flags:
    data-dir: ./data
    authorization-mode: [Node, RBAC]
    event-ttl: 2h

DIR/admin.kubeconfig also works with your own serving certificate (--tls-cert-file) or
client CA (--client-ca-file): it requests the cluster's own certificate by a special server
name, and the cluster's own CA is always accepted.`,
  examples: `  # Start on a free port; use it from another terminal
  wherry apiserver --data-dir ./data --secure-port 0
  kubectl --kubeconfig ./data/admin.kubeconfig get namespaces

  # Inspect the store with etcdctl
  wherry apiserver --data-dir ./data --etcd-listen 127.0.0.1:2379
  etcdctl --endpoints 127.0.0.1:2379 get /registry/ --prefix --keys-only

  # Store objects in an etcd with three members
  wherry apiserver --data-dir ./data --etcd-servers https://a:2379,https://b:2379,https://c:2379 \\
    --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key

  # Serve on all addresses, with flags from a file
  wherry apiserver --config apiserver.yaml --bind-address 0.0.0.0`,
  flags: apiserverFlags,
  run: (context) =>
    serveUntilStopped(context, apiserverFlags, async (given) =>
      start({ encryptsSecrets: true, ...(await startOptions(given)) }),
    ),
});

export interface StartOptions {
  readonly runtimeConfig?: RuntimeConfig;
  /** The feature gates that are on, of those that have an effect. */
  readonly features?: ReadonlySet<string>;
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  /** Further addresses to listen on, at the same port. */
  readonly alsoListen?: readonly string[];
  readonly serviceRange?: string;
  readonly tokens?: TokenIssuerFlags;
  readonly tokenFile?: string;
  readonly authentication?: AuthenticationFlags;
  readonly authorization?: AuthorizationFlags;
  readonly bootstrapTokens?: boolean;
  /** Whether kubelets must have certificates of the cluster's own authorities, unless flags name another. */
  readonly verifiesKubelets?: boolean;
  /** The address that is advertised to members of the cluster; if empty, the listen address. */
  readonly advertiseAddress?: string;
  readonly externalHost?: string;
  readonly serving?: ServingOptions;
  /** How long the cluster's own certificates are valid; a year if not given. */
  readonly certificateLifetimeMs?: number;
  /** The front proxies whose authorities `serving` names; the cluster's own if not given. */
  readonly frontProxies?: FrontProxies;
  /** The files of the client certificate for other API servers, which is in `core`, too. */
  readonly proxyClient?: { readonly cert: GivenFile; readonly key: GivenFile };
  readonly http?: Pick<ListenOptions, "http2" | "goaway" | "limits">;
  /** The etcd that stores objects; if absent, they are stored in the data directory. */
  readonly etcd?: EtcdAccess | undefined;
  /** The size limit of a store in the data directory; 0 for none. */
  readonly quotaBytes?: number;
  /** The address at which etcd's API is served on the store. */
  readonly etcdListen?: EtcdListen | undefined;
  /** The file with the configuration of encryption, and whether it is reloaded. */
  readonly encryption?: { readonly path: string; readonly reloads: boolean } | undefined;
  /** Whether secrets in the data directory are encrypted with a key of its own. */
  readonly encryptsSecrets?: boolean;
  /** Whether /debug/pprof/ has profiles of the process, and /logs/ the files of /var/log. */
  readonly servesProfiles?: boolean;
  readonly servesLogs?: boolean;
  /** The Unix socket that serves profiles without authentication. */
  readonly debugSocket?: string;
  /** Where spans of requests are exported, and which. */
  readonly tracing?: TracingSettings;
  /** Which requests are audited, and where; none if not given. */
  readonly audit?: AuditSettings;
  /** How connections are made that are not direct. */
  readonly egress?: EgressRoutes | undefined;
  /** Other options of the server. */
  readonly core?: Partial<ApiServerOptions>;
  readonly log?: LogChoice;
  /** Warnings that are logged at start. */
  readonly warnings?: readonly string[];
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly core: ApiServer;
  /** The CA certificates by which clients verify the server when it starts; PEM. */
  readonly rootCa: string;
  /** The same at any moment: they change while the authority is rotated. */
  readonly presentRootCa: ChangingValue<string>;
  /** The cluster's own certificates at any moment: they change when they are renewed. */
  readonly presentPki: ChangingValue<Pki>;
  /** Signs and verifies tokens of service accounts. */
  readonly tokenSigner: SigningKey;
  /** Sign certificate requests, by the name of the signer. */
  readonly certificateSigners: CertificateSigners;
  /** How other machines reach the server when it starts. */
  readonly publicAddress: ClusterAddress;
  readonly log: Log;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts the API server: opens its store, certificates and socket. */
export async function start(options: StartOptions): Promise<RunningServer> {
  const { dir, host, serving = {} } = options;
  const log = openLog(options.log);
  for (const warning of options.warnings ?? []) log.warn("flag warning", { warning });
  await ensureDir(dir);
  await stampDataDirectory(dir);
  const pkiDir = join(dir, "pki");
  const lifetimeMs = options.certificateLifetimeMs;
  const loadPki = () =>
    ensurePki(pkiDir, { ...servingNames(options), lifetimeMs, now: new Date() });
  const pki = await loadPki();
  const [loaded, tokenIssuer, staticTokens] = await Promise.all([
    servingTls(serving, ownServing(pki), { host, log }),
    openTokenIssuer(options.tokens ?? ownTokens, pki, log),
    options.tokenFile ? readTokenFile(options.tokenFile, log) : undefined,
  ]);
  const egress = options.egress && openEgress(options.egress);
  const { issuers } = tokenIssuer;
  const authentication = await openAuthentication(options.authentication ?? {}, {
    issuers,
    egress: egress?.networks,
  });
  const authorization = options.authorization && (await openAuthorization(options.authorization));
  // Everything that is open, last first: the order of closing, at the end or when a later step fails.
  const open: { close(): unknown }[] = [tokenIssuer];
  const close = async (): Promise<void> => {
    for (const part of open.splice(0)) await part.close();
  };
  try {
    const auditing =
      options.audit &&
      (await openAuditing(options.audit, { log, dial: egress?.dials.controlPlane }));
    if (auditing) open.unshift(auditing);
    const opened = await openStore(dir, {
      etcd: options.etcd && { ...options.etcd, dial: egress?.dials.etcd },
      quotaBytes: options.quotaBytes,
      log,
    });
    open.unshift(opened);
    const encryption = await openStoreEncryption(options, opened, log);
    if (encryption) open.unshift(encryption);
    const { own } = opened;
    if (own && options.etcdListen) {
      const parts = { store: own, storeBytes: opened.bytes, log };
      open.unshift(await listenEtcd(options.etcdListen, parts));
    } else if (own) open.unshift(endLeases({ store: own, clock: realClock, log }));
    const spans =
      options.tracing && spanExporter(options.tracing, { log, dial: egress?.dials.controlPlane });
    if (spans) open.unshift(spans);
    if (options.debugSocket !== undefined)
      open.unshift(await openDebugSocket(options.debugSocket, { pages: profilePages(), log }));
    const { core, socket } = await serve(withOwnTls(options, pki), {
      ...loaded,
      tokenIssuer,
      staticTokens,
      authentication,
      authorization,
      opened,
      encryption,
      auditing,
      spans,
      egress,
      open,
      log,
    });
    const { port } = socket;
    const server = `https://${hostPort(localAddress(host), port)}`;
    const serverName = isOwn(serving) ? undefined : ownServerName;
    const kubeconfig = await writeAdminKubeconfig(dir, { server, serverName }, pki);
    const certificates = changingCertificates(pki);
    const { frontProxies = ownFrontProxies } = options;
    const following = {
      ...{ pki, load: loadPki, core, socket, log },
      ...{ certificates, tokenIssuer, frontProxies },
    };
    const writeKubeconfig = (renewed: Pki) =>
      writeAdminKubeconfig(dir, { server, serverName }, renewed);
    open.unshift(followCertificates(options, { ...following, writeKubeconfig }));
    return {
      host,
      port,
      core,
      rootCa: pki.ca.cert,
      presentRootCa: certificates.rootCa,
      presentPki: certificates.pki,
      tokenSigner: presentSigner(tokenIssuer),
      certificateSigners: certificates.signers,
      publicAddress: {
        server: `https://${externalAddress(options, port)}`,
        ca: pki.ca.cert,
        serverName,
      },
      log,
      kubeconfig,
      close,
    };
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

interface Parts extends Serving {
  readonly tokenIssuer: TokenIssuer;
  readonly staticTokens: ReadonlyMap<string, User> | undefined;
  readonly authentication: OpenedAuthentication;
  /** Absent where the options of the server name the modes. */
  readonly authorization: OpenedAuthorization | undefined;
  readonly opened: OpenedStore;
  readonly encryption: OpenEncryption | undefined;
  readonly auditing: OpenAuditing | undefined;
  readonly spans: SpanExporter | undefined;
  readonly egress: OpenEgress | undefined;
  readonly open: { close(): unknown }[];
  readonly log: Log;
}

/** Opens the server on the store, then the socket; the socket is closed before the store. */
async function serve(
  options: StartOptions,
  {
    tls,
    clientCa,
    proxyCa,
    tokenIssuer,
    staticTokens,
    authentication,
    authorization,
    opened,
    encryption,
    auditing,
    spans,
    egress,
    open,
    log,
  }: Parts,
): Promise<{ readonly core: ApiServer; readonly socket: Pick<Listener, "port" | "renew"> }> {
  const { host, port, serviceRange, runtimeConfig, bootstrapTokens = false } = options;
  const { frontProxies = ownFrontProxies } = options;
  const advertised = options.advertiseAddress || advertiseAddress(host);
  // Set when the socket is open.
  let actualPort = port;
  const core = await ApiServer.open({
    store: encryption ? encryptedStore(opened.store, encryption.encryption) : opened.store,
    ...(encryption && { healthChecks: encryption.healthChecks }),
    kinds: kindsWith(options.features ?? new Set()),
    features: options.features,
    clock: realClock,
    ticks: () => performance.now(),
    storeBytes: opened.bytes,
    entropy: systemEntropy,
    random: systemRandom,
    log,
    sha256,
    verifySignature,
    version: versionInfo,
    network: realNetwork,
    ...(egress && { egress: egress.networks }),
    priorityAndFairness: true,
    address: () => externalAddress(options, actualPort),
    frontProxies,
    clusterAuthentication: { clientCa, requestHeader: { clientCa: proxyCa, ...frontProxies } },
    // A loopback address cannot be reached by other machines.
    ...(!isLoopback(advertised) && {
      advertise: { address: advertised, port: () => actualPort },
    }),
    tokenIssuer,
    bootstrapTokens,
    hostname: hostname(),
    ...(staticTokens && { staticTokens }),
    ...(serviceRange !== undefined && { serviceRange }),
    ...(runtimeConfig && { runtimeConfig }),
    ...(auditing && { audit: auditing.options }),
    ...(spans &&
      options.tracing && {
        tracing: {
          ratePerMillion: options.tracing.ratePerMillion,
          export: (span) => spans.export(span),
        },
      }),
    debugPages: allPages([
      ...(options.servesProfiles ? [profilePages()] : []),
      ...(options.servesLogs ? [logPages()] : []),
    ]),
    ...options.core,
    ...authentication.options,
    ...(authorization && { authorizers: authorization.authorizers }),
    ...(opened.isShared && { compactionIntervalMs: 0, sharedStore: true }),
  });
  open.unshift(core);
  open.unshift(authentication.follow(core, log));
  if (authorization) open.unshift(authorization.follow(core, log));
  addProcessMetrics(core.metrics.all);
  addFeatureMetrics(core.metrics.all);
  encryption?.observe(core.metrics.all);
  egress?.observe(core.metrics.all);
  const listenAt = (address: string, at: number): Promise<Listener> =>
    listen({
      ...options.http,
      host: address,
      port: at,
      tls,
      handler: core.handle,
      isProxied: (path) => core.isProxied(path),
      metrics: core.metrics.all,
      log,
    }).catch((cause: unknown) => {
      throw listenFault(cause, { host: address, port: at });
    });
  const first = await listenAt(host, port);
  open.unshift(first);
  actualPort = first.port;
  const others: Listener[] = [];
  for (const address of options.alsoListen ?? []) {
    const other = await listenAt(address, actualPort);
    others.push(other);
    open.unshift(other);
  }
  const socket = together(first, others);
  // The server rejects requests before the sockets close, which ends watches and waits for running requests.
  open.unshift({ close: () => core.shutDown() });
  await core.announce();
  open.unshift({ close: () => core.withdraw() });
  return { core, socket };
}

const spanExporter = (
  { address }: TracingSettings,
  { log, dial }: { readonly log: Log; readonly dial: Dial | undefined },
): SpanExporter =>
  new SpanExporter({
    address,
    dial,
    service: { name: "apiserver", instance: serverName(hostname(), sha256) },
    clock: realClock,
    log,
  });

const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer");

const plainSecrets = "secrets in etcd are not encrypted";
const keysFlag = "--encryption-provider-config";

/** The encryption of the server's store, by its file or with the key of the data directory, which is made at first. */
async function openStoreEncryption(
  { dir, etcd, encryption: file, encryptsSecrets = false }: StartOptions,
  { store }: OpenedStore,
  log: Log,
): Promise<OpenEncryption | undefined> {
  const keyPrefix = etcd?.prefix ?? "/registry";
  // Servers that share an etcd must share their keys, too: a file names them. A key that one of them made would lock
  // out the others, and upstream's API server.
  if (etcd && encryptsSecrets && !file) log.warn(plainSecrets, { flag: keysFlag });
  const served = { file, keyPrefix, waits: true, measuredAs: serverName(hostname(), sha256), log };
  if (etcd) return openEncryption(served);
  const before = await readOwnKey(dir);
  const isFirst = !before && encryptsSecrets && !file;
  const own = isFirst ? await makeOwnKey(dir, store) : before;
  const opened = await openEncryption({ ...served, own });
  if (!opened || !isFirst) return opened;
  const { written } = await reencrypt(encryptedStore(store, opened.encryption), {
    prefix: "/registry/secrets/",
  });
  if (written > 0) log.info("secrets were encrypted", { count: written });
  return opened;
}

/** Several listeners whose certificates are renewed together. */
const together = (
  first: Listener,
  others: readonly Listener[],
): Pick<Listener, "port" | "renew"> => ({
  port: first.port,
  renew(tls) {
    for (const one of [first, ...others]) one.renew(tls);
  },
});

async function readTokenFile(path: string, log: Log): Promise<ReadonlyMap<string, User>> {
  const text = await readGiven({ flag: "token-auth-file", path });
  const { users, warnings } = parseTokenFile(path, text);
  for (const warning of warnings) log.warn("token file warning", { warning });
  return users;
}
