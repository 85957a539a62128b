import { quote } from "../schema/values/quote.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import { FitError, newDiagnosis, recordRejection } from "./framework/diagnosis.ts";
import { type Framework, fault } from "./framework/framework.ts";
import type { BindTarget } from "./framework/plugin.ts";
import type { With } from "./framework/plugin-lists.ts";
import type { PodInfo } from "./framework/pod-info.ts";
import { errorStatus, isRejected, type Status, status, withPlugin } from "./framework/status.ts";

/** Runs the reserve plugins for a pod and a node. */
export function runReserve(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): Status | undefined {
  return framework.timed("Reserve", () => {
    for (const plugin of framework.lists.reserve) {
      const outcome = caught(() => plugin.reserve?.(state, pod, node));
      if (outcome === undefined) continue;
      return isRejected(outcome)
        ? withPlugin(plugin.name, outcome)
        : fault(`running Reserve plugin ${quote(plugin.name)}`, outcome);
    }
    return undefined;
  });
}

/** Runs unreserve of all plugins, in reverse order. */
export function runUnreserve(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): void {
  framework.timed("Unreserve", () => {
    for (const plugin of framework.lists.reserve.toReversed()) plugin.unreserve?.(state, pod, node);
    return undefined;
  });
}

export interface PermitOutcome {
  /** Why the pod is rejected. */
  readonly status?: Status | undefined;
  /** Why it has to wait. */
  readonly wait?: Status | undefined;
  /** The plugins that delay the pod, with their timeout. */
  readonly waits: ReadonlyMap<string, number>;
}

/** Runs the permit plugins. */
export function runPermit(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): PermitOutcome {
  const waits = new Map<string, number>();
  let reasons: readonly string[] = [];
  const outcome = framework.timed("Permit", () => {
    for (const plugin of framework.lists.permit) {
      let timeoutMs = 0;
      const one = caught(() => {
        const result = plugin.permit(state, pod, node);
        timeoutMs = result?.timeoutMs ?? 0;
        return result?.status;
      });
      if (one === undefined) continue;
      if (isRejected(one)) return withPlugin(plugin.name, one);
      if (one.code !== "Wait")
        return fault(`running Permit plugin ${quote(plugin.name)}`, one, plugin.name);
      waits.set(plugin.name, Math.min(timeoutMs, longestWaitMs));
      reasons = one.reasons;
    }
    return waits.size > 0
      ? status("Wait", ...reasons, "one or more plugins asked to wait and no plugin rejected pod")
      : undefined;
  });
  return outcome?.code === "Wait" ? { wait: outcome, waits } : { status: outcome, waits };
}

const longestWaitMs = 15 * 60_000;

/** Runs the preBindPreFlight plugins; returns `Skip` if no plugin has work to do. */
export function runPreBindPreFlights(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): Status | undefined {
  return framework.timed("PreBindPreFlight", () => {
    let answer: Status | undefined = status("Skip");
    for (const plugin of framework.lists.preBind) {
      // A plugin without a pre-flight, or one that fails, is assumed to have work to do.
      const outcome = caught(() => {
        const result = plugin.preBindPreFlight?.(state, pod, node);
        if (result && "mayRunInParallel" in result) {
          if (result.mayRunInParallel) state.parallelPreBind.add(plugin.name);
          return undefined;
        }
        return result;
      });
      if (outcome === undefined) answer = undefined;
      else if (outcome.code === "Skip") state.skipPreBind.add(plugin.name);
      else if (outcome.code === "Error")
        return fault(`running PreBindPreFlight ${quote(plugin.name)}`, outcome);
      else
        return errorStatus(
          new Error(
            `PreBindPreFlight ${plugin.name} returned ${quote(outcome.code)}, which is unsupported. It is supposed to return Success, Skip, or Error status`,
          ),
        );
    }
    return answer;
  });
}

/** Runs the preBind plugins; adjacent plugins that allow it run in parallel. */
export async function runPreBind(
  framework: Framework,
  state: CycleState,
  { pod, target }: PodAndTarget,
): Promise<Status | undefined> {
  const since = framework.ticks();
  const run = async (plugin: With<"preBind">): Promise<Status | undefined> => {
    const outcome = await settled(() => plugin.preBind(state, pod, target));
    if (outcome === undefined) return undefined;
    if (isRejected(outcome)) return withPlugin(plugin.name, outcome);
    return fault(`running PreBind plugin ${quote(plugin.name)}`, outcome);
  };
  let answer: Status | undefined;
  for (const group of preBindGroups(framework.lists.preBind, state)) {
    const outcome = await Promise.all(group.map(run));
    answer = outcome.find((one) => one !== undefined);
    if (answer) break;
  }
  framework.observePoint("PreBind", answer, since);
  return answer;
}

/** Runs the bind plugins until one does not skip. */
export async function runBind(
  framework: Framework,
  state: CycleState,
  { pod, target }: PodAndTarget,
): Promise<Status | undefined> {
  const since = framework.ticks();
  let answer: Status | undefined = status("Skip");
  for (const plugin of framework.lists.bind) {
    const outcome = await settled(() => plugin.bind(state, pod, target));
    if (outcome?.code === "Skip") continue;
    if (outcome === undefined) answer = undefined;
    else
      answer = isRejected(outcome)
        ? withPlugin(plugin.name, outcome)
        : fault(`running Bind plugin ${quote(plugin.name)}`, outcome);
    break;
  }
  framework.observePoint("Bind", answer, since);
  return answer;
}

export function runPostBind(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): void {
  framework.timed("PostBind", () => {
    for (const plugin of framework.lists.postBind) plugin.postBind(state, pod, node);
    return undefined;
  });
}

/** Converts a rejection after the choice of a node to a fit error, as if no node had fitted. */
export function rejectedOn(node: string, pod: PodInfo, outcome: Status): Status {
  const diagnosis = newDiagnosis();
  diagnosis.nodes.set(node, outcome);
  recordRejection(diagnosis, outcome);
  const error = new FitError(pod, 1, diagnosis);
  return { code: outcome.code, reasons: [error.message], error };
}

export interface PodAndNode {
  readonly pod: PodInfo;
  readonly node: string;
}

export interface PodAndTarget {
  readonly pod: PodInfo;
  readonly target: BindTarget;
}

function preBindGroups(
  plugins: readonly With<"preBind">[],
  { skipPreBind, parallelPreBind }: CycleState,
): readonly (readonly With<"preBind">[])[] {
  const groups: With<"preBind">[][] = [];
  let open: With<"preBind">[] | undefined;
  for (const plugin of plugins) {
    const isParallel = parallelPreBind.has(plugin.name);
    if (!isParallel) open = undefined;
    if (skipPreBind.has(plugin.name)) continue;
    if (isParallel && open) {
      open.push(plugin);
    } else {
      const group = [plugin];
      groups.push(group);
      open = isParallel ? group : undefined;
    }
  }
  return groups;
}

function caught(run: () => Status | undefined): Status | undefined {
  try {
    return run();
  } catch (error) {
    return errorStatus(error);
  }
}

async function settled(run: () => Promise<Status | undefined>): Promise<Status | undefined> {
  try {
    return await run();
  } catch (error) {
    return errorStatus(error);
  }
}
