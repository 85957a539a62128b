import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, managedByLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { semanticEqual } from "../../api/meta/v1/semantic-equal.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { dnsSliceManager, wantedDnsSlices } from "./wanted-dns-slices.ts";

const dnsKey = { namespace: "kube-system", name: "kube-dns" };

const isDns = ({ metadata }: Service): boolean =>
  metadata.namespace === dnsKey.namespace && metadata.name === dnsKey.name;

const isOwn = ({ metadata }: EndpointSlice): boolean =>
  metadata.namespace === dnsKey.namespace && metadata.labels?.[managedByLabel] === dnsSliceManager;

/** What of a node its endpoint is made of. Heartbeats change other things. */
const factsOf = ({ metadata, status }: Node): object => ({
  annotations: metadata.annotations ?? {},
  labels: metadata.labels ?? {},
  addresses: status?.addresses ?? [],
  ready: status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "",
});

/**
 * Keeps the slices of the service kube-dns, whose endpoints are the nodes that serve DNS. Nodes may not write slices:
 * one could take over the names of all others. Upstream has no such controller, as pods serve DNS there.
 */
export const clusterDnsController = controller({
  name: "cluster-dns-endpoints-controller",
  for: Service,
  predicates: [({ object }) => isDns(object)],
  watches: [
    {
      kind: Node,
      predicates: [
        (event) => event.type !== "updated" || !sameJson(factsOf(event.object), factsOf(event.old)),
      ],
      mapKey: () => dnsKey,
      map: () => [dnsKey],
    },
    {
      kind: EndpointSlice,
      predicates: [({ object }) => isOwn(object)],
      mapKey: () => dnsKey,
      map: () => [dnsKey],
    },
  ],

  async reconcile(key, { cache, client, signal }) {
    const service = await cache.get(Service, key);
    const all = await cache.list(EndpointSlice, { namespace: key.namespace });
    const found = new Map(all.filter(isOwn).map((slice) => [slice.metadata.name, slice]));
    const wanted = service ? wantedDnsSlices(service, await cache.list(Node)) : [];
    for (const slice of wanted) {
      const present = found.get(slice.metadata.name);
      found.delete(slice.metadata.name);
      if (!present) {
        await client.create(EndpointSlice, slice, { signal });
        continue;
      }
      const next = { ...present, endpoints: slice.endpoints, ports: slice.ports };
      if (!semanticEqual(EndpointSlice.struct, present, next))
        await client.update(EndpointSlice, next, { signal });
    }
    // Those of a service that is gone, or that pods serve now.
    for (const slice of found.values())
      await ignoreNotFound(client.delete(EndpointSlice, keyOf(slice), { signal }));
  },
});
