/**
 * What validation of a pod or pod template tolerates. Nothing is tolerated at creation; in an update,
 * what the stored object had already.
 */
export interface PodValidationOptions {
  /** The object is a pod, not something that pods are made from. */
  readonly resourceIsPod?: boolean;
  /** The annotation of the deletion cost need not be an integer. */
  readonly allowInvalidPodDeletionCost?: boolean;
  /** Label selectors of pod affinity may hold values that are no label values. */
  readonly allowInvalidLabelValueInSelector?: boolean;
  /** So may the required terms of node affinity. */
  readonly allowInvalidLabelValueInRequiredNodeAffinity?: boolean;
  /** Label selectors of topology spread constraints are not looked at. */
  readonly allowInvalidTopologySpreadConstraintLabelSelector?: boolean;
  /** The match label keys of topology spread constraints follow the rules of before v1.34. */
  readonly oldPodViolatesMatchLabelKeysValidation?: boolean;
  /** Amounts of huge pages need not be multiples of the page's size. */
  readonly allowIndivisibleHugePagesValues?: boolean;
  /** Paths of projected tokens may lead out of the volume. */
  readonly allowNonLocalProjectedTokenPath?: boolean;
  /** Sysctls of a namespace that the pod shares with its node pass. */
  readonly allowNamespacedSysctlsForHostNetAndHostIPC?: boolean;
  /** Recursive is the only SELinux change policy. */
  readonly allowOnlyRecursiveSELinuxChangePolicy?: boolean;
  /** Init containers that are no sidecars may have the resize policy RestartContainer. */
  readonly allowExistingRestartContainerForNonSidecarInitContainer?: boolean;
  /** Volume devices pass although the pod has a user namespace of its own. */
  readonly allowUserNamespacesWithVolumeDevices?: boolean;
  /** The network of the node passes although the pod has a user namespace of its own. */
  readonly allowUserNamespacesHostNetworkSupport?: boolean;
  /** Tolerations may have the operators Lt and Gt. */
  readonly allowTaintTolerationComparisonOperators?: boolean;
}
