/** The parts of the cluster's network that a node can provide. */
export const networkPartNames = ["routes", "proxy", "policies", "dns"] as const;

export type NetworkPartName = (typeof networkPartNames)[number];
