import type { SettingWithoutEffect } from "../../flags/settings-without-effect.ts";

const noIpvs = "IPVS is not used";
const noWindows = "the proxy runs on Linux";
const noLimit = "requests to the API server are not limited";

/** Settings of a file that have no effect, with their defaults. Delete a row when its setting is implemented. */
export const ignoredSettings: Readonly<Record<string, SettingWithoutEffect>> = {
  "clientConnection.acceptContentTypes": {
    accepted: ["", "application/json"],
    because: "responses of the API server are read as JSON",
  },
  "clientConnection.contentType": {
    accepted: ["", "application/vnd.kubernetes.protobuf", "application/json"],
    because: "requests to the API server are encoded as JSON",
  },
  "clientConnection.qps": { accepted: [0, 5], because: noLimit },
  "clientConnection.burst": { accepted: [0, 10], because: noLimit },
  configSyncPeriod: { accepted: ["15m0s"], because: "the API is watched" },
  "logging.format": { accepted: ["", "text"], because: "--logging-format chooses the format" },
  "ipvs.syncPeriod": { accepted: ["0s", "30s"], because: noIpvs },
  "ipvs.minSyncPeriod": { accepted: ["0s"], because: noIpvs },
  "ipvs.scheduler": { accepted: [""], because: noIpvs },
  "ipvs.excludeCIDRs": { accepted: [null, []], because: noIpvs },
  "ipvs.strictARP": { accepted: [false], because: noIpvs },
  "ipvs.tcpTimeout": { accepted: ["0s"], because: noIpvs },
  "ipvs.tcpFinTimeout": { accepted: ["0s"], because: noIpvs },
  "ipvs.udpTimeout": { accepted: ["0s"], because: noIpvs },
  "winkernel.networkName": { accepted: [""], because: noWindows },
  "winkernel.sourceVip": { accepted: [""], because: noWindows },
  "winkernel.enableDSR": { accepted: [false], because: noWindows },
  "winkernel.rootHnsEndpointName": { accepted: [""], because: noWindows },
  "winkernel.forwardHealthCheckVip": { accepted: [false], because: noWindows },
  portRange: { accepted: [""], because: "kube-proxy ignores it, too" },
  windowsRunAsService: { accepted: [false], because: noWindows },
};
