import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { podFromTemplate } from "../pod-from-template.ts";
import { revisionLabel } from "../revisions/controller-revisions.ts";
import { ordinalOf, parentAndOrdinal, podName, startOrdinal } from "./ordinals.ts";

type PodInput = ReturnType<typeof podFromTemplate>;

/** A stateful set with the templates of its revisions. */
export interface Versions {
  /** As of the revision that pods below the partition have. */
  readonly current: StatefulSet;
  /** As of the revision that is rolled out. */
  readonly update: StatefulSet;
  readonly currentName: string;
  readonly updateName: string;
}

/** The replica of an ordinal, of the revision that it should have. */
export function versionedPod(
  { current, update, currentName, updateName }: Versions,
  ordinal: number,
): PodInput {
  const { type, rollingUpdate } = current.spec.updateStrategy;
  const start = startOrdinal(current);
  const isOld = rollingUpdate
    ? ordinal < start + (rollingUpdate.partition ?? 0)
    : type === "RollingUpdate" && ordinal < start + (current.status.currentReplicas ?? 0);
  return isOld
    ? statefulPod(current, ordinal, currentName)
    : statefulPod(update, ordinal, updateName);
}

function statefulPod(set: StatefulSet, ordinal: number, revision: string): PodInput {
  const { metadata } = podFromTemplate(set.spec.template, set);
  const name = podName(set, ordinal);
  const { spec } = set.spec.template;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata.labels,
        ...identityLabels(name, ordinal),
        [revisionLabel]: revision,
      },
    },
    spec: {
      ...spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      ...volumesOf(set, ordinal, spec.volumes),
    },
  };
}

const podNameLabel = "statefulset.kubernetes.io/pod-name";

const identityLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [podNameLabel]: name,
  "apps.kubernetes.io/pod-index": `${ordinal}`,
});

export const revisionNameOf = ({ metadata }: Pick<Pod, "metadata">): string =>
  metadata.labels?.[revisionLabel] ?? "";

/** Whether a pod has its name as a label, and the volumes of its claims. */
export function isAsDeclared(pod: Pod, set: StatefulSet): boolean {
  const { name = "", namespace, labels } = pod.metadata;
  const found = parentAndOrdinal(pod);
  if (!found || found.parent !== set.metadata.name) return false;
  if (namespace !== set.metadata.namespace) return false;
  if (name !== podName(set, found.ordinal) || labels?.[podNameLabel] !== name) return false;
  return (set.spec.volumeClaimTemplates ?? []).every((template) =>
    (pod.spec.volumes ?? []).some(
      (volume) =>
        volume.name === template.metadata.name &&
        volume.persistentVolumeClaim?.claimName === claimName(set, template, found.ordinal),
    ),
  );
}

/** A pod with the labels and volumes that it should have. */
export function asDeclared(pod: Pod, set: StatefulSet): Pod {
  const ordinal = ordinalOf(pod);
  const { metadata, spec } = pod;
  const labels = { ...metadata.labels, ...identityLabels(metadata.name ?? "", ordinal) };
  return {
    ...pod,
    metadata: { ...metadata, labels },
    spec: { ...spec, ...volumesOf(set, ordinal, spec.volumes) },
  };
}

/** The volumes of claims, then those of the template under other names. */
function volumesOf(
  set: StatefulSet,
  ordinal: number,
  own: Pod["spec"]["volumes"] = [],
): Pick<Pod["spec"], "volumes"> {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const names = new Set(templates.map(({ metadata }) => metadata.name));
  const claims = templates.map((template) => ({
    name: template.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const volumes = [...claims, ...own.filter(({ name }) => !names.has(name))];
  return volumes.length > 0 ? { volumes } : {};
}

const claimName = (
  { metadata }: StatefulSet,
  template: PersistentVolumeClaim,
  ordinal: number,
): string => `${template.metadata.name}-${metadata.name}-${ordinal}`;

/** The claims of the replica of an ordinal, as they are created. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { volumeClaimTemplates = [], selector } = set.spec;
  return volumeClaimTemplates.map((template) => {
    const labels = { ...template.metadata.labels, ...selector?.matchLabels };
    return {
      ...template,
      metadata: {
        ...template.metadata,
        name: claimName(set, template, ordinal),
        namespace: set.metadata.namespace,
        ...(Object.keys(labels).length > 0 && { labels }),
      },
    };
  });
}
