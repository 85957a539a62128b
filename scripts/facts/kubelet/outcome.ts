import type { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import { compareStable, compareText, isMembers, stable } from "../values.ts";
import type {
  Comparison,
  KubeletOutcome,
  ShownAnswer,
  ShownContainer,
  ShownEvent,
  ShownPod,
  ShownState,
  ShownStatus,
} from "./kubelet-scenario.ts";

type PodStatus = NonNullable<Pod["status"]>;
type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];

/** What is recorded of a pod's status. */
export function shownStatus({ metadata, status }: Pod): ShownStatus {
  const { phase, reason, message, qosClass, conditions = [] } = status ?? {};
  const shown = {
    phase,
    reason,
    message,
    qosClass,
    deleting: metadata?.deletionTimestamp === undefined ? undefined : true,
    conditions: conditions
      .filter(({ type }) => type !== "PodScheduled")
      .map(({ type, status, reason, message }) => ({ type, status, reason, message }))
      .sort((a, b) => compareText(a.type, b.type)),
    initContainerStatuses: status?.initContainerStatuses?.map(shownContainer),
    containerStatuses: status?.containerStatuses?.map(shownContainer),
    ephemeralContainerStatuses: status?.ephemeralContainerStatuses?.map(shownContainer),
  };
  return JSON.parse(JSON.stringify(shown)) as ShownStatus;
}

function shownContainer(container: ContainerStatus): ShownContainer {
  const { name, ready, started, restartCount, allocatedResources, resources } = container;
  return {
    name,
    ready,
    started,
    restartCount,
    state: shownState(container.state),
    lastState: shownState(container.lastState),
    ...(allocatedResources && { allocatedResources }),
    ...(isMembers(resources) && Object.keys(resources).length > 0 && { resources }),
  } as ShownContainer;
}

function shownState(state: ContainerStatus["state"]): ShownState | undefined {
  if (state?.running) return { running: {} };
  if (state?.waiting) return { waiting: state.waiting } as ShownState;
  if (!state?.terminated) return undefined;
  const { exitCode, signal, reason, message } = state.terminated;
  return { terminated: { exitCode, signal, reason, message } };
}

/** The distinct statuses in order. When containers may start is a race: only the last status has it. */
export function distinctStatuses(statuses: readonly ShownStatus[]): readonly ShownStatus[] {
  const distinct: ShownStatus[] = [];
  for (const [i, status] of statuses.entries()) {
    const previous = distinct.at(-1);
    const bare = withoutStartCondition(status);
    if (previous && stable(withoutStartCondition(previous)) === stable(bare)) distinct.pop();
    distinct.push(i === statuses.length - 1 ? status : bare);
  }
  return distinct;
}

const withoutStartCondition = (status: ShownStatus): ShownStatus => ({
  ...status,
  conditions: status.conditions.filter(({ type }) => type !== "PodReadyToStartContainers"),
});

/** What is compared of an outcome. */
export function comparedOutcome(
  outcome: KubeletOutcome,
  { last = false, set = false, noEvents = false }: Comparison = {},
): KubeletOutcome {
  const { answers, pods, events = [] } = outcome;
  const lastStatus = (pod: ShownPod) => ({ ...pod, statuses: pod.statuses.slice(-1) });
  return {
    answers,
    pods: last ? mapValues(pods, lastStatus) : pods,
    ...(!noEvents && { events: set ? events.toSorted(compareStable) : events }),
  };
}

/** An outcome without the words of the container runtime: they are not the kubelet's. */
export function withoutRuntimeWords({
  answers,
  pods,
  events = [],
}: KubeletOutcome): KubeletOutcome {
  const runtimeErrors = new Set<string>();
  const state = (held: ShownState | undefined) => withoutRuntimeError(held, runtimeErrors);
  const container = (held: ShownContainer) =>
    dropUndefined({ ...held, state: state(held.state), lastState: state(held.lastState) });
  const status = (held: ShownStatus) =>
    dropUndefined({
      ...held,
      initContainerStatuses: held.initContainerStatuses?.map(container),
      containerStatuses: held.containerStatuses?.map(container),
      ephemeralContainerStatuses: held.ephemeralContainerStatuses?.map(container),
    }) as ShownStatus;
  return {
    answers: answers.map(withoutExecError),
    pods: mapValues(pods, (pod) => ({ ...pod, statuses: pod.statuses.map(status) })),
    // After the pods: their errors stand in events, too.
    events: events.map((event) => withoutEventError(event, runtimeErrors)),
  };
}

const createReasons = new Set(["CreateContainerError", "RunContainerError"]);
const startReasons = new Set(["StartError", "ContainerCannotRun"]);

function withoutRuntimeError(
  state: ShownState | undefined,
  found: Set<string>,
): ShownState | undefined {
  const { waiting, terminated } = state ?? {};
  const { reason = "", message } = waiting ?? terminated ?? {};
  if (message === undefined) return state;
  if (waiting && reason === "ErrImagePull")
    return { waiting: { ...waiting, message: "<pull error>" } };
  if (waiting && reason === "ImagePullBackOff") {
    const masked = message.replace(/(ErrImagePull: )[\s\S]*/, "$1<pull error>");
    return { waiting: { ...waiting, message: masked } };
  }
  if (waiting && createReasons.has(reason)) {
    found.add(message);
    return { waiting: { ...waiting, message: "<runtime error>" } };
  }
  if (terminated && startReasons.has(reason)) {
    found.add(message);
    return { terminated: { ...terminated, message: "<runtime error>" } };
  }
  return state;
}

function withoutEventError(event: ShownEvent, runtimeErrors: ReadonlySet<string>): ShownEvent {
  let { message } = event;
  if (event.reason === "Failed")
    message = message.replace(/^(Failed to pull image "[^"]*")[\s\S]*/, "$1: <pull error>");
  if (message.startsWith("Error: ") && runtimeErrors.has(message.slice("Error: ".length)))
    message = "Error: <runtime error>";
  return { ...event, message: message.replace(/rpc error: code = [\s\S]*/, "<runtime error>") };
}

function withoutExecError(answer: ShownAnswer): ShownAnswer {
  const { message } = answer;
  if (!message) return answer;
  const pattern = /(error executing command in container: )[\s\S]*/;
  return { ...answer, message: message.replace(pattern, "$1<runtime error>") };
}

const dropUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as T;

const mapValues = <T>(
  values: Readonly<Record<string, T>>,
  map: (value: T) => T,
): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
