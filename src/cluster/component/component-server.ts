import type { ClusterAuthentication } from "../../apiserver/bootstrap/cluster-authentication.ts";
import type { Handler } from "../../apiserver/request/request.ts";
import type { Log } from "../../base/log.ts";
import { type Client, createClient } from "../../client/client.ts";
import { findConnection } from "../../kubeconfig/connect.ts";
import { followKubeconfig } from "../../kubeconfig/follow-kubeconfig.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { isInCluster } from "../../kubeconfig/in-cluster.ts";
import { selfSigned } from "../../platform/pki/self-signed.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type DelegatedFlags, givenFrontProxies } from "../flags/delegated-flags.ts";
import type { SecureServingFlags } from "../flags/secure-serving-flags.ts";
import { listenRenewing, type RenewingListener } from "../serving/listen-renewing.ts";
import type { OwnServing } from "../serving/serving.ts";
import { givenServing } from "../serving/serving-options.ts";
import { accessAuthorizer } from "./access-authorizer.ts";
import { clientAuthorities } from "./client-authorities.ts";
import { componentHandler, type Routes } from "./component-handler.ts";
import { pathAuthorizer } from "./path-authorizer.ts";
import { tokenReviewAuthenticator } from "./token-review-authenticator.ts";

export interface ComponentServerOptions {
  /** The component's name, such as `kube-scheduler`. */
  readonly name: string;
  readonly flags: SecureServingFlags & DelegatedFlags;
  readonly routes: Routes;
  readonly log: Log;
}

export interface ComponentServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the pages of a component over HTTPS; the API server authenticates and authorizes requests. */
export async function openComponentServer(
  options: ComponentServerOptions,
): Promise<ComponentServer | undefined> {
  const { flags, routes, log } = options;
  if (flags["secure-port"] === 0) return undefined;
  const open: { close(): unknown }[] = [];
  const close = async (): Promise<void> => {
    for (const part of open.splice(0)) await part.close();
  };
  try {
    const { tokens, authorize, authorities } = await delegation(options, open);
    const given = givenFrontProxies(flags);
    const socket = await openSocket(options, {
      authorities,
      open,
      handler: componentHandler({
        tokens,
        authorize,
        routes,
        log,
        anonymous: true,
        frontProxies: () => given ?? authorities.published().requestHeader,
        knowsAuthorities: () =>
          flags["client-ca-file"] !== "" || authorities.published().clientCa !== undefined,
      }),
    });
    return { port: socket.port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the API server publishes about the authentication of clients, unless files say it; reports changes. */
interface Authorities {
  published(): ClusterAuthentication;
  onChange(changed: () => void): void;
}

/** The clients that review tokens and access, from two kubeconfigs. */
async function delegation(
  { name, flags, log }: ComponentServerOptions,
  open: { close(): unknown }[],
) {
  const users = await clientBy(flags["authentication-kubeconfig"], name, open);
  const rights = await clientBy(flags["authorization-kubeconfig"], name, open);
  if (!rights)
    log.warn("requests beyond the public paths are allowed for system:masters only", {
      because: "no authorization-kubeconfig is given",
    });
  let changed = (): void => {};
  const files = {
    clients: flags["client-ca-file"],
    proxies: flags["requestheader-client-ca-file"],
  };
  const looksUp =
    !flags["authentication-skip-lookup"] && (files.clients === "" || files.proxies === "");
  if (looksUp && files.clients === "" && !users)
    log.warn("neither tokens nor client certificates are accepted", {
      because: "no authentication-kubeconfig is given",
    });
  const found =
    looksUp && users
      ? await clientAuthorities({
          client: users,
          log,
          tolerates: flags["authentication-tolerate-lookup-failure"],
          onChange: () => changed(),
        })
      : undefined;
  if (found) open.unshift(found);
  const authorities: Authorities = {
    published() {
      const { clientCa, requestHeader } = found?.current ?? {};
      return {
        ...(files.clients === "" && clientCa && { clientCa }),
        ...(files.proxies === "" && requestHeader && { requestHeader }),
      };
    },
    onChange(call) {
      changed = call;
    },
  };
  return {
    authorities,
    tokens:
      users &&
      tokenReviewAuthenticator({
        client: users,
        clock: realClock,
        ttlMs: flags["authentication-token-webhook-cache-ttl"],
      }),
    authorize: pathAuthorizer({
      authorize:
        rights &&
        accessAuthorizer({
          client: rights,
          clock: realClock,
          allowedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
          deniedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
        }),
      openPaths: flags["authorization-always-allow-paths"],
    }),
  };
}

/** A client for a kubeconfig or the in-cluster configuration; undefined if there is neither. */
async function clientBy(
  path: string,
  name: string,
  open: { close(): unknown }[],
): Promise<Client | undefined> {
  if (path === "" && !(await isInCluster())) return undefined;
  const how =
    path === ""
      ? (await findConnection({ inCluster: true })).transport
      : await followKubeconfig({ path });
  const transport = httpsTransport({ ...how, userAgent: `${name} (authentication)` });
  open.unshift(transport);
  return createClient(transport, { clock: realClock });
}

interface SocketParts {
  readonly authorities: Authorities;
  readonly open: { close(): unknown }[];
  readonly handler: Handler;
}

async function openSocket(
  { name, flags, log }: ComponentServerOptions,
  { authorities, open, handler }: SocketParts,
): Promise<RenewingListener> {
  const proxyCa = {
    flag: "requestheader-client-ca-file",
    path: flags["requestheader-client-ca-file"],
  };
  const serving = { ...givenServing(flags), ...(proxyCa.path !== "" && { proxyCa }) };
  const host = flags["bind-address"] || "0.0.0.0";
  const port = flags["secure-port"];
  const streams = flags["http2-max-streams-per-connection"];
  const pair = selfSigned({ name: "localhost", ips: ["127.0.0.1"], now: new Date() });
  const own = (): OwnServing => {
    const { clientCa, requestHeader } = authorities.published();
    return {
      pair,
      fileName: name,
      authorities: clientCa === undefined ? [] : [clientCa],
      proxyAuthorities: requestHeader?.clientCa,
    };
  };
  const socket = await listenRenewing({
    host,
    port,
    serving,
    own,
    http2: !flags["disable-http2-serving"],
    ...(streams > 0 && { limits: { streamsPerConnection: streams } }),
    handler,
    log,
  });
  open.unshift({ close: () => socket.close(5000) });
  authorities.onChange(() => socket.reload());
  return socket;
}
