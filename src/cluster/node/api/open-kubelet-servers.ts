import { type Listener, listen } from "../../../apiserver/http/listen.ts";
import type { Handler } from "../../../apiserver/request/request.ts";
import { type Clock, ticksOf } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { Client } from "../../../client/client.ts";
import type { KubeletHandler } from "../../../kubelet/api/kubelet-request.ts";
import type { RouteSettings } from "../../../kubelet/api/routes.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { listenRenewing } from "../../serving/listen-renewing.ts";
import type { NodeTracer } from "../node-tracer.ts";
import { countRequests } from "./count-requests.ts";
import { guardKubelet } from "./guard-kubelet.ts";
import { kubeletHandler } from "./kubelet-handler.ts";
import type { KubeletServing } from "./kubelet-serving.ts";
import { plainText } from "./plain-text.ts";
import type { ServerType } from "./request-labels.ts";

export interface KubeletServersOptions {
  readonly nodeName: string;
  readonly serving: KubeletServing;
  /** The kubelet's certificate if it is not in files, at this moment. */
  readonly pair: () => KeyPair;
  /** CA certificates of clients beside those in a file, PEM. */
  readonly clientCa?: string | undefined;
  /** Calls the API server, which reviews tokens and rights. */
  readonly client: Client;
  /** The API with these parts. */
  readonly api: (routes: RouteSettings) => KubeletHandler;
  /** Makes spans of requests; there are no traces if not given. */
  readonly tracer?: Pick<NodeTracer, "requests"> | undefined;
  /** Counts requests. */
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** The servers of a kubelet, while they run. */
export interface KubeletServers {
  /** The port of the API. */
  readonly port: number;
  /** Uses the present certificate for new connections. */
  renew(): void;
  close(): Promise<void>;
}

/** Serves a kubelet's API over HTTPS, and where it is configured the read-only part and health over HTTP. */
export async function openKubeletServers(options: KubeletServersOptions): Promise<KubeletServers> {
  const { serving, pair, clientCa, api, metrics, log, clock } = options;
  const { address, readOnlyPort, healthz, files, routes } = serving;
  const open: Pick<Listener, "close">[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((listener) => listener.close(graceMs)));
  };
  const plain = async (host: string, port: number, handler: Handler): Promise<void> => {
    if (port !== 0) open.push(await listen({ host, port, handler, log }));
  };
  const traced = (handler: Handler): Handler => options.tracer?.requests(handler) ?? handler;
  const counted = (handler: Handler, serverType: ServerType): Handler =>
    countRequests(traced(handler), { metrics, serverType, ticks: ticksOf(clock) });
  /** Pods run without this port, too: another program may have it for a while. */
  const serveHealth = async (): Promise<void> => {
    try {
      await plain(healthz.address, healthz.port, ping);
    } catch (error) {
      log.error("serving health failed", error, { port: healthz.port });
      const timer = clock.setTimer(healthRetryMs, () => void serveHealth());
      open.push({ close: async () => timer.cancel() });
    }
  };
  const openApi = async (): Promise<Pick<Listener, "port"> & { reload(): void }> => {
    const guarded = guardKubelet(kubeletHandler(api(routes)), {
      ...options,
      access: serving.access,
      knowsAuthorities: Boolean(clientCa) || files.clientCa !== undefined,
    });
    const secure = await listenRenewing({
      ...{ host: address, port: serving.port, portFlag: "--port", serving: files, log },
      own: () => ({ pair: pair(), fileName: "kubelet", authorities: clientCa ? [clientCa] : [] }),
      handler: counted(guarded, "readwrite"),
    });
    open.push(secure);
    const readOnly = kubeletHandler(api({ debugging: false, systemLogs: false }));
    await plain(address, readOnlyPort, counted(readOnly, "readonly"));
    return secure;
  };
  try {
    const secure = serving.isEnabled ? await openApi() : { port: serving.port, reload() {} };
    await serveHealth();
    return { port: secure.port, renew: () => secure.reload(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const healthRetryMs = 5000;

/** How long requests may take when the kubelet stops. */
const graceMs = 1000;

/** The port of health shows only that the kubelet responds. */
const ping: Handler = ({ path }) =>
  path === "/healthz" || path === "/healthz/ping"
    ? plainText(200, "ok")
    : plainText(404, "404 page not found\n");
