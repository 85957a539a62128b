import { aggregateMessage } from "../../base/aggregate-message.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import {
  type ContainerPolicy,
  containersToRemove,
  sandboxesToRemove,
} from "./container-garbage.ts";

/** Removes what is left of containers and pods that ended. */
export interface ContainerCollector {
  /** Rejects if what there is could not be listed; what cannot be removed is tried again the next time. */
  collect(pods: PodStates): Promise<void>;
}

/** What is known of pods, by UID. */
export interface PodStates {
  /** Whether all of a pod is to be removed. */
  readonly isRemovable: (podUid: string) => boolean;
  /** Whether a pod was deleted: its logs are removed, too. */
  readonly isDeleted: (podUid: string) => boolean;
}

/** The logs of containers on the machine. */
export interface LogRemover {
  /** Removes the log of a container that is about to be removed, rotated files included. */
  removeContainerLogs(container: ContainerStatus): Promise<void>;
  /** Removes the logs of pods that were deleted, and links to logs that are gone. */
  removePodLogs(isDeleted: (podUid: string) => boolean): Promise<void>;
}

export interface ContainerCollectorOptions {
  readonly runtime: RuntimeService;
  readonly policy: ContainerPolicy;
  readonly logs?: LogRemover | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function createContainerCollector(options: ContainerCollectorOptions): ContainerCollector {
  const { runtime, policy, logs, clock, log } = options;

  const remove = async (container: ContainerStatus): Promise<void> => {
    const { id, state } = container;
    try {
      // A container in an unknown state may run.
      if (state === "unknown") await runtime.stopContainer(id, graceSeconds);
      await logs?.removeContainerLogs(container);
      await runtime.removeContainer(id);
    } catch (error) {
      log.warn("removing a container failed", { container: id, error });
    }
  };
  const removeSandbox = async (id: string): Promise<void> => {
    try {
      await runtime.stopPodSandbox(id);
      await runtime.removePodSandbox(id);
    } catch (error) {
      log.warn("removing a sandbox failed", { sandbox: id, error });
    }
  };

  return {
    async collect({ isRemovable, isDeleted }) {
      const failures: string[] = [];
      const attempt = async (work: () => Promise<void>): Promise<void> => {
        await work().catch((error: unknown) => failures.push(errorMessage(error)));
      };
      await attempt(async () => {
        const all = await runtime.listContainers();
        const remains = { isRemovable, now: clock.now() };
        for (const container of containersToRemove(all, policy, remains)) await remove(container);
      });
      await attempt(async () => {
        const containers = await runtime.listContainers();
        const sandboxes = await runtime.listPodSandboxes();
        for (const { id } of sandboxesToRemove(sandboxes, containers, { isRemovable }))
          await removeSandbox(id);
      });
      await attempt(async () => logs?.removePodLogs(isDeleted));
      if (failures.length > 0) throw new Error(aggregateMessage(failures));
    },
  };
}

const graceSeconds = 2;
