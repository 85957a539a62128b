import { createHash } from "node:crypto";
import { Namespace } from "../../api/core/v1/namespace.ts";
import {
  type NamespaceReader,
  namespaceLifecycle,
} from "../../apiserver/admission/namespaces/namespace-lifecycle.ts";
import type { Authentication } from "../../apiserver/authentication/authenticate.ts";
import type { FrontProxies } from "../../apiserver/authentication/front-proxy.ts";
import type { TokenIssuer } from "../../apiserver/authentication/service-account-tokens.ts";
import { ApiServer } from "../../apiserver/server.ts";
import { seededEntropy } from "../../base/entropy.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { verifySignature } from "../../platform/pki/verify-with-node.ts";
import { addProcessMetrics } from "../../platform/process-metrics.ts";
import { systemEntropy } from "../../platform/system-entropy.ts";
import { accessAuthorizer } from "../component/access-authorizer.ts";
import { tokenReviewAuthenticator } from "../component/token-review-authenticator.ts";
import { versionInfo } from "../version.ts";
import type { ApiServerOptions } from "./api-server.ts";
import { delegatedAuthorizer } from "./delegated-authorizer.ts";
import { openExtensionStore } from "./extension-store.ts";
import { openVersions } from "./open-version.ts";
import { asDeclared, type ServedKinds } from "./served-kinds.ts";
import { webhookPlugins } from "./webhook-plugins.ts";

/** What closes with the server, the last one first. */
export type OpenParts = { close(): unknown }[];

export interface ExtensionCoreParts {
  readonly served: ServedKinds;
  /** The front proxies that may name callers, at this moment. */
  frontProxies(): FrontProxies | undefined;
  readonly open: OpenParts;
}

/**
 * Opens a server of other APIs without its socket: the API server that clusters have, whose callers and rights are
 * those of a cluster.
 */
export async function openExtensionCore(
  options: ApiServerOptions,
  ctx: RunnableContext,
  { served, frontProxies, open }: ExtensionCoreParts,
): Promise<ApiServer> {
  const { clock, random, log, client, accept } = ctx;
  const entropy = accept ? seededEntropy(random) : systemEntropy;
  const opened = await openExtensionStore(options.store ?? "memory", { clock, log });
  open.unshift(opened);
  const ttlMs = options.accessTtlMs ?? 10_000;
  const authentication: Authentication = {
    tokens: tokenReviewAuthenticator({ client, clock, ttlMs }),
    audiences: [],
    anonymous: true,
    get frontProxies() {
      return frontProxies();
    },
    onRefused: (error) => log.warn("request was not authenticated", { error }),
  };
  const authorize = accessAuthorizer({ client, clock, allowedTtlMs: ttlMs, deniedTtlMs: ttlMs });
  const core = await ApiServer.open({
    store: opened.store,
    storeBytes: opened.bytes,
    kinds: asDeclared(served.kinds),
    clock,
    ticks: ctx.ticks,
    entropy,
    random,
    log,
    sha256: (text) => createHash("sha256").update(text).digest(),
    verifySignature,
    version: versionInfo,
    tokenIssuer: noTokens,
    ...(opened.isShared && { compactionIntervalMs: 0, sharedStore: true }),
    extension: {
      authentication,
      authorizer: delegatedAuthorizer(authorize, openPaths),
      plugins: [
        namespaceLifecycle({ reader: namespacesOf(ctx, open) }),
        ...webhookPlugins(options.webhooks ?? [], { kinds: served.kinds, entropy }),
      ],
      computed: served.computed,
      versions: openVersions(options.versions ?? []),
    },
  });
  open.unshift(core);
  if (!accept) addProcessMetrics(core.metrics.all);
  return core;
}

/** The paths that everybody may read, as upstream's servers have them. */
const openPaths = ["/healthz", "/livez", "/readyz"];

/** A server of other APIs issues no tokens. */
const noTokens: TokenIssuer = {
  issuers: [],
  audiences: [],
  keys: [],
  signer: {
    id: "",
    algorithm: "ES256",
    sign: () => {
      throw new Error("this server issues no tokens");
    },
  },
};

/** The namespaces of the cluster; one that the informer does not show yet is read. */
function namespacesOf({ client, informers }: RunnableContext, open: OpenParts): NamespaceReader {
  const informer = informers.of(Namespace);
  open.unshift(informer);
  return {
    serves: () => true,
    getCachedFirst: async (_, key) =>
      informer.get(key) ?? ignoreNotFound(client.get(Namespace, key)),
  };
}
