import { EndpointSlice, Ingress, IngressClass, Secret, Service } from "wherry/api";
import { keyOf, type ObjectKey } from "wherry/client";
import { type Controller, controller, type Runnable } from "wherry/controller";
import { certificatesOf, secureContext } from "./certificates.ts";
import { type ProxyOptions, type ProxyTable, type RunningProxy, startProxy } from "./proxy.ts";
import { ownIngresses, type Route, routesOf } from "./routes.ts";

const fieldManager = "example-ingress";

/**
 * Writes the addresses at which the proxy is reached, those of its own Service, into the status of each Ingress. Every
 * replica writes the same, so that none has to be the leader.
 */
export const ingressStatus = (proxyService: ObjectKey): Controller =>
  controller({
    name: "ingress-status",
    for: Ingress,
    needsLeader: false,
    watches: [
      { kind: IngressClass, map: async (_, { cache }) => (await cache.list(Ingress)).map(keyOf) },
      {
        kind: Service,
        predicates: [
          ({ object: { metadata } }) =>
            metadata.namespace === proxyService.namespace && metadata.name === proxyService.name,
        ],
        map: async (_, { cache }) => (await cache.list(Ingress)).map(keyOf),
      },
    ],

    async reconcile(key, { cache, client }) {
      const ingress = await cache.get(Ingress, key);
      if (!ingress || ingress.metadata.deletionTimestamp) return;
      const classes = await cache.list(IngressClass);
      const isOwn = ownIngresses({ ingresses: [ingress], classes }).length > 0;
      const service = isOwn ? await cache.get(Service, proxyService) : undefined;
      // An Ingress that has got another class loses the addresses that were written here, and no others.
      if (!isOwn && !wasWrittenHere(ingress)) return;
      const addresses = (service?.status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ({
        ...(ip && { ip }),
        ...(hostname && { hostname }),
      }));
      if (isOwn && hasAddresses(ingress, addresses)) return;
      const { namespace, name } = key;
      const status = isOwn ? { loadBalancer: { ingress: addresses } } : {};
      await client.apply(
        Ingress,
        { metadata: { namespace, name }, status },
        { fieldManager, force: true, subresource: "status" },
      );
    },
  });

const wasWrittenHere = ({ metadata }: Ingress): boolean =>
  metadata.managedFields?.some(({ manager }) => manager === fieldManager) ?? false;

const hasAddresses = ({ status }: Ingress, wanted: readonly object[]): boolean =>
  JSON.stringify((status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => [ip, hostname])) ===
  JSON.stringify(wanted.map((one: { ip?: string; hostname?: string }) => [one.ip, one.hostname]));

export interface IngressProxyOptions
  extends Pick<ProxyOptions, "httpPort" | "httpsPort" | "address"> {
  /** Called once routes are known and requests are served. */
  readonly onServing?: ((proxy: RunningProxy) => void) | undefined;
}

/** Serves what the ingresses of the cluster say, as they change. */
export function ingressProxy({ onServing, ...listening }: IngressProxyOptions): Runnable {
  return {
    name: "ingress-proxy",
    stage: "always",
    async run(signal, { informers }) {
      const ingresses = informers.of(Ingress);
      const classes = informers.of(IngressClass);
      const services = informers.of(Service);
      const slices = informers.of(EndpointSlice);
      const secrets = informers.of(Secret, { fieldSelector: { type: "kubernetes.io/tls" } });
      const all = [ingresses, classes, services, slices, secrets];
      // The table is made again with the first request after a change, however many changes there were.
      let made:
        | ({ readonly routes: readonly Route[] } & Pick<ProxyTable, "secureContext">)
        | undefined;
      const forget = (): void => {
        made = undefined;
      };
      const table = () => {
        if (made) return made;
        const objects = { ingresses: ingresses.list(), classes: classes.list() };
        const certificates = certificatesOf(ownIngresses(objects), secrets.list());
        made = {
          routes: routesOf({ ...objects, services: services.list(), slices: slices.list() }),
          secureContext: (host) => secureContext(certificates, host),
        };
        return made;
      };
      for (const informer of all)
        informer.addHandler({ added: forget, updated: forget, deleted: forget });
      try {
        await Promise.all(all.map((informer) => informer.synced({ signal })));
        const proxy = await startProxy({
          ...listening,
          table: {
            routes: () => table().routes,
            secureContext: (host) => table().secureContext(host),
          },
        });
        onServing?.(proxy);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        await proxy.close();
      } finally {
        for (const informer of all) informer.close();
      }
    },
  };
}
