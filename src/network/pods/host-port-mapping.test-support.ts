import type { PortMapping } from "../../cri/linux-types.ts";

/** A port of a pod with one of the node. */
export const portMapping = (change: Partial<PortMapping> = {}): PortMapping => ({
  ...{ protocol: "TCP", containerPort: 80, hostPort: 8080, hostIp: "", ...change },
});
