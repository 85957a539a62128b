import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { badRequest } from "../../api/meta/v1/status-error.ts";

/** The container of a request; throws where it is ambiguous. */
export function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const containers = spec.containers ?? [];
  const all = [...(spec.initContainers ?? []), ...containers, ...(spec.ephemeralContainers ?? [])];
  const names = all.map(({ name }) => name);
  if (wanted !== "") {
    if (names.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  const [only] = containers;
  if (only && containers.length === 1) return only.name;
  const ask = `a container name must be specified for pod ${metadata.name}`;
  throw badRequest(only ? `${ask}, choose one of: [${names.join(" ")}]` : ask);
}

/** The default port of a pod: the first that a container declares. */
export const firstPort = ({ spec }: Pod): string =>
  String(spec.containers?.find(({ ports }) => ports?.length)?.ports?.[0]?.containerPort ?? "");

/** The first address of a pod; empty where it has none. */
export const podAddress = ({ status }: Pod): string => status.podIPs?.[0]?.ip ?? "";
