import { quote } from "../schema/values/quote.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import { blame, FitError, newDiagnosis } from "./framework/diagnosis.ts";
import { type Framework, fault } from "./framework/framework.ts";
import type { BindTarget } from "./framework/plugin.ts";
import type { With } from "./framework/plugin-lists.ts";
import type { PodInfo } from "./framework/pod-info.ts";
import { errorStatus, isRejected, type Status, saidBy, status } from "./framework/status.ts";

/** Sets aside what a pod needs on a node, as far as plugins know of it. */
export function runReserve(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): Status | undefined {
  return framework.timed("Reserve", () => {
    for (const plugin of framework.lists.reserve) {
      const said = caught(() => plugin.reserve?.(state, pod, node));
      if (said === undefined) continue;
      return isRejected(said)
        ? saidBy(plugin.name, said)
        : fault(`running Reserve plugin ${quote(plugin.name)}`, said);
    }
    return undefined;
  });
}

/** Takes back all that was set aside, the last first. */
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

/** Asks whether a pod may be bound; who wants it to wait is in `waits`, with for how long. */
export function runPermit(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): { readonly status?: Status | undefined; readonly waits: ReadonlyMap<string, number> } {
  const waits = new Map<string, number>();
  const said = framework.timed("Permit", () => {
    for (const plugin of framework.lists.permit) {
      let timeoutMs = 0;
      const one = caught(() => {
        const result = plugin.permit(state, pod, node);
        timeoutMs = result?.timeoutMs ?? 0;
        return result?.status;
      });
      if (one === undefined) continue;
      if (isRejected(one)) return saidBy(plugin.name, one);
      if (one.code !== "Wait")
        return fault(`running Permit plugin ${quote(plugin.name)}`, one, plugin.name);
      waits.set(plugin.name, Math.min(timeoutMs, longestWaitMs));
    }
    return waits.size > 0
      ? status("Wait", "one or more plugins asked to wait and no plugin rejected pod")
      : undefined;
  });
  return { status: said?.code === "Wait" ? undefined : said, waits };
}

const longestWaitMs = 15 * 60_000;

/** Asks who has something to do before the pod is bound; `Skip` where nobody has. */
export function runPreBindPreFlights(
  framework: Framework,
  state: CycleState,
  { pod, node }: PodAndNode,
): Status | undefined {
  return framework.timed("PreBindPreFlight", () => {
    let answer: Status | undefined = status("Skip");
    for (const plugin of framework.lists.preBind) {
      // Who cannot say it is taken to have something to do.
      const said = caught(() => {
        const result = plugin.preBindPreFlight?.(state, pod, node);
        if (result && "mayRunInParallel" in result) {
          if (result.mayRunInParallel) state.parallelPreBind.add(plugin.name);
          return undefined;
        }
        return result;
      });
      if (said === undefined) answer = undefined;
      else if (said.code === "Skip") state.skipPreBind.add(plugin.name);
      else if (said.code === "Error")
        return fault(`running PreBindPreFlight ${quote(plugin.name)}`, said);
      else
        return errorStatus(
          new Error(
            `PreBindPreFlight ${plugin.name} returned ${quote(said.code)}, which is unsupported. It is supposed to return Success, Skip, or Error status`,
          ),
        );
    }
    return answer;
  });
}

/** Does what must be done before a pod is bound: neighbours that do not mind do it side by side. */
export async function runPreBind(
  framework: Framework,
  state: CycleState,
  { pod, target }: PodAndTarget,
): Promise<Status | undefined> {
  const since = framework.ticks();
  const run = async (plugin: With<"preBind">): Promise<Status | undefined> => {
    const said = await settled(() => plugin.preBind(state, pod, target));
    if (said === undefined) return undefined;
    if (isRejected(said)) return saidBy(plugin.name, said);
    return fault(`running PreBind plugin ${quote(plugin.name)}`, said);
  };
  let answer: Status | undefined;
  for (const group of preBindGroups(framework.lists.preBind, state)) {
    const said = await Promise.all(group.map(run));
    answer = said.find((one) => one !== undefined);
    if (answer) break;
  }
  framework.observePoint("PreBind", answer, since);
  return answer;
}

/** Binds a pod: the first plugin that does not leave it to others. */
export async function runBind(
  framework: Framework,
  state: CycleState,
  { pod, target }: PodAndTarget,
): Promise<Status | undefined> {
  const since = framework.ticks();
  let answer: Status | undefined = status("Skip");
  for (const plugin of framework.lists.bind) {
    const said = await settled(() => plugin.bind(state, pod, target));
    if (said?.code === "Skip") continue;
    if (said === undefined) answer = undefined;
    else
      answer = isRejected(said)
        ? saidBy(plugin.name, said)
        : fault(`running Bind plugin ${quote(plugin.name)}`, said);
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

/** A pod that was turned away after a node was chosen, as if no node suited it. */
export function rejectedOn(node: string, pod: PodInfo, said: Status): Status {
  const diagnosis = newDiagnosis();
  diagnosis.nodes.set(node, said);
  blame(diagnosis, said);
  const error = new FitError(pod, 1, diagnosis);
  return { code: said.code, reasons: [error.message], error };
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
