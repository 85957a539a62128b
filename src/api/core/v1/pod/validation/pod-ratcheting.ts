import { At } from "../../../../../schema/language/report.ts";
import { isValidLabelValue } from "../../../../../schema/values/names.ts";
import { validateLabelSelector } from "../../../../meta/v1/label-selector.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { isDivisibleIntoPages, isHugePageResource } from "../../resource-name.ts";
import type { PodAffinityTerm } from "../../scheduling/affinity.ts";
import { validateMatchLabelKeys } from "../../scheduling/match-label-keys.ts";
import { validateLocalNonReservedPath } from "../../volume/local-path.ts";
import { allContainers } from "../pod-containers.ts";
import type { PodSpec } from "../pod-spec.ts";
import { isHostSysctl } from "../sysctl.ts";
import { hasValidDeletionCost } from "./pod-annotation-validation.ts";
import type { PodValidationOptions } from "./pod-validation-options.ts";

/** A pod, or what pods are made from. */
interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What validation tolerates because the stored object has it already; `old` is absent at creation. */
export function podValidationOptions(old?: PodLike): PodValidationOptions {
  if (!old) return { allowOnlyRecursiveSELinuxChangePolicy: true };
  const { metadata, spec } = old;
  const userNamespace = spec.hostUsers === false;
  return {
    allowInvalidPodDeletionCost: !hasValidDeletionCost(metadata.annotations),
    allowInvalidLabelValueInSelector: affinityTerms(spec).some(hasInvalidSelector),
    allowInvalidLabelValueInRequiredNodeAffinity: hasInvalidNodeAffinity(spec),
    allowInvalidTopologySpreadConstraintLabelSelector: constraintsBreak(
      spec,
      ({ labelSelector }, at) => validateLabelSelector(labelSelector, at),
    ),
    oldPodViolatesMatchLabelKeysValidation: constraintsBreak(
      spec,
      ({ matchLabelKeys, labelSelector }, at) =>
        validateMatchLabelKeys({ matchLabelKeys, labelSelector }, at),
    ),
    allowIndivisibleHugePagesValues: usesIndivisibleHugePages(spec),
    allowNonLocalProjectedTokenPath: hasNonLocalTokenPath(spec),
    allowNamespacedSysctlsForHostNetAndHostIPC: hasHostSysctl(spec),
    allowOnlyRecursiveSELinuxChangePolicy: !spec.securityContext?.seLinuxChangePolicy,
    allowExistingRestartContainerForNonSidecarInitContainer: hasRestartingInitContainer(spec),
    allowUserNamespacesWithVolumeDevices:
      userNamespace && allContainers(spec).some(({ volumeDevices }) => volumeDevices?.length),
    allowUserNamespacesHostNetworkSupport: userNamespace && spec.hostNetwork === true,
    allowTaintTolerationComparisonOperators: (spec.tolerations ?? []).some(
      ({ operator }) => operator === "Lt" || operator === "Gt",
    ),
  };
}

const breaks = (rule: (at: At) => void): boolean => {
  const at = At.root();
  rule(at);
  return at.errors.length > 0;
};

const constraintsBreak = (
  { topologySpreadConstraints = [] }: PodSpec,
  rule: (constraint: NonNullable<PodSpec["topologySpreadConstraints"]>[number], at: At) => void,
): boolean => topologySpreadConstraints.some((constraint) => breaks((at) => rule(constraint, at)));

/** Every term of a pod's affinity and anti-affinity. */
function affinityTerms({ affinity }: Pick<PodSpec, "affinity">): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((group) => [
    ...(group?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
    ...(group?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
}

const hasInvalidSelector = ({ labelSelector, namespaceSelector }: PodAffinityTerm): boolean =>
  breaks((at) => {
    validateLabelSelector(labelSelector, at);
    validateLabelSelector(namespaceSelector, at);
  });

function hasInvalidNodeAffinity({ affinity }: PodSpec): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (required?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) =>
      values.some((value) => isValidLabelValue(value).length > 0),
    ),
  );
}

function usesIndivisibleHugePages(spec: PodSpec): boolean {
  const lists = [
    ...allContainers(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests]),
    spec.overhead,
  ];
  return lists.some((list) =>
    Object.entries(list ?? {}).some(
      ([name, amount]) => isHugePageResource(name) && !isDivisibleIntoPages(name, amount),
    ),
  );
}

const hasNonLocalTokenPath = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(({ projected }) =>
    (projected?.sources ?? []).some(({ serviceAccountToken: token }) =>
      breaks((at) => {
        if (token) validateLocalNonReservedPath(token.path, at);
      }),
    ),
  );

const hasHostSysctl = ({ securityContext, hostNetwork, hostIPC }: PodSpec): boolean =>
  (securityContext?.sysctls ?? []).some(({ name }) =>
    isHostSysctl(name, { hostNetwork: hostNetwork === true, hostIPC: hostIPC === true }),
  );

const hasRestartingInitContainer = ({ initContainers = [] }: PodSpec): boolean =>
  initContainers.some(
    ({ restartPolicy, resizePolicy = [] }) =>
      restartPolicy !== "Always" &&
      resizePolicy.some((policy) => policy.restartPolicy === "RestartContainer"),
  );
