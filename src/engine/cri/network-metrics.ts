import type { InterfaceCounters } from "../../cri/parse-interfaces.ts";
import type { MetricRow } from "./metric-row.ts";

type Row = MetricRow<readonly InterfaceCounters[]>;

const row = (name: string, help: string, key: keyof Omit<InterfaceCounters, "name">): Row => ({
  name: `container_network_${name}_total`,
  ...{ help, type: "counter", keys: ["interface"] },
  values: (interfaces) => interfaces.map((one) => ({ value: one[key], labels: [one.name] })),
});

/** The metrics of a pod's network. */
export const networkMetricRows: readonly Row[] = [
  row("receive_bytes", "Bytes received.", "rxBytes"),
  row("receive_packets", "Packets received.", "rxPackets"),
  row("receive_packets_dropped", "Received packets that were dropped.", "rxDropped"),
  row("receive_errors", "Errors of receiving.", "rxErrors"),
  row("transmit_bytes", "Bytes sent.", "txBytes"),
  row("transmit_packets", "Packets sent.", "txPackets"),
  row("transmit_packets_dropped", "Packets that were dropped before they were sent.", "txDropped"),
  row("transmit_errors", "Errors of sending.", "txErrors"),
];
