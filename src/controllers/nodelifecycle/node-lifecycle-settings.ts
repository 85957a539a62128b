import {
  durationSetting,
  floatSetting,
  intSetting,
  type SettingValues,
} from "../controller-setting.ts";

export const nodeLifecycleSettings = {
  nodeMonitorPeriodMs: durationSetting({
    flag: "node-monitor-period",
    field: "KubeCloudShared.NodeMonitorPeriod",
    usage: "how often node-lifecycle-controller checks the state of nodes",
    default: 5_000,
    section: "Generic",
  }),
  nodeMonitorGracePeriodMs: durationSetting({
    flag: "node-monitor-grace-period",
    field: "NodeLifecycleController.NodeMonitorGracePeriod",
    usage:
      "how long a node may be silent before it counts as unreachable; several times as long as kubelets take between two heartbeats",
    default: 50_000,
  }),
  nodeStartupGracePeriodMs: durationSetting({
    flag: "node-startup-grace-period",
    field: "NodeLifecycleController.NodeStartupGracePeriod",
    usage: "the same of a node that is new",
    default: 60_000,
  }),
  nodeEvictionRate: floatSetting({
    flag: "node-eviction-rate",
    field: "NodeLifecycleController.NodeEvictionRate",
    usage: "from how many nodes a second pods are removed when nodes fail in a healthy zone",
    default: 0.1,
  }),
  secondaryNodeEvictionRate: floatSetting({
    flag: "secondary-node-eviction-rate",
    field: "NodeLifecycleController.SecondaryNodeEvictionRate",
    usage: "the same in an unhealthy zone that is large; in a small one it is 0",
    default: 0.01,
  }),
  largeClusterSizeThreshold: intSetting({
    flag: "large-cluster-size-threshold",
    field: "NodeLifecycleController.LargeClusterSizeThreshold",
    usage: "a zone of more nodes than this is large",
    default: 50,
  }),
  unhealthyZoneThreshold: floatSetting({
    flag: "unhealthy-zone-threshold",
    field: "NodeLifecycleController.UnhealthyZoneThreshold",
    usage: "which part of a zone's nodes, at least 3, must fail for it to be unhealthy",
    default: 0.55,
  }),
};

export type NodeLifecycleSettings = SettingValues<typeof nodeLifecycleSettings>;
