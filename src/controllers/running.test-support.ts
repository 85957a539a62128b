import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Cluster } from "../testing/cluster.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { type ControllerModule, type CreateOptions, createParts } from "./controller-module.ts";

/** What runs of a controller in a test: as in the program, with settings by the names of flags. */
export function partsOf(
  module: ControllerModule,
  options?: CreateOptions,
): readonly (Controller | Runnable)[] {
  const parts = createParts(module, options);
  if (!parts) throw new Error(`${module.name} has nothing to run`);
  return parts.run;
}

/** A cluster on a virtual clock with controllers at work in it. */
export interface RunningCluster extends Cluster {
  /** Stops the controllers, and ends the cluster. */
  end(): Promise<void>;
}

/** A new cluster with controllers at work in it, whose calls can meet faults. */
export async function runningCluster(...parts: (Controller | Runnable)[]): Promise<RunningCluster> {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  return runningOn({ ...cluster, transport: cluster.faults.transport("controllers") }, ...parts);
}

/** A cluster that is there, with controllers at work in it. */
export async function runningOn(
  cluster: Cluster,
  ...parts: (Controller | Runnable)[]
): Promise<RunningCluster> {
  const stop = new AbortController();
  const manager = createManager({ ...cluster, clientOptions: { omitEmpty: true } });
  for (const part of parts) manager.add(part);
  let isRunning = true;
  const running = manager.run({ signal: stop.signal }).finally(() => {
    isRunning = false;
  });
  await cluster.settled();
  const end = async (): Promise<void> => {
    stop.abort();
    // What is under way may take its time.
    while (isRunning) await cluster.advance("1s");
    await running;
    await cluster.close();
  };
  return { ...cluster, end };
}
