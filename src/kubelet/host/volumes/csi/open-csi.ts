import { mkdir, realpath } from "node:fs/promises";
import { Node } from "../../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import type { Metrics } from "../../../../base/metrics.ts";
import type { Random } from "../../../../base/random.ts";
import type { Client } from "../../../../client/client.ts";
import type { Informers } from "../../../../client/informer/informers.ts";
import type { KubeletEvent } from "../../../kubelet-events.ts";
import { hasSynced } from "../../../pod/has-synced.ts";
import type { PluginHandler } from "../../plugins/plugin-handler.ts";
import { serviceAccountTokens } from "../content/service-account-tokens.ts";
import { keyedLocks } from "../keyed-locks.ts";
import type { VolumePlugin } from "../volume-plugin.ts";
import { csiFolders } from "./csi-folders.ts";
import { createCsiMetrics } from "./csi-metrics.ts";
import type { CsiParts } from "./csi-parts.ts";
import { csiPlugin } from "./csi-plugin.ts";
import { followNode } from "./follow-node.ts";
import { updateAllocatable } from "./registration/allocatable-updates.ts";
import { createCsiDrivers } from "./registration/csi-drivers.ts";
import { csiRegistration } from "./registration/csi-registration.ts";
import { initializeCsiNode } from "./registration/initialize-csi-node.ts";
import { createNodeInfo } from "./registration/node-info.ts";
import { restoreVolumes } from "./restore-volumes.ts";
import { createUnstaging } from "./unstaging.ts";
import { createVolumesInUse } from "./volumes-in-use.ts";

/** The CSI drivers of a node, and the volumes that they provide. */
export interface Csi {
  /** Registers drivers. */
  readonly handler: PluginHandler;
  readonly plugin: VolumePlugin;
  /** The attachable volumes that are used; undefined before it is known which ones are attachable. */
  volumesInUse(): readonly string[] | undefined;
  /** Why the node is not ready. */
  problems(): readonly string[];
  /** Starts when the node is registered. */
  start(): void;
  close(): void;
}

export interface CsiOptions {
  readonly nodeName: string;
  /** The root folder of the kubelet. */
  readonly rootDir: string;
  /** Calls as the node. */
  readonly client: Client;
  readonly informers: Informers;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Records an event of a pod. */
  readonly record: (pod: Pod, event: KubeletEvent) => void;
  /** Records an event of a claim. */
  readonly recordClaim: (claim: PersistentVolumeClaim, event: KubeletEvent) => void;
  /** Called for a pod whose volumes must be set up or removed again. */
  readonly changed: (podUid: string) => void;
  /** Called when other volumes are used than before, which the status of the node must say. */
  readonly inUseChanged: () => void;
}

/** Opens the CSI drivers of a node, which register later. */
export async function openCsi(options: CsiOptions): Promise<Csi> {
  const { nodeName, informers, clock } = options;
  await mkdir(options.rootDir, { recursive: true, mode: 0o750 });
  const metrics = createCsiMetrics(options.metrics);
  const drivers = createCsiDrivers();
  const nodeInfo = createNodeInfo(options);
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
  const driverObjects = informers.of(CSIDriver);
  const csiNode = initializeCsiNode({ ...options, nodeInfo });
  const volumesInUse = (): readonly string[] | undefined => {
    if (!driverObjects.hasSynced) return undefined;
    return inUse.names(
      ({ driver }) => driverObjects.get({ name: driver })?.spec.attachRequired !== false,
    );
  };
  let reported = "";
  const inUse = createVolumesInUse(() => {
    const latest = volumesInUse()?.join() ?? "";
    if (latest !== reported) options.inUseChanged();
    reported = latest;
  });
  const parts: CsiParts = {
    ...options,
    ...{ drivers, inUse, staged: new Set<string>(), inTurn: keyedLocks() },
    node: () => nodes.get({ name: nodeName }),
    async driverObject(name) {
      if (!(await hasSynced(driverObjects, clock)))
        throw new Error("timed out waiting for the CSIDrivers to be listed");
      return driverObjects.get({ name });
    },
    // The mount table has no links.
    folders: csiFolders(await realpath(options.rootDir)),
    tokens: serviceAccountTokens(options),
  };
  const unstaging = createUnstaging(parts);
  const plugin = csiPlugin({ ...options, ...parts, unstaging });
  await restoreVolumes(parts, unstaging);
  const ends = [
    updateAllocatable({ ...options, drivers, driverObjects, nodeInfo }),
    drivers.onChange(() => plugin.wake()),
    followNode(nodes, () => plugin.wake()),
  ];
  return {
    handler: csiRegistration({ ...options, metrics, drivers, nodeInfo }),
    plugin,
    volumesInUse,
    problems: csiNode.problems,
    start: csiNode.start,
    close() {
      csiNode.close();
      unstaging.close();
      for (const end of ends) end();
      nodes.close();
      driverObjects.close();
      for (const name of drivers.names()) drivers.find(name)?.close();
    },
  };
}
