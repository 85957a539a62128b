import type { ContainerConfig } from "../create/container-config.ts";
import type { HostConfig } from "../create/host-config.ts";

/** A port of a container that is to be published. */
export interface PortRequest {
  readonly port: number;
  readonly protocol: string;
  /** Empty for all addresses. */
  readonly hostIp: string;
  /** The first and last port to try; both 0 for any free one. */
  readonly first: number;
  readonly last: number;
}

/** The ports that a container publishes: those with a binding, or all that it exposes. */
export function portRequests(
  config: Pick<ContainerConfig, "ExposedPorts">,
  host: Pick<HostConfig, "PortBindings" | "PublishAllPorts">,
): readonly PortRequest[] {
  const bound = Object.entries(host.PortBindings ?? {}).flatMap(([key, bindings]) =>
    (bindings ?? []).map(({ HostIp, HostPort }) => {
      const [first = 0, last = first] = HostPort === "" ? [] : HostPort.split("-").map(Number);
      return { ...parsePort(key), hostIp: HostIp, first, last };
    }),
  );
  if (!host.PublishAllPorts) return bound;
  const exposed = Object.keys(config.ExposedPorts ?? {})
    .filter((key) => !Object.hasOwn(host.PortBindings ?? {}, key))
    .map((key) => ({ ...parsePort(key), hostIp: "", first: 0, last: 0 }));
  return [...bound, ...exposed];
}

/** Whether a text is a port of a container: `80`, or `80/tcp`. */
export function isPort(key: string): boolean {
  const [, port = "0"] = /^([0-9]{1,5})(?:\/(?:tcp|udp|sctp))?$/.exec(key) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** Splits `80/tcp`; tcp is the default. */
export function parsePort(key: string): { readonly port: number; readonly protocol: string } {
  const [port = "", protocol = "tcp"] = key.split("/");
  return { port: Number(port), protocol };
}
