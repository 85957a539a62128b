import { isIP } from "node:net";
import { type Listener, listen, type ServingTls } from "../../apiserver/http/listen.ts";
import type { ApiServer } from "../../apiserver/server.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { frontProxyName } from "../../platform/pki/pki.ts";
import type { ClientAuthorities } from "../component/client-authorities.ts";
import { serveStream } from "../in-process/serve-stream.ts";
import type { ApiServerOptions } from "./api-server.ts";
import type { OpenParts } from "./extension-core.ts";
import { openCertificates } from "./open-certificates.ts";
import type { Registration, ServedService } from "./registered-server.ts";

/** A server of other APIs that can be reached. */
export interface ExtensionListener {
  readonly service: ServedService;
  trust: Registration["trust"];
  /** Takes changed authorities of clients. */
  reload(): void;
}

export interface ExtensionListenerParts {
  readonly core: ApiServer;
  readonly open: OpenParts;
  /** Called when the certificates were renewed. */
  onChange(): void;
}

/** Accepts connections within the process: they all come from the API server, which is the front proxy. */
export function acceptStreams(
  options: ApiServerOptions,
  { accept }: Pick<RunnableContext, "accept">,
  { core, open }: ExtensionListenerParts,
): ExtensionListener {
  if (!accept) throw new TypeError("there is nothing that accepts connections");
  const peer = { commonName: frontProxyName, organizations: [], proxy: "alone" } as const;
  const accepted = accept((stream) => void serveStream(stream, { handler: core.handle, peer }));
  open.unshift(accepted, { close: () => core.shutDown() });
  return {
    service: { ...serviceOf(options), externalName: accepted.host },
    trust: () => ({ insecureSkipTLSVerify: true }),
    reload: () => {},
  };
}

/** Serves over TLS with certificates of its own; clients and front proxies are those that the cluster accepts. */
export async function listenOverTls(
  options: ApiServerOptions,
  ctx: RunnableContext,
  parts: ExtensionListenerParts & { readonly authorities: ClientAuthorities },
): Promise<ExtensionListener> {
  const { core, open, onChange, authorities } = parts;
  const { host = "localhost" } = options;
  const service = serviceOf(options);
  let listener: Listener | undefined;
  const reload = (): void => listener?.renew(tlsOf(kept.current.server, authorities));
  const dnsName = `${service.name}.${service.namespace}.svc`;
  const isAddress = isIP(host) !== 0;
  const kept = await openCertificates(options, ctx, {
    names: {
      dnsNames: [dnsName, `${dnsName}.cluster.local`, ...(isAddress ? [] : [host])],
      ips: isAddress ? [host] : [],
    },
    purpose: "serving",
    onChange() {
      reload();
      onChange();
    },
  });
  open.unshift(kept);
  listener = await listen({
    host: options.address ?? (options.service ? "0.0.0.0" : "127.0.0.1"),
    port: options.port ?? (options.service ? 6443 : 0),
    tls: tlsOf(kept.current.server, authorities),
    handler: core.handle,
    metrics: core.metrics.all,
    log: ctx.log,
  });
  // The server rejects requests before the socket closes, which ends watches and waits for running requests.
  open.unshift({ close: () => core.shutDown() }, listener);
  const { port } = listener;
  options.onListening?.(port);
  return {
    service: options.service ? service : { ...service, port, externalName: host },
    trust() {
      const { ca } = kept.current;
      return ca === undefined ? {} : { caBundle: encodeBase64(new TextEncoder().encode(ca)) };
    },
    reload,
  };
}

/** Without a service of its own, the server gets one of its name. */
const serviceOf = ({
  name: own,
  service: { namespace, name, port = 443 } = { namespace: "default", name: own },
}: ApiServerOptions): ServedService => ({ namespace, name, port });

function tlsOf(
  { cert, key }: { readonly cert: string; readonly key: string },
  { current: { clientCa = "", requestHeader } }: ClientAuthorities,
): ServingTls {
  const proxies = requestHeader?.clientCa ?? "";
  const authorities = [clientCa, proxies].filter((pem) => pem !== "");
  return {
    cert,
    key,
    ...(authorities.length > 0 && { ca: authorities }),
    ...(proxies !== "" && { proxyAuthorities: { proxies, clients: clientCa } }),
  };
}
