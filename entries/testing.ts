export type { ApiRequest, ApiResponse } from "../src/apiserver/request/request.ts";
export type { Clock, Timer } from "../src/base/clock.ts";
export type { Log } from "../src/base/log.ts";
export type { Random } from "../src/base/random.ts";
export { VirtualClock, type VirtualClockOptions } from "../src/base/virtual-clock.ts";
export type { Cluster, ClusterServer } from "../src/testing/cluster.ts";
export type { Fault, FaultRule, Faults, FaultyCall } from "../src/testing/faults/fault.ts";
export type { RunningControllers, RunOptions } from "../src/testing/run-controllers.ts";
export type { ServedWebhook, WebhookFunction } from "../src/testing/serve-webhook.ts";
export {
  type ClusterOptions,
  type PluginNames,
  startCluster,
} from "../src/testing/start-cluster.ts";
