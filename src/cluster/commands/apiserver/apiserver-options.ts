import { resolve } from "node:path";
import { kinds } from "../../../api/kinds.generated.ts";
import { type AbacPolicy, parsePolicyFile } from "../../../apiserver/authorization/abac.ts";
import type { AuthorizationMode } from "../../../apiserver/authorization/modes.ts";
import type { KubeletOptions } from "../../../apiserver/connect/kubelet.ts";
import { parseRuntimeConfig } from "../../../apiserver/objects/runtime-config.ts";
import type { ApiServerOptions } from "../../../apiserver/server-options.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { systemRandom } from "../../../platform/entropy.ts";
import { readAuthorities, readGiven, readKeyPair } from "../../../platform/given-files.ts";
import { ignoredFeatures } from "../../flags/ignored-features.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import { reportedInfo } from "../../flags/version-flag.ts";
import { etcdTls } from "../../opening/etcd-tls.ts";
import { logChoice } from "../../opening/open-log.ts";
import type { EtcdAccess } from "../../opening/open-store.ts";
import { givenEtcdListen } from "../../serving/etcd-listen.ts";
import { givenServing } from "../../serving/serving-options.ts";
import { readAdmissionConfiguration } from "./admission-configuration.ts";
import type { StartOptions } from "./apiserver.ts";
import { chosenPlugins } from "./flags/admission-flags.ts";
import {
  type ApiserverFlags,
  apiserverFlags,
  dataDirectory,
  flagProblems,
} from "./flags/apiserver-flags.ts";

/** The values of all flags, and which of them somebody gave. */
export interface GivenFlags {
  readonly flags: ApiserverFlags;
  readonly given: ReadonlySet<string>;
}

/** What to start, by the flags that were given; throws a UsageError that says all that is wrong with them. */
export async function startOptions({ flags, given }: GivenFlags): Promise<StartOptions> {
  const problems = flagProblems(flags, given);
  const ignored = await ignoredFeatures(flags["feature-gates"], problems);
  const runtimeConfig = attempt(problems, () =>
    parseRuntimeConfig(Object.fromEntries(flags["runtime-config"]), kinds),
  );
  if (problems.length > 0) throw new UsageError(problems);
  return {
    dir: resolve(dataDirectory(flags)),
    host: flags["bind-address"] || "0.0.0.0",
    port: flags["secure-port"],
    ...(runtimeConfig && { runtimeConfig }),
    serviceRange: flags["service-cluster-ip-range"],
    tokens: {
      issuers: flags["service-account-issuer"],
      audiences: flags["api-audiences"],
      keyFiles: flags["service-account-key-file"],
      signingKeyFile: flags["service-account-signing-key-file"],
      maxSeconds: flags["service-account-max-token-expiration"] / 1000,
      extendsPodTokens: flags["service-account-extend-token-expiration"],
      keysUrl: flags["service-account-jwks-uri"],
    },
    tokenFile: flags["token-auth-file"],
    bootstrapTokens: flags["enable-bootstrap-token-auth"],
    // Any address is none that others could come to.
    advertiseAddress: flags["advertise-address"].replace(/^(0\.0\.0\.0|::)$/, ""),
    externalHost: flags["external-hostname"],
    serving: givenServing(flags),
    http: httpOptions(flags),
    etcd: await etcdAccess(flags),
    quotaBytes: flags["store-quota-bytes"],
    etcdListen: await givenEtcdListen(flags),
    core: await coreOptions(flags),
    log: logChoice(flags),
    warnings: [...ignored, ...(flags["anonymous-auth"] && allowsAll(flags) ? [noStrangers] : [])],
  };
}

/** Where everything is allowed, it is not for everybody. */
const allowsAll = (flags: ApiserverFlags): boolean =>
  flags["authorization-mode"].includes("AlwaysAllow");
const noStrangers =
  "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer";

function attempt<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}

function httpOptions(flags: ApiserverFlags): NonNullable<StartOptions["http"]> {
  const chance = flags["goaway-chance"];
  const streams = flags["http2-max-streams-per-connection"];
  return {
    http2: !flags["disable-http2-serving"],
    ...(chance > 0 && { goaway: () => systemRandom.next() < chance }),
    ...(streams > 0 && { limits: { streamsPerConnection: streams } }),
  };
}

async function coreOptions(flags: ApiserverFlags): Promise<Partial<ApiServerOptions>> {
  return {
    flags: shownFlags(apiserverFlags, flags),
    version: reportedInfo(flags.version),
    authorizationModes: flags["authorization-mode"] as readonly AuthorizationMode[],
    abacPolicies: await readPolicies(flags["authorization-policy-file"]),
    anonymousAuth: flags["anonymous-auth"] && !allowsAll(flags),
    maxInFlight: {
      reading: flags["max-requests-inflight"],
      writing: flags["max-mutating-requests-inflight"],
    },
    requestTimeoutMs: flags["request-timeout"],
    minRequestTimeoutMs: flags["min-request-timeout"] * 1000,
    // Of seconds, only whole ones count.
    eventTtlMs: Math.floor(flags["event-ttl"] / 1000) * 1000,
    nodePortRange: flags["service-node-port-range"],
    kubernetesServiceNodePort: flags["kubernetes-service-node-port"],
    admission: { ...chosenPlugins(flags), configuration: await pluginConfiguration(flags) },
    allowPrivileged: flags["allow-privileged"],
    kubelet: await kubeletAccess(flags),
    corsAllowedOrigins: flags["cors-allowed-origins"],
    strictTransportSecurity: flags["strict-transport-security-directives"],
    shutdownDelayMs: flags["shutdown-delay-duration"],
    shutdownSendRetryAfter: flags["shutdown-send-retry-after"],
    compactionIntervalMs: flags["etcd-compaction-interval"],
    storeTimeouts: {
      healthMs: flags["etcd-healthcheck-timeout"],
      readyMs: flags["etcd-readycheck-timeout"],
    },
  };
}

async function etcdAccess(flags: ApiserverFlags): Promise<EtcdAccess | undefined> {
  const servers = flags["etcd-servers"];
  if (servers.length === 0) return undefined;
  const tls = await etcdTls(flags);
  return {
    servers,
    prefix: flags["etcd-prefix"],
    ...(tls && { tls }),
    compactionIntervalMs: flags["etcd-compaction-interval"],
    sizeIntervalMs: flags["etcd-db-metric-poll-interval"],
    leaseReuseSeconds: flags["lease-reuse-duration-seconds"],
  };
}

async function pluginConfiguration(
  flags: ApiserverFlags,
): Promise<Readonly<Record<string, unknown>>> {
  const path = flags["admission-control-config-file"];
  const flag = "admission-control-config-file";
  return {
    ...(path !== "" && (await readAdmissionConfiguration({ flag, path }))),
    DefaultTolerationSeconds: {
      notReady: flags["default-not-ready-toleration-seconds"],
      unreachable: flags["default-unreachable-toleration-seconds"],
    },
  };
}

async function readPolicies(path: string): Promise<readonly AbacPolicy[]> {
  if (path === "") return [];
  return parsePolicyFile(path, await readGiven({ flag: "authorization-policy-file", path }));
}

async function kubeletAccess(flags: ApiserverFlags): Promise<KubeletOptions> {
  const cert = { flag: "kubelet-client-certificate", path: flags["kubelet-client-certificate"] };
  const key = { flag: "kubelet-client-key", path: flags["kubelet-client-key"] };
  const ca = {
    flag: "kubelet-certificate-authority",
    path: flags["kubelet-certificate-authority"],
  };
  const pair = cert.path === "" ? undefined : await readKeyPair(cert, key);
  return {
    preferredAddressTypes: flags["kubelet-preferred-address-types"],
    timeout: flags["kubelet-timeout"],
    ...(ca.path !== "" && { ca: await readAuthorities(ca) }),
    ...(pair && { clientCert: pair.cert, clientKey: pair.key }),
  };
}
