import { compareStable, compareText, isMembers, type Members, stable } from "../values.ts";

const generatedMetadata = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);
const times = new Set([
  "lastTransitionTime",
  "lastUpdateTime",
  "lastProbeTime",
  "lastHeartbeatTime",
  "timeAdded",
]);
const timeAnnotations = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "volume.kubernetes.io/selected-node-time",
]);

type Mask = (value: unknown) => unknown;
type Draft = Record<string, unknown>;

/** An object of a resource without what differs from run to run. */
export function cleanObject(object: Members, mask: Mask, resource?: string): unknown {
  const { apiVersion: _, kind, metadata, ...rest } = object;
  const draft: Draft = { metadata: cleanMetadata((metadata ?? {}) as Members), ...copy(rest) };
  const { spec, status } = draft as { spec?: Draft; status?: Draft };
  if (resource === "pods" || kind === "Pod") {
    draft.spec = podSpec(spec ?? {});
    draft.status = podStatus(status ?? {});
    for (const name of Object.keys(rest))
      if (name !== "spec" && name !== "status") delete draft[name];
  }
  if (status?.nodeInfo || status?.daemonEndpoints) draft.status = { conditions: status.conditions };
  if (spec?.clusterIP !== undefined || spec?.clusterIPs) cleanService(spec);
  cleanSecrets(draft);
  cleanEndpoints(draft, mask);
  if (Array.isArray(spec?.taints))
    spec.taints = spec.taints
      .map(({ key, value, effect }: Members) => ({ key, value, effect }))
      .sort(compareStable);
  const { conditions } = (draft.status ?? {}) as { conditions?: readonly Members[] };
  if (conditions)
    (draft.status as Draft).conditions = conditions.toSorted((a, b) =>
      compareText(String(a.type), String(b.type)),
    );
  return withoutTimes(mask(draft));
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function cleanMetadata(metadata: Members): Draft {
  const kept: Draft = Object.fromEntries(
    Object.entries(metadata).filter(([name]) => !generatedMetadata.has(name)),
  );
  if (isMembers(kept.annotations)) {
    const annotations = Object.entries(kept.annotations).filter(
      ([name]) => !timeAnnotations.has(name),
    );
    if (annotations.length === 0) delete kept.annotations;
    else kept.annotations = Object.fromEntries(annotations);
  }
  if (Array.isArray(kept.finalizers)) kept.finalizers = kept.finalizers.toSorted();
  return kept;
}

function cleanService(spec: Draft): void {
  const address = (ip: unknown) => (ip === "None" ? ip : "<clusterIP>");
  if (spec.clusterIP) spec.clusterIP = address(spec.clusterIP);
  if (Array.isArray(spec.clusterIPs)) spec.clusterIPs = spec.clusterIPs.map(address);
  for (const port of (spec.ports ?? []) as Draft[]) if (port.nodePort) port.nodePort = "<nodePort>";
  if (spec.healthCheckNodePort) spec.healthCheckNodePort = "<nodePort>";
}

/** Tokens, certificates and requests for them. */
function cleanSecrets(draft: Draft): void {
  if (isMembers(draft.data) && /service-account-token|bootstrap/.test(String(draft.type ?? "")))
    draft.data = Object.fromEntries(Object.keys(draft.data).map((name) => [name, "<data>"]));
  const { spec, status } = draft as { spec?: Draft; status?: Draft };
  if (status?.certificate) status.certificate = "<certificate>";
  if (spec && typeof spec.request === "string") {
    spec.request = "<request>";
    for (const name of ["username", "groups", "uid", "extra"]) delete spec[name];
  }
}

function cleanEndpoints(draft: Draft, mask: Mask): void {
  const { endpoints, subsets, addressType, metadata } = draft;
  if (Array.isArray(endpoints)) draft.endpoints = endpoints.map(mask).sort(compareStable);
  if (Array.isArray(subsets)) {
    for (const subset of subsets as Draft[])
      for (const name of ["addresses", "notReadyAddresses"]) {
        const addresses = subset[name];
        if (Array.isArray(addresses))
          subset[name] = addresses
            .map((address) => mask(withoutTimes(address)))
            .sort(compareStable);
      }
    subsets.sort(compareStable);
  }
  if (addressType || subsets) delete (metadata as Draft).generation;
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isMembers(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, held]) =>
      !times.has(name) && held !== undefined && name !== "uid" && name !== "resourceVersion",
  );
  return Object.fromEntries(kept.map(([name, held]) => [name, withoutTimes(held)]));
}

const podDefaults: Members = {
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  serviceAccountName: "default",
  serviceAccount: "default",
  priority: 0,
};

function podSpec(spec: Members): Draft {
  const isDefault = (name: string, value: unknown) =>
    name in podDefaults && stable(podDefaults[name]) === stable(value);
  const kept: Draft = Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => !isDefault(name, value)),
  );
  for (const list of ["containers", "initContainers"])
    if (Array.isArray(kept[list])) kept[list] = kept[list].map(cleanContainer);
  keepSome(kept, "volumes", ({ name }) => !String(name).startsWith("kube-api-access-"));
  keepSome(kept, "tolerations", (toleration) => !isDefaultToleration(toleration));
  return kept;
}

/** Keeps some items of a list, which is left out when none remains. */
function keepSome(draft: Draft, list: string, keeps: (item: Members) => boolean): void {
  if (!Array.isArray(draft[list])) return;
  const kept = draft[list].filter(keeps);
  if (kept.length === 0) delete draft[list];
  else draft[list] = kept;
}

const cleanContainer = ({ name, image, env, ports, resources }: Members): object => ({
  name,
  image,
  ...(env !== undefined && { env }),
  ...(ports !== undefined && { ports }),
  ...(isMembers(resources) && Object.keys(resources).length > 0 && { resources }),
});

const isDefaultToleration = ({ key, effect, tolerationSeconds }: Members): boolean =>
  effect === "NoExecute" &&
  tolerationSeconds === 300 &&
  /node.kubernetes.io\/(not-ready|unreachable)/.test(String(key ?? ""));

function podStatus({ phase, conditions, nominatedNodeName, reason, message }: Members): Draft {
  return {
    phase,
    conditions: ((conditions ?? []) as readonly Members[]).map((condition) => ({
      type: condition.type,
      status: condition.status,
      reason: condition.reason,
      message: condition.message,
    })),
    ...(nominatedNodeName ? { nominatedNodeName } : {}),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
}
