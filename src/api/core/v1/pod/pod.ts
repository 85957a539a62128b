import { value } from "../../../../schema/language/field.ts";
import { getWarningsForIp } from "../../../../schema/values/ip.ts";
import { isDns1123Label, nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { setHostPorts, setRequestsFromLimits } from "../container/container-preparation.ts";
import { dropInitContainerAnnotations } from "./pod-annotations.ts";
import { podColumns, podRowConditions } from "./pod-columns.ts";
import { dropDisabledPodFields } from "./pod-disabled-fields.ts";
import { newPodStatus, prepareNewPod, preparePodStatus } from "./pod-preparation.ts";
import { defaultPodResources } from "./pod-resources.ts";
import { PodSpec } from "./pod-spec.ts";
import { PodStatus } from "./pod-status.ts";
import {
  prepareEphemeralContainers,
  validateEphemeralContainersUpdate,
} from "./validation/pod-ephemeral-update.ts";
import { podValidationOptions } from "./validation/pod-ratcheting.ts";
import { preparePodResize, validatePodResize } from "./validation/pod-resize.ts";
import { validatePodStatusUpdate } from "./validation/pod-status-validation.ts";
import { validatePodUpdate } from "./validation/pod-update.ts";
import { validateNewPod, validatePod } from "./validation/pod-validation.ts";
import { podWarnings } from "./validation/pod-warnings.ts";

export const Pod = kind({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  shortNames: ["po"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Containers that run together on one node.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, PodSpec).doc("What the pod is to be."),
    status: value(3, PodStatus).doc("What is known of the pod."),
  },
  subresources: [
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "log",
    "portforward",
    "proxy",
    "resize",
    "status",
  ],
  columns: podColumns,
  rowConditions: podRowConditions,
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    // What clients of old call the node.
    "spec.host": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy,
    "spec.schedulerName": ({ spec }) => spec.schedulerName,
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => `${spec.hostNetwork ?? false}`,
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? "",
    // Can be named, but no pod has a value for it.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },
  defaults({ metadata, spec }) {
    dropInitContainerAnnotations(metadata);
    for (const list of ["containers", "initContainers"] as const)
      for (const container of spec[list] ?? []) setRequestsFromLimits(container);
    defaultPodResources(spec);
    spec.enableServiceLinks ??= true;
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
    if (!spec.hostNetwork) return;
    for (const list of ["containers", "initContainers"] as const)
      for (const container of spec[list] ?? []) setHostPorts(container);
  },
  rules: [
    (pod, at) => validatePod(pod, at, { ...podValidationOptions(), resourceIsPod: true }),
    validateNewPod,
  ],
  updateRules: (pod, old, { at, metadata }) => {
    metadata();
    validatePodUpdate(pod, old, at);
  },
  statusRules: (pod, old, { at }) => validatePodStatusUpdate(pod, old, at),
  strategy: {
    changes: {
      ephemeralcontainers: ["spec.ephemeralContainers"],
      resize: [
        "spec.containers.*.resources",
        "spec.containers.*.resizePolicy",
        "spec.initContainers.*.resources",
        "spec.initContainers.*.resizePolicy",
      ],
    },
    deleteReturnsObject: true,
    initialStatus: newPodStatus,
    // Asking for deletion, and belonging to someone else, is not for the status to say.
    statusKeeps: ["metadata.deletionTimestamp", "metadata.ownerReferences"],
    generation: { spec: PodSpec },
    prepare(pod, old, write) {
      dropDisabledPodFields(pod.spec, old?.spec, write);
      if (!old) prepareNewPod(pod);
    },
    prepareStatus: ({ status }, old) => preparePodStatus(status, old.status),
    updates: {
      ephemeralcontainers: {
        prepare: prepareEphemeralContainers,
        validate: validateEphemeralContainersUpdate,
      },
      resize: { prepare: preparePodResize, validate: validatePodResize },
    },
    warnings(pod, old) {
      // People seldom change pods themselves, and what does change them does so often.
      if (old) return [];
      const { name = "" } = pod.metadata;
      const faults = isDns1123Label(name);
      const hostname = faults.length
        ? [
            `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
          ]
        : [];
      return [...hostname, ...podWarnings(pod)];
    },
    statusWarnings: ({ status }) => statusWarnings(status),
    graceSeconds({ spec, status }, asked) {
      const ended = status.phase === "Failed" || status.phase === "Succeeded";
      if (!spec.nodeName || ended) return 0;
      const seconds = asked ?? spec.terminationGracePeriodSeconds ?? 0;
      return seconds < 0 ? 1 : seconds;
    },
  },
});
export interface Pod extends ObjectOf<typeof Pod> {}

/** Pod and host addresses should be in canonical form. */
const statusWarnings = (status: PodStatus): readonly string[] =>
  (["podIPs", "hostIPs"] as const).flatMap((field) =>
    (status[field] ?? []).flatMap(({ ip }, i) => getWarningsForIp(`status.${field}[${i}].ip`, ip)),
  );
