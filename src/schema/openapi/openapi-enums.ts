/** String types whose known values are all there are: OpenAPI lists them. */
export const enumTypes: ReadonlySet<string> = new Set(
  `
  AllocationConfigSource AppArmorProfileType AddressType AzureDataDiskCachingMode AzureDataDiskKind
  ClaimResourceStatus CompletionMode ConcurrencyPolicy DNSPolicy DaemonSetUpdateStrategyType
  DeploymentStrategyType DeviceAllocationMode DeviceTaintEffect DeviceTolerationOperator
  FailurePolicyType FieldValueErrorReason HostPathType IPFamily IPFamilyPolicy KeyUsage
  MatchPolicyType MetricSourceType MountPropagationMode NamespacePhase NodeInclusionPolicy NodePhase
  NodeSelectorOperator OperationType PatchType PathType PersistentVolumeAccessMode
  PersistentVolumeClaimModifyVolumeStatus PersistentVolumeClaimPhase PersistentVolumeMode
  PersistentVolumePhase PersistentVolumeReclaimPolicy PodFSGroupChangePolicy
  PodFailurePolicyAction PodFailurePolicyOnExitCodesOperator PodManagementPolicyType PodPhase
  PodQOSClass PodReplacementPolicy PolicyType PreemptionPolicy ProcMountType Protocol PullPolicy
  ReinvocationPolicyType ResourceQuotaScope RestartPolicy ScopeSelectorOperator ScopeType
  SeccompProfileType ServiceAffinity ServiceExternalTrafficPolicy ServiceInternalTrafficPolicy
  ServiceType SideEffectClass Signal StatefulSetUpdateStrategyType SupplementalGroupsPolicy
  TaintEffect TerminationMessagePolicy TolerationOperator URIScheme UnhealthyPodEvictionPolicyType
  UnsatisfiableConstraintAction ValidationAction VolumeBindingMode
  `
    .trim()
    .split(/\s+/)
    .map((name) => `v1.${name}`),
);
