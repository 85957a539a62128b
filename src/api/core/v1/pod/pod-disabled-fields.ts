import type { Draft } from "../../../../schema/language/struct.ts";
import type { Write } from "../../../../schema/language/write.ts";
import { dropStopSignals, dropVolumeStatuses } from "../container/container-preparation.ts";
import { allContainers } from "./pod-containers.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { PodStatus } from "./pod-status.ts";

/**
 * Removes fields of features that are not yet on by default, unless the stored object uses them:
 * scheduling groups, projected trust bundles and pod certificates, and stop signals.
 */
export function dropDisabledPodFields(
  spec: Draft<PodSpec>,
  old: PodSpec | undefined,
  { features }: Pick<Write, "features"> = {},
): void {
  if (!old?.schedulingGroup && !features?.has("GenericWorkload")) delete spec.schedulingGroup;
  for (const [source, feature] of projections) {
    if (features?.has(feature)) continue;
    if (old?.volumes?.some(({ projected }) => projected?.sources?.some((one) => one[source])))
      continue;
    for (const { projected } of spec.volumes ?? [])
      for (const projection of projected?.sources ?? []) delete projection[source];
  }
  dropStopSignals(draftContainers(spec), old ? allContainers(old) : []);
}

/** The sources of projected volumes whose features are off by default. */
const projections = [
  ["clusterTrustBundle", "ClusterTrustBundleProjection"],
  ["podCertificate", "PodCertificateRequest"],
] as const;

const draftContainers = ({
  initContainers = [],
  containers,
  ephemeralContainers = [],
}: Draft<PodSpec>): Parameters<typeof dropStopSignals>[0] => [
  ...initContainers,
  ...(containers ?? []),
  ...ephemeralContainers,
];

/** The same for the status: digests of image volumes, and claims on what the node can allocate. */
export function dropDisabledPodStatusFields(
  status: Draft<PodStatus>,
  old: PodStatus | undefined,
): void {
  if (!old?.nodeAllocatableResourceClaimStatuses?.length)
    delete status.nodeAllocatableResourceClaimStatuses;
  dropVolumeStatuses(
    statusLists.flatMap((list) => status[list] ?? []),
    statusLists.flatMap((list) => old?.[list] ?? []),
  );
}

const statusLists = [
  "containerStatuses",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const;
