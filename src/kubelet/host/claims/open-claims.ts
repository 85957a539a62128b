import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ResourceStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import { decodeClaimCheckpoint, encodeClaimCheckpoint } from "../../claims/claim-checkpoint.ts";
import { ClaimManager } from "../../claims/claim-manager.ts";
import { createClaimMetrics } from "../../claims/claim-metrics.ts";
import { claimStatuses } from "../../claims/claim-statuses.ts";
import { containerCdiDevices, containerClaims } from "../../claims/container-claims.ts";
import { type NodeClaim, NodeClaims } from "../../claims/node-claim.ts";
import { PodSetUpError } from "../../pod/pod-host.ts";
import { checkpointWriter } from "../checkpoint-writer.ts";
import type { PluginHandler } from "../plugins/plugin-handler.ts";
import { ClaimDrivers } from "./claim-drivers.ts";
import { openDeviceHealths } from "./open-device-healths.ts";
import { SliceWipes } from "./slice-wipes.ts";

export interface ClaimsOptions {
  /** The root folder of the kubelet. */
  readonly rootDir: string;
  /** Calls as the node. */
  readonly client: Client;
  readonly node: () => Node | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether containers of a pod run, or may run. */
  readonly isActive: (podUid: string) => Promise<boolean>;
  /** Called for a pod that has to be synced again. */
  readonly changed: (podUid: string) => void;
}

/** The claims of the pods of a node, and the drivers that prepare their devices. */
export interface Claims {
  /** Registers drivers. */
  readonly handler: PluginHandler;
  /** Prepares the claims of a pod that gets a new sandbox. Rejects with a `PodSetUpError`. */
  prepare(pod: Pod): Promise<void>;
  /** Unprepares the claims of a pod whose containers have ended, unless others use them. */
  unprepare(podUid: string): Promise<void>;
  /** The pods that use claims. */
  podUids(): readonly string[];
  /** The names of the devices that a container gets by its claims. Throws if one is not prepared. */
  cdiDevices(pod: Pod, container: Container): readonly string[];
  /** The health of the devices that a container has by its claims. */
  resourceStatuses(pod: Pod, container: string): readonly ResourceStatus[];
  /** The prepared claims of a container. */
  of(pod: Pod, container: Container): readonly NodeClaim[];
  /** Starts when the node is registered. */
  start(): void;
  close(): void;
}

/** Opens the claims of a node, as an earlier kubelet has left them. Rejects if it cannot be known what that is. */
export async function openClaims(options: ClaimsOptions): Promise<Claims> {
  const { rootDir, client, clock, log, changed } = options;
  const path = join(rootDir, checkpointName);
  const stored = await readStored(path);
  const write = checkpointWriter(path, stored);
  const claims = restored(stored, path);
  const metrics = createClaimMetrics(options.metrics, clock, () => claims.all());
  const wipes = new SliceWipes(options);
  const healths = await openDeviceHealths({ rootDir, clock, log, claims, changed });
  const drivers = new ClaimDrivers({
    ...{ ...options, metrics },
    health: healths.receiverOf,
    changed(driver, isUsable) {
      wipes.set(driver, isUsable);
      if (isUsable) for (const podUid of manager.takeFailing()) changed(podUid);
    },
  });
  const manager = new ClaimManager({
    ...{ claims, metrics },
    read: (namespace, name) => client.get(ResourceClaim, { namespace, name }),
    driver: (name) => drivers.get(name),
    save(all) {
      watchInactive();
      return write(encodeClaimCheckpoint(all));
    },
  });

  /** Unprepares the claims of pods that do not run here any more, for whatever reason nobody has done it. */
  const unprepareInactive = async (): Promise<void> => {
    for (const podUid of claims.podUids())
      try {
        if (!(await options.isActive(podUid))) await manager.unprepare(podUid);
      } catch (error) {
        log.warn("unpreparing the claims of a pod failed", { podUid, error });
      }
  };
  let timer: Timer | undefined;
  let isClosed = false;
  /** Looks every minute while there are claims. */
  function watchInactive(): void {
    if (timer || isClosed || claims.all().length === 0) return;
    timer = clock.setTimer(lookMs, () => {
      timer = undefined;
      void unprepareInactive().then(watchInactive);
    });
  }
  watchInactive();
  return {
    handler: drivers,
    async prepare(pod) {
      try {
        await manager.prepare(pod);
      } catch (cause) {
        const message = `Failed to prepare dynamic resources: ${errorMessage(cause)}`;
        throw new PodSetUpError("FailedPrepareDynamicResources", message);
      }
    },
    unprepare: (podUid) => manager.unprepare(podUid),
    podUids: () => [...claims.podUids()],
    cdiDevices: (pod, container) => containerCdiDevices(pod, container, claims),
    resourceStatuses: (pod, container) =>
      claimStatuses(pod, container, { claims, healths: healths.known, now: clock.now() }),
    of(pod, container) {
      try {
        return containerClaims(pod, container, claims);
      } catch (error) {
        log.warn("the claims of a container are not known", { container: container.name, error });
        return [];
      }
    },
    start: () => wipes.start(),
    close() {
      isClosed = true;
      timer?.cancel();
      wipes.close();
      drivers.close();
    },
  };
}

/** The file has upstream's name. */
const checkpointName = "dra_manager_state";
const lookMs = 60_000;

async function readStored(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Without knowing what drivers have prepared, a kubelet would never have them unprepare it. */
function restored(text: string | undefined, path: string): NodeClaims {
  const claims = new NodeClaims();
  if (text === undefined) return claims;
  try {
    for (const claim of decodeClaimCheckpoint(text)) claims.set(claim);
    return claims;
  } catch (cause) {
    throw new Error(`reading ${path} failed, drain the node and remove the file`, { cause });
  }
}
