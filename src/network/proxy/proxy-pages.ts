import { createServer, type Server } from "node:http";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { ServiceProxy } from "./service-proxy.ts";

/** The response to a path; undefined if there is no such page. */
export type ProxyPages = (
  path: string,
) => { readonly status: number; readonly type: string; readonly text: string } | undefined;

export interface HealthPagesOptions {
  readonly proxy: Pick<ServiceProxy, "health" | "node">;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** `/healthz` says whether load balancers may use the node, `/livez` whether its rules follow the API. */
export function healthPages({ proxy, metrics, clock }: HealthPagesOptions): ProxyPages {
  const count = (name: string, help: string) =>
    metrics.counter({ name: `kubeproxy_${name}`, help, stability: "ALPHA", labels: ["code"] });
  const counts: ReadonlyMap<string, ReturnType<typeof count>> = new Map([
    ["/healthz", count("proxy_healthz_total", "Cumulative proxy healthz HTTP status")],
    ["/livez", count("proxy_livez_total", "Cumulative proxy livez HTTP status")],
  ]);
  return (path) => {
    const counter = counts.get(path);
    if (!counter) return undefined;
    const now = proxy.health.at(clock.now());
    const nodeEligible = isEligible(proxy.node());
    const isFine = now.healthy && (path === "/livez" || nodeEligible);
    counter.of(isFine ? "200" : "503").add(1);
    const body = path === "/healthz" ? { ...now, nodeEligible } : now;
    return { status: isFine ? 200 : 503, type: "application/json", text: JSON.stringify(body) };
  };
}

/** That there is a proxy, and how it works. */
export const statusPages: ProxyPages = (path) => {
  const text = statusTexts.get(path);
  return text === undefined ? undefined : plainPage(text);
};

const statusTexts: ReadonlyMap<string, string> = new Map([
  ["/healthz", "ok"],
  ["/proxyMode", "nftables"],
]);

export const plainPage = (text: string) => ({
  ...{ status: 200, type: "text/plain; charset=utf-8", text },
});

/** Serves pages at an address and port, such as `0.0.0.0:10256` or `[::]:10256`. */
export function servePages(address: string, pages: ProxyPages): Promise<Server> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  const server = createServer((request, response) => {
    const found = pages((request.url ?? "").split("?")[0] ?? "");
    if (!found) return void response.writeHead(404).end("404 page not found\n");
    response.writeHead(found.status, {
      "Content-Type": found.type,
      "X-Content-Type-Options": "nosniff",
    });
    response.end(found.text);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(address.slice(colon + 1)), host, () => resolve(server));
  });
}

/** Ends a server, and the connections to it. */
export function closePages(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Whether load balancers may use the node: it exists, and no autoscaler is about to remove it. */
const isEligible = (node: Node | undefined): boolean =>
  node !== undefined &&
  node.metadata.deletionTimestamp === undefined &&
  !(node.spec.taints ?? []).some(({ key }) => key === "ToBeDeletedByClusterAutoscaler");
