/// <reference lib="esnext.disposable" preserve="true" />
import { type Impersonation, impersonationHeaders } from "../client/impersonated-user.ts";
import type { Transport } from "../client/transport.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type {
  Manager,
  ManagerOptions,
  Runnable,
} from "../controller-runtime/manager/manager-options.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Cluster } from "./cluster.ts";

/** Options of the manager that runs controllers in a test; the cluster gives it transport, clock and chance. */
export interface RunOptions
  extends Omit<
    Partial<ManagerOptions>,
    "transport" | "clock" | "random" | "controllers" | "runnables"
  > {
  /**
   * The user that the controllers are, such as `system:serviceaccount:default:widgets`: then they may do
   * what its roles permit. Default: an administrator.
   */
  readonly as?: string | Impersonation | undefined;
  /** The name by which `cluster.faults` knows them. Default: the name of the first. */
  readonly component?: string | undefined;
}

/** Controllers that run in a test, until they are stopped or disposed of. */
export interface RunningControllers extends AsyncDisposable {
  readonly manager: Manager;
  /** Stops them in order; rejects with the error that has stopped them before. */
  stop(): Promise<void>;
}

/** Runs controllers against a cluster; resolves once they have reconciled what there is. */
export async function runControllers(
  cluster: Pick<Cluster, "faults" | "clock" | "random" | "settled">,
  parts: readonly (Controller | Runnable)[],
  { as, component, ...options }: RunOptions,
): Promise<RunningControllers> {
  const name = component ?? parts[0]?.name ?? "manager";
  const transport = cluster.faults.transport(name);
  const manager = createManager({
    ...options,
    transport: as === undefined ? transport : impersonating(transport, as),
    clock: cluster.clock,
    random: cluster.random,
  });
  for (const part of parts) manager.add(part);
  const ending = new AbortController();
  const ended = manager.run({ signal: ending.signal });
  // The error reaches whoever stops them.
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    ending.abort();
    await ended;
  };
  await Promise.race([cluster.settled(), ended]);
  return { manager, stop, [Symbol.asyncDispose]: stop };
}

function impersonating(transport: Transport, as: string | Impersonation): Transport {
  const headers = impersonationHeaders(typeof as === "string" ? userOf(as) : as);
  return (request) => transport({ ...request, headers: { ...headers, ...request.headers } });
}

/** A service account has its groups, as if it had authenticated itself. */
function userOf(user: string): Impersonation {
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user)?.[1];
  if (namespace === undefined) return { user };
  return { user, groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`] };
}
