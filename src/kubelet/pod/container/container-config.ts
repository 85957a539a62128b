import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type {
  ContainerConfig,
  ContainerResources,
  EnvVar,
  PodSandboxConfig,
} from "../../../cri/runtime-types.ts";
import {
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import { expand } from "./container-environment.ts";
import { isSidecar } from "./restart-policy.ts";

/** The configuration of a pod's sandbox, for the runtime. */
export function sandboxConfig({ metadata, spec }: Pod, attempt: number): PodSandboxConfig {
  const { name = "", namespace = "", uid = "", labels = {}, annotations = {} } = metadata;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: spec.hostname || name.slice(0, 63).replace(/[-.]+$/, ""),
    hostNetwork: spec.hostNetwork ?? false,
    labels: { ...labels, ...podLabels(metadata) },
    annotations,
  };
}

/** The labels by which a runtime, and people who use it directly, find the pod of a sandbox or container. */
const podLabels = ({ name = "", namespace = "", uid = "" }: Pod["metadata"]) => ({
  "io.kubernetes.pod.name": name,
  "io.kubernetes.pod.namespace": namespace,
  "io.kubernetes.pod.uid": uid,
});

/** The configuration of a container, for the runtime. */
export function containerConfig(
  pod: Pod,
  container: Container | EphemeralContainer,
  { attempt, env = [] }: { readonly attempt: number; readonly env?: readonly EnvVar[] },
): ContainerConfig {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const expanded = (words: readonly string[]) => words.map((word) => expand(word, values));
  const { name, image = "", command = [], args = [], workingDir = "" } = container;
  const { stdin = false, stdinOnce = false, tty = false } = container;
  return {
    metadata: { name, attempt },
    image,
    kind: kindOf(pod, name),
    command: expanded(command),
    args: expanded(args),
    workingDir,
    env,
    labels: { "io.kubernetes.container.name": name, ...podLabels(pod.metadata) },
    annotations: noAnnotations,
    resources: runtimeResources(container, pod.spec.resources),
    stdin,
    stdinOnce,
    tty,
    terminationMessagePath: container.terminationMessagePath ?? "/dev/termination-log",
    stopSignal: (container as Container).lifecycle?.stopSignal,
  };
}

const noAnnotations: Readonly<Record<string, string>> = {};

/** The resources of a container in the units of a runtime; limits of its pod count where it has none. */
export function runtimeResources(
  { resources }: Pick<Container, "resources"> | { readonly resources?: undefined },
  ofPod: Pod["spec"]["resources"],
): ContainerResources {
  const { requests, limits } = resources ?? {};
  if (!requests && !limits && !ofPod) return unbounded;
  const millis = (amount: string | undefined): number | undefined =>
    amount === undefined ? undefined : quantityMilliValue(parseQuantity(amount));
  const bytes = (amount: string | undefined): number | undefined =>
    amount === undefined ? undefined : quantityValue(parseQuantity(amount));
  return {
    cpuRequestMillis: millis(requests?.cpu),
    cpuLimitMillis: millis(limits?.cpu) || millis(ofPod?.limits?.cpu),
    memoryRequestBytes: bytes(requests?.memory),
    memoryLimitBytes: bytes(limits?.memory) || bytes(ofPod?.limits?.memory),
  };
}

const unbounded: ContainerResources = {};

/** The container of a pod with this name, of any role. */
export function containerNamed(
  { spec }: Pod,
  name: string,
): Container | EphemeralContainer | undefined {
  const lists = [spec.containers, spec.initContainers, spec.ephemeralContainers];
  for (const list of lists)
    for (const container of list ?? []) if (container.name === name) return container;
  return undefined;
}

function kindOf({ spec }: Pod, name: string): ContainerConfig["kind"] {
  const init = spec.initContainers?.find((container) => container.name === name);
  if (init) return isSidecar(init) ? "sidecar" : "init";
  return spec.ephemeralContainers?.some((one) => one.name === name) ? "ephemeral" : "container";
}
