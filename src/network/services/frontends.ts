import type { ChosenEndpoints } from "./choose-endpoints.ts";
import type { IpFamily } from "./ip-family.ts";
import type { ProxiedEndpoint } from "./proxied-endpoints.ts";
import type { Protocol, ProxiedPort } from "./proxied-port.ts";

/** One way to reach a port of a service, and where it leads on this node. */
export interface Frontend {
  /** The port that it is of, as `default/web:http`. */
  readonly name: string;
  readonly family: IpFamily;
  readonly kind: "cluster-ip" | "external-ip" | "load-balancer-ip" | "node-port";
  /** Absent for node ports, which all chosen addresses of the node have. */
  readonly address?: string | undefined;
  readonly protocol: Protocol;
  readonly port: number;
  /** Where traffic goes. For external traffic with policy Local: that of this node and its pods. */
  readonly endpoints: readonly ProxiedEndpoint[];
  /** Where the other traffic goes; absent where there is no difference. */
  readonly localEndpoints?: readonly ProxiedEndpoint[] | undefined;
  /** Whether endpoints see the node as the source. */
  readonly isMasqueraded: boolean;
  /** What happens to traffic that leads nowhere. */
  readonly refusal?: "reject" | "drop" | undefined;
  readonly affinitySeconds: number;
  /** Who may use it; everybody if empty. */
  readonly sourceRanges: readonly string[];
}

/** All frontends of a port. */
export function frontends(port: ProxiedPort, chosen: ChosenEndpoints): readonly Frontend[] {
  const { family, protocol, affinitySeconds } = port;
  const name = `${port.service}:${port.name}`;
  const common = { name, family, protocol, port: port.port, affinitySeconds, sourceRanges: [] };
  const outer = { ...common, ...externalEndpoints(port, chosen) };
  return [
    {
      ...common,
      ...{ kind: "cluster-ip", address: port.clusterIP, isMasqueraded: false },
      ...internalEndpoints(port, chosen),
    },
    ...port.externalIPs.map((address): Frontend => ({ ...outer, kind: "external-ip", address })),
    ...port.loadBalancerIPs.map(
      (address): Frontend => ({
        ...outer,
        ...{ kind: "load-balancer-ip", address, sourceRanges: port.sourceRanges },
      }),
    ),
    ...(port.nodePort === 0
      ? []
      : [{ ...outer, kind: "node-port", port: port.nodePort } satisfies Frontend]),
  ];
}

type Leads = Pick<Frontend, "endpoints" | "localEndpoints" | "refusal">;

/** A service without any endpoints refuses at once; one that has some elsewhere may have more soon. */
function internalEndpoints({ isInternalLocal }: ProxiedPort, chosen: ChosenEndpoints): Leads {
  if (!chosen.areAnywhere) return { endpoints: [], refusal: "reject" };
  if (!isInternalLocal) return { endpoints: chosen.cluster };
  return { endpoints: chosen.local, refusal: chosen.local.length === 0 ? "drop" : undefined };
}

function externalEndpoints(
  { isExternalLocal }: ProxiedPort,
  chosen: ChosenEndpoints,
): Leads & Pick<Frontend, "isMasqueraded"> {
  if (!chosen.areAnywhere) return { endpoints: [], refusal: "reject", isMasqueraded: false };
  if (!isExternalLocal) return { endpoints: chosen.cluster, isMasqueraded: true };
  return {
    endpoints: chosen.cluster,
    localEndpoints: chosen.local,
    refusal: chosen.local.length === 0 ? "drop" : undefined,
    isMasqueraded: false,
  };
}
