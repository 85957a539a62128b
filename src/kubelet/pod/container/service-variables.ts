import type { Service } from "../../../api/core/v1/service/service.ts";
import type { CacheReader } from "../../../client/informer/informer-options.ts";
import type { EnvVar } from "../../../cri/runtime-types.ts";

/** The services of a cluster, of which containers learn by their environment. */
export interface ServiceLister extends Pick<CacheReader<Service>, "list"> {
  /** Whether services were read at all. */
  readonly hasSynced: boolean;
}

/**
 * The variables by which containers of a namespace find services: always the API server, and those of the namespace
 * if they are wanted.
 */
export function serviceVariables(
  services: Pick<ServiceLister, "list">,
  namespace: string,
  hasLinks: boolean,
): readonly EnvVar[] {
  const found = new Map<string, Service>();
  for (const service of services.list({ namespace: "default" }))
    if (service.metadata.name === "kubernetes") found.set("kubernetes", service);
  if (hasLinks)
    for (const service of services.list({ namespace }))
      if (hasAddress(service)) found.set(service.metadata.name ?? "", service);
  return [...found.values()].filter(hasAddress).flatMap(variablesOf);
}

const hasAddress = ({ spec: { clusterIP } }: Service): boolean =>
  clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None";

function variablesOf({ metadata, spec }: Service): readonly EnvVar[] {
  const { clusterIP = "", ports = [] } = spec;
  const prefix = variableName(metadata.name ?? "");
  const [first] = ports;
  if (!first) return [];
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  const link = ({ protocol = "TCP", port }: typeof first): string =>
    `${protocol.toLowerCase()}://${host}:${port}`;
  return [
    { name: `${prefix}_SERVICE_HOST`, value: clusterIP },
    { name: `${prefix}_SERVICE_PORT`, value: `${first.port}` },
    ...ports
      .filter(({ name }) => name)
      .map(({ name = "", port }) => ({
        name: `${prefix}_SERVICE_PORT_${variableName(name)}`,
        value: `${port}`,
      })),
    { name: `${prefix}_PORT`, value: link(first) },
    ...ports.flatMap((one) => {
      const { protocol = "TCP", port } = one;
      const name = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      return [
        { name, value: link(one) },
        { name: `${name}_PROTO`, value: protocol.toLowerCase() },
        { name: `${name}_PORT`, value: `${port}` },
        { name: `${name}_ADDR`, value: clusterIP },
      ];
    }),
  ];
}

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase();
