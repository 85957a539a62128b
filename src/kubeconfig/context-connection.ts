import type { Clock } from "../base/clock.ts";
import type { Impersonation } from "../client/impersonated-user.ts";
import { realClock } from "../platform/real-clock.ts";
import { type Credentials, fixedCredentials, joinedCredentials } from "./credentials.ts";
import type { ExecCluster } from "./exec-credential.ts";
import { execCredentials } from "./exec-credentials.ts";
import {
  certificateFileCredentials,
  type PemSource,
  pemReader,
  tokenFileCredentials,
} from "./file-credentials.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import type { AuthInfo, Cluster } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { parseProxyUrl, proxyFromEnvironment } from "./proxies/proxy-choice.ts";
import type { ChosenContext } from "./validate-kubeconfig.ts";

export interface ContextConnectionOptions {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
  /** Whether a credential plugin may prompt the user; by default, if standard input is a terminal. */
  readonly isTerminal?: boolean | undefined;
  /** Whether standard input is read for something else, so that nobody can be prompted from now on. */
  readonly isStdinUsed?: (() => boolean) | undefined;
  /** Throws if a program may not provide credentials; without it, all may. */
  readonly checkPlugin?: ((program: string) => void) | undefined;
}

/** Resolves how to reach the server of a context, and with which credentials. */
export function contextConnection(
  { cluster, user }: Pick<ChosenContext, "cluster" | "user">,
  options: ContextConnectionOptions = {},
): HttpsTransportOptions {
  const { env = process.env, clock = realClock } = options;
  const server = serverUrl(cluster, user);
  const proxyUrl = cluster["proxy-url"];
  const proxy = proxyUrl ? parseProxyUrl(proxyUrl) : undefined;
  const authority = pemSource(
    cluster["certificate-authority-data"],
    cluster["certificate-authority"],
  );
  const insecure = cluster["insecure-skip-tls-verify"] ?? false;
  if (insecure && authority)
    throw new KubeconfigError(
      "specifying a root certificates file with the insecure flag is not allowed",
    );
  const authorities = authority && checkedAuthorities(pemReader(authority, clock));
  return {
    server,
    authorities,
    insecure,
    serverName: cluster["tls-server-name"] || undefined,
    // Never send a credential over an unencrypted connection.
    credentials:
      server.protocol === "https:"
        ? credentialsOf(user, { cluster, server, authorities, ...options, env, clock })
        : undefined,
    proxy: proxy ? () => proxy : proxyFromEnvironment(env),
    compression: !cluster["disable-compression"],
    clock,
    ...(env.DISABLE_HTTP2 && { protocols: ["http/1.1"] as const }),
    ...seconds(env.HTTP2_READ_IDLE_TIMEOUT_SECONDS, "readIdleMs"),
    ...seconds(env.HTTP2_PING_TIMEOUT_SECONDS, "pingMs"),
    impersonate: impersonation(user),
  };
}

/** The server's URL; without a scheme it is HTTPS if any TLS option is set. */
function serverUrl(cluster: Cluster, user: AuthInfo): URL {
  const { server = "" } = cluster;
  const isTls = [
    cluster["certificate-authority"],
    cluster["certificate-authority-data"],
    user["client-certificate"],
    user["client-certificate-data"],
    cluster["insecure-skip-tls-verify"],
  ].some(Boolean);
  const whole = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(server)
    ? server
    : `${isTls ? "https" : "http"}://${server}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || (whole !== server && url.pathname !== "/"))
    throw new KubeconfigError(`host must be a URL or a host:port pair: ${JSON.stringify(server)}`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new KubeconfigError(
      `unsupported protocol scheme ${JSON.stringify(url.protocol.slice(0, -1))}`,
    );
  url.search = "";
  url.hash = "";
  return url;
}

/** Data in the kubeconfig itself takes precedence over a file. */
function pemSource(data: string | undefined, path: string | undefined): PemSource | undefined {
  if (data) return { pem: Buffer.from(data, "base64").toString("utf8") };
  return path ? { path } : undefined;
}

function checkedAuthorities(read: () => Promise<string>): () => Promise<string> {
  return async () => {
    const pem = await read();
    if (!pem.includes("-----BEGIN CERTIFICATE-----"))
      throw new Error("unable to load root certificates: unable to parse bytes as PEM block");
    return pem;
  };
}

interface Surroundings extends ContextConnectionOptions {
  readonly cluster: Cluster;
  readonly server: URL;
  readonly authorities: (() => Promise<string>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

function credentialsOf(user: AuthInfo, around: Surroundings): Credentials {
  const { clock } = around;
  const sources: Credentials[] = [];
  const { token, tokenFile, username, password, exec } = user;
  if (tokenFile) sources.push(tokenFileCredentials(tokenFile, { clock, fallback: token }));
  else if (token) sources.push(fixedCredentials({ authorization: `Bearer ${token}` }));
  if (username || password) {
    const pair = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
    sources.push(fixedCredentials({ authorization: `Basic ${pair}` }));
  }
  const cert = pemSource(user["client-certificate-data"], user["client-certificate"]);
  const key = pemSource(user["client-key-data"], user["client-key"]);
  if (cert && key) sources.push(certificateFileCredentials({ cert, key }, clock));
  const provider = user["auth-provider"];
  if (provider)
    throw new KubeconfigError(
      `no Auth Provider found for name ${JSON.stringify(provider.name ?? "")}`,
    );
  // A plugin is not run if there are other credentials.
  if (exec && sources.length === 0) {
    const { env, isTerminal = process.stdin.isTTY === true, isStdinUsed, checkPlugin } = around;
    const cluster = () => execCluster(around);
    const options = { clock, env, isTerminal, isStdinUsed, checkProgram: checkPlugin, cluster };
    sources.push(execCredentials(exec, options));
  }
  return joinedCredentials(sources);
}

/** The extension of a cluster with configuration for plugins. */
const pluginExtension = "client.authentication.k8s.io/exec";

async function execCluster({ cluster, server, authorities }: Surroundings): Promise<ExecCluster> {
  const ca = await authorities?.();
  const extension = (cluster.extensions ?? []).find(({ name }) => name === pluginExtension);
  return {
    server: server.href.replace(/\/$/, ""),
    "tls-server-name": cluster["tls-server-name"] || undefined,
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"] || undefined,
    "certificate-authority-data": ca && Buffer.from(ca).toString("base64"),
    "proxy-url": cluster["proxy-url"] || undefined,
    "disable-compression": cluster["disable-compression"] || undefined,
    config: extension?.extension,
  } as ExecCluster;
}

function impersonation(user: AuthInfo): Impersonation | undefined {
  if (!user.as) return undefined;
  return {
    user: user.as,
    uid: user["as-uid"] || undefined,
    groups: user["as-groups"],
    extra: user["as-user-extra"],
  };
}

function seconds<N extends string>(text: string | undefined, name: N): { [K in N]?: number } {
  const number = text ? Number(text) : Number.NaN;
  return Number.isInteger(number) ? ({ [name]: number * 1000 } as { [K in N]?: number }) : {};
}
