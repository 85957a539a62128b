/** A pod that debug makes or changes; what it does not look at stays as it is. */
export interface DebugPod {
  metadata: {
    name?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: DebugPodSpec;
}

export interface DebugPodSpec {
  containers: DebugContainer[];
  initContainers?: DebugContainer[];
  ephemeralContainers?: DebugContainer[];
  volumes?: object[];
  nodeName?: string;
  restartPolicy?: string;
  tolerations?: object[];
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: { runAsUser?: number };
}

export interface DebugContainer {
  name: string;
  image?: string;
  command?: readonly string[];
  args?: readonly string[];
  env?: readonly object[];
  resources?: object;
  imagePullPolicy?: string;
  terminationMessagePolicy?: string;
  targetContainerName?: string;
  stdin?: boolean;
  tty?: boolean;
  volumeMounts?: object[];
  securityContext?: DebugSecurityContext;
  livenessProbe?: object;
  readinessProbe?: object;
  startupProbe?: object;
}

export interface DebugSecurityContext {
  privileged?: boolean;
  runAsUser?: number;
  runAsNonRoot?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seccompProfile?: object;
}

/** The container of a name, in the order in which the original looks for it. */
export function containerNamed(pod: DebugPod, name: string): DebugContainer | undefined {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers].find(
    (one) => one.name === name,
  );
}

/** Sets a member, or removes it if there is nothing to set, as Go leaves out what is empty. */
export function setOrRemove<T extends object, K extends keyof T>(
  object: T,
  key: K,
  value: T[K] | undefined,
): void {
  const isEmpty =
    value === undefined ||
    value === false ||
    value === "" ||
    (Array.isArray(value) && value.length === 0);
  if (isEmpty) delete object[key];
  else object[key] = value;
}
