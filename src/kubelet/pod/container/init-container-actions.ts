import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import type { ContainerToKill, PodActionsInput } from "../pod-actions.ts";
import { latestOf } from "../runtime-pod.ts";
import { hasChanged } from "./container-definition.ts";
import { isSidecar, needsStart } from "./restart-policy.ts";

export interface InitActions {
  readonly isInitialized: boolean;
  /** Whether an init container has failed for good, which ends the pod. */
  readonly killPod: boolean;
  readonly start: readonly string[];
  readonly kill: readonly ContainerToKill[];
}

/**
 * Decides which init containers to start: they run one after the other, but the next one may start as soon
 * as a sidecar has started. The last init container that the runtime has shows the pod's progress; before it,
 * only sidecars matter.
 */
export function initContainerActions(input: PodActionsInput): InitActions {
  const { pod } = input;
  const all = pod.spec.initContainers ?? [];
  if (all.length === 0) return { isInitialized: true, killPod: false, start: [], kill: [] };
  let isInitialized = hasBegun(input);
  let isPast = isInitialized;
  const start: string[] = [];
  const kill: ContainerToKill[] = [];
  for (let i = all.length - 1; i >= 0; i--) {
    const container = all[i] as Container;
    const verdict = verdictOn(container, isPast, input);
    if (!verdict) continue;
    if (verdict.fails) return { isInitialized: false, killPod: true, start: [], kill: [] };
    const next = all[i + 1];
    if (verdict.isDone && !next) isInitialized = true;
    if (verdict.isDone && next && !isPast) start.push(next.name);
    if (verdict.kill) kill.push(verdict.kill);
    if (verdict.starts) start.push(container.name);
    isPast ||= !verdict.isUnseen;
  }
  if (!isPast) start.push((all[0] as Container).name);
  return { isInitialized, killPod: false, start: start.reverse(), kill };
}

/** Whether an app container runs: then all init containers have succeeded before. */
const hasBegun = ({ pod, runtimePod }: PodActionsInput): boolean =>
  (pod.spec.containers ?? []).some(({ name }) => {
    const state = latestOf(runtimePod, name)?.state;
    return state === "created" || state === "running";
  });

/** The action for an init container; undefined if the runtime does not have it. */
function verdictOn(
  container: Container,
  isPast: boolean,
  input: PodActionsInput,
): Verdict | undefined {
  const status = latestOf(input.runtimePod, container.name);
  if (isSidecar(container)) {
    if (status) return sidecarVerdict(container, status, input);
    return isPast ? { starts: true, isUnseen: true } : undefined;
  }
  return status && !isPast ? initVerdict(container, status, input) : undefined;
}

interface Verdict {
  /** The next init container may start. */
  readonly isDone?: boolean;
  readonly starts?: boolean;
  readonly fails?: boolean;
  readonly kill?: ContainerToKill;
  /** The runtime does not have it, so that it shows no progress. */
  readonly isUnseen?: boolean;
}

function initVerdict(
  container: Container,
  { state, exitCode }: ContainerStatus,
  { pod, runtimePod }: PodActionsInput,
): Verdict {
  if (state === "running") return {};
  if (state === "exited" && exitCode === 0) return { isDone: true };
  if (state === "exited" && !needsStart(container, pod, runtimePod)) return { fails: true };
  return { starts: true };
}

function sidecarVerdict(
  container: Container,
  status: ContainerStatus,
  { probes, resizing }: PodActionsInput,
): Verdict {
  const { name, startupProbe, livenessProbe } = container;
  if (status.state !== "running") return { starts: true };
  if (startupProbe) {
    const startup = probes.startup(status.id);
    if (startup === "failure") {
      const message = `Init container ${name} failed startup probe`;
      return { starts: true, kill: { status, message, because: "startup" } };
    }
    if (startup !== "success") return {};
  }
  if (hasChanged(container, status)) {
    const message = `Init container ${name} definition changed`;
    return { isDone: true, starts: true, kill: { status, message, because: "" } };
  }
  if (livenessProbe && probes.liveness(status.id) === "failure") {
    const message = `Init container ${name} failed liveness probe`;
    return { isDone: true, starts: true, kill: { status, message, because: "liveness" } };
  }
  if (resizing?.has(name)) {
    const message = `Container ${name} resize requires restart`;
    return { isDone: true, starts: true, kill: { status, message, because: "" } };
  }
  return { isDone: true };
}
