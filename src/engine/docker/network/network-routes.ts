import { newEndpoint } from "../create/create-container.ts";
import { endpointConfig } from "../create/endpoint-config.ts";
import type { DockerContext } from "../docker-context.ts";
import { flag, list, map, optional, struct, text } from "../http/decode-json.ts";
import { badRequest, DockerError } from "../http/docker-error.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";
import { type Filters, hasLabel, parseFilters, passes, passesLabels } from "../http/filters.ts";
import { dockerTime } from "../show/docker-time.ts";
import { pruneLimit } from "../system/prune-limit.ts";
import { connectEndpoint, disconnectEndpoint } from "./container-network.ts";
import { builtInNames, type NetworkRecord } from "./network-record.ts";
import { writeHosts } from "./write-etc-files.ts";

const newNetwork = struct({
  Name: text,
  Driver: text,
  Internal: flag,
  Attachable: flag,
  EnableIPv6: flag,
  Labels: map(text),
  Options: map(text),
  IPAM: optional(
    struct({ Driver: text, Config: list(struct({ Subnet: text, Gateway: text, IPRange: text })) }),
  ),
});
const membership = struct({
  Container: text,
  Force: flag,
  EndpointConfig: optional(endpointConfig),
});

/** The routes of `docker network`. */
export function networkRoutes(context: DockerContext): readonly DockerRoute[] {
  const { networks, registry } = context;
  return [
    route("GET /networks", ({ query }) => {
      const filters = parseFilters(query.get("filters"), [
        "dangling",
        "driver",
        "id",
        "label",
        "name",
        "scope",
        "type",
      ]);
      const found = networks.list().filter((network) => isWanted(context, network, filters));
      return { status: 200, json: found.map((network) => shown(context, network, false)) };
    }),
    route("POST /networks/create", async ({ json }) => {
      const request = newNetwork(await json(), "");
      if (request.EnableIPv6) throw badRequest("IPv6 is not supported by networks of this engine");
      const [ipam] = request.IPAM?.Config ?? [];
      const network = await networks.create({
        name: request.Name,
        driver: request.Driver || "bridge",
        isInternal: request.Internal,
        isAttachable: request.Attachable,
        labels: request.Labels ?? {},
        options: request.Options ?? {},
        subnet: ipam?.Subnet ?? "",
        gateway: ipam?.Gateway ?? "",
        range: ipam?.IPRange ?? "",
      });
      return { status: 201, json: { Id: network.id, Warning: "" } };
    }),
    route("POST /networks/prune", async ({ query }) => ({
      status: 200,
      json: { NetworksDeleted: await pruneNetworks(context, query.get("filters")) },
    })),
    route("GET /networks/{name}", ({ params }) => ({
      status: 200,
      json: shown(context, networks.find(params.name ?? ""), true),
    })),
    route("DELETE /networks/{name}", async ({ params }) => {
      await networks.remove(params.name ?? "");
      return { status: 204 };
    }),
    route("POST /networks/{name}/connect", async ({ params, json }) => {
      const request = membership(await json(), "");
      const network = networks.find(params.name ?? "");
      const container = registry.find(request.Container);
      if (!network.bridge)
        throw new DockerError(
          403,
          `container cannot be disconnected from ${network.name} network or connected to ${network.name} network`,
        );
      if (container.details.endpoints[network.name])
        throw new DockerError(
          403,
          `endpoint with name ${container.details.name} already exists in network ${network.name}`,
        );
      const endpoint = newEndpoint(network.id, request.EndpointConfig);
      await registry.change(container.id, ({ endpoints }) => ({
        endpoints: { ...endpoints, [network.name]: endpoint },
      }));
      if (container.state.phase === "running") {
        await connectEndpoint(context, container.id, network.name);
        await writeHosts(context, network.name);
      }
      return { status: 200 };
    }),
    route("POST /networks/{name}/disconnect", async ({ params, json }) => {
      const request = membership(await json(), "");
      const network = networks.find(params.name ?? "");
      const { id, details } = registry.find(request.Container);
      if (!details.endpoints[network.name])
        throw new DockerError(403, `container ${id} is not connected to network ${network.name}`);
      await disconnectEndpoint(context, id, network.name);
      await registry.change(id, ({ endpoints }) => {
        const { [network.name]: _, ...others } = endpoints;
        return { endpoints: others };
      });
      return { status: 200 };
    }),
  ];
}

/** Removes the networks that no container is in. */
async function pruneNetworks(
  context: DockerContext,
  filterText: string | null,
): Promise<readonly string[]> {
  const filters = parseFilters(filterText, ["label", "label!", "until"]);
  const before = pruneLimit(filters, context.clock.now());
  const deleted: string[] = [];
  for (const network of context.networks.list()) {
    const { name, labels, createdAt } = network;
    const isUsed = context.registry.list().some(({ details }) => details.endpoints[name]);
    if (builtInNames.has(name) || isUsed || createdAt >= before) continue;
    if (!passesLabels(filters, labels)) continue;
    if ((filters.get("label!") ?? []).some((label) => hasLabel(labels, label))) continue;
    await context.networks.remove(name);
    deleted.push(name);
  }
  return deleted;
}

function isWanted(context: DockerContext, network: NetworkRecord, filters: Filters): boolean {
  const isCustom = !builtInNames.has(network.name);
  const isUsed = context.registry.list().some(({ details }) => details.endpoints[network.name]);
  return (
    passes(filters, "name", (value) => network.name.includes(value)) &&
    passes(filters, "id", (value) => network.id.startsWith(value)) &&
    passes(filters, "driver", (value) => network.driver === value) &&
    passes(filters, "scope", (value) => value === "local") &&
    passes(filters, "type", (value) => (value === "custom") === isCustom) &&
    passes(
      filters,
      "dangling",
      (value) => ["1", "true"].includes(value) === (isCustom && !isUsed),
    ) &&
    passesLabels(filters, network.labels)
  );
}

/** A network as clients read it; its containers only where one is asked for. */
function shown(context: DockerContext, network: NetworkRecord, withContainers: boolean): object {
  const { bridge } = network;
  const members = context.registry.list().flatMap(({ id, details }) => {
    const endpoint = details.endpoints[network.name];
    if (!endpoint?.address) return [];
    const member = {
      Name: details.name,
      EndpointID: endpoint.endpointId,
      MacAddress: endpoint.macAddress,
      IPv4Address: `${endpoint.address}/${endpoint.prefixLength}`,
      IPv6Address: "",
    };
    return [[id, member] as const];
  });
  return {
    Name: network.name,
    Id: network.id,
    Created: dockerTime(network.createdAt),
    Scope: "local",
    Driver: network.driver,
    EnableIPv4: true,
    EnableIPv6: false,
    IPAM: {
      Driver: "default",
      Options: null,
      Config: bridge
        ? [
            {
              Subnet: bridge.subnet,
              ...(bridge.range !== undefined && { IPRange: bridge.range }),
              Gateway: bridge.gateway,
            },
          ]
        : null,
    },
    Internal: network.isInternal,
    Attachable: network.isAttachable,
    Ingress: false,
    ConfigFrom: { Network: "" },
    ConfigOnly: false,
    Containers: withContainers ? Object.fromEntries(members) : {},
    Options: network.options,
    Labels: network.labels,
  };
}
