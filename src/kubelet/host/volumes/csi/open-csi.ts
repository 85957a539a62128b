import { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import type { Metrics } from "../../../../base/metrics.ts";
import type { Client } from "../../../../client/client.ts";
import type { Informers } from "../../../../client/informer/informers.ts";
import type { PluginHandler } from "../../plugins/plugin-handler.ts";
import { createCsiMetrics } from "./csi-metrics.ts";
import { updateAllocatable } from "./registration/allocatable-updates.ts";
import { createCsiDrivers } from "./registration/csi-drivers.ts";
import { csiRegistration } from "./registration/csi-registration.ts";
import { initializeCsiNode } from "./registration/initialize-csi-node.ts";
import { createNodeInfo } from "./registration/node-info.ts";

/** The CSI drivers of a node. */
export interface Csi {
  /** Registers drivers. */
  readonly handler: PluginHandler;
  /** Why the node is not ready. */
  problems(): readonly string[];
  /** Starts when the node is registered. */
  start(): void;
  close(): void;
}

export interface CsiOptions {
  readonly nodeName: string;
  /** Calls as the node. */
  readonly client: Client;
  readonly informers: Informers;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the CSI drivers of a node, which register later. */
export function openCsi(options: CsiOptions): Csi {
  const metrics = createCsiMetrics(options.metrics);
  const drivers = createCsiDrivers();
  const nodeInfo = createNodeInfo(options);
  const driverObjects = options.informers.of(CSIDriver);
  const csiNode = initializeCsiNode({ ...options, nodeInfo });
  const endUpdates = updateAllocatable({ ...options, drivers, driverObjects, nodeInfo });
  return {
    handler: csiRegistration({ ...options, metrics, drivers, nodeInfo }),
    problems: csiNode.problems,
    start: csiNode.start,
    close() {
      csiNode.close();
      endUpdates();
      driverObjects.close();
      for (const name of drivers.names()) drivers.find(name)?.close();
    },
  };
}
