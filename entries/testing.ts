export { VirtualClock, type VirtualClockOptions } from "../src/base/virtual-clock.ts";
export type { Cluster } from "../src/testing/cluster.ts";
export { type ClusterOptions, startCluster } from "../src/testing/start-cluster.ts";
