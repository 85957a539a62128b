import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../../base/clock.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { type Helper, helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";

/** How an object is scaled. */
export interface Scaling {
  readonly replicas: number;
  /** The size that it must have; -1 for any. */
  readonly currentReplicas: number;
  /** The version that it must have; empty for any. */
  readonly resourceVersion: string;
  readonly isDryRun: boolean;
  /** How long to wait until the replicas are there; 0 to not wait. */
  readonly waitMs: number;
}

/** The subresource `scale`, as far as it matters here. */
interface Scale extends DynamicObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

type ScaleContext = Pick<CommandContext, "factory" | "signal">;

/** Scales an object through its subresource, again while others change it; returns its size. */
export async function scaleObject(
  context: ScaleContext,
  info: Info,
  scaling: Scaling,
): Promise<number> {
  const { factory, signal } = context;
  const requests = helper(await factory.client(), kindOf(info), {
    subresource: "scale",
    isDryRun: scaling.isDryRun,
    signal,
    onWarning: (text) => factory.warn(text),
  });
  let size = 0;
  await poll(context, retryLimitMs, async () => {
    try {
      size = await scaleOnce(requests, info, scaling);
      return true;
    } catch (error) {
      if (StatusError.is(error, "Conflict")) return false;
      throw error;
    }
  });
  if (scaling.waitMs !== 0) await untilScaled(context, { requests, info, scaling });
  return size;
}

const retryLimitMs = 300_000;

async function scaleOnce(
  requests: Helper,
  info: Info,
  { replicas, currentReplicas, resourceVersion }: Scaling,
): Promise<number> {
  let scale: Scale;
  if (currentReplicas === -1 && resourceVersion === "")
    scale = await requests.patch(info, { type: "merge", body: { spec: { replicas } } });
  else {
    const before: Scale = await requests.get(info);
    const size = before.spec?.replicas ?? 0;
    if (currentReplicas !== -1 && size !== currentReplicas)
      throw new Error(`Expected replicas to be ${currentReplicas}, was ${size}`);
    const { resourceVersion: version = "" } = before.metadata;
    if (resourceVersion !== "" && version !== resourceVersion)
      throw new Error(`Expected resource version to be ${resourceVersion}, was ${version}`);
    scale = await requests.replace(info, { ...before, spec: { ...before.spec, replicas } });
  }
  return scale.spec?.replicas ?? 0;
}

/** Waits until there are as many replicas as wanted, or until something else is wanted. */
async function untilScaled(
  context: ScaleContext,
  {
    requests,
    info,
    scaling,
  }: { readonly requests: Helper; readonly info: Info; readonly scaling: Scaling },
): Promise<void> {
  const { replicas, waitMs } = scaling;
  try {
    await poll(context, waitMs, async () => {
      const { spec, status }: Scale = await requests.get(info);
      if ((spec?.replicas ?? 0) !== replicas) return true;
      return (status?.replicas ?? 0) === replicas;
    });
  } catch (error) {
    if (!(error instanceof PollTimeout)) throw error;
    throw new Error(`timed out waiting for "${info.name}" to be synced`, { cause: error });
  }
}

class PollTimeout extends Error {
  override readonly name = "PollTimeout";

  constructor() {
    super("context deadline exceeded");
  }
}

/** Asks every second, the first time at once. */
async function poll(
  { factory, signal }: ScaleContext,
  timeoutMs: number,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { clock } = factory;
  const deadline = clock.now() + timeoutMs;
  while (!(await isDone())) {
    const left = deadline - clock.now();
    await sleep(clock, Math.max(0, Math.min(left, pollMs)), signal);
    if (left < pollMs) throw new PollTimeout();
  }
}

const pollMs = 1000;
