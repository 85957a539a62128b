/** A feature gate of v1.36. */
export interface FeatureGate {
  readonly stage: "Alpha" | "Beta" | "GA" | "Deprecated";
  readonly default: boolean;
  /** Whether it cannot be changed from its default. */
  readonly locked: boolean;
}

/** All feature gates of v1.36's API server, including those of its libraries. */
export const featureGates: ReadonlyMap<string, FeatureGate> = new Map([
  ...gates(
    { stage: "Alpha", default: false, locked: false },
    `
  APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ClientsAllowCBOR
  ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
  CloudControllerManagerWebhook ContainerStopSignals
  ControllerManagerReleaseLeaderElectionLockOnExit CrossNamespaceVolumeDataSource
  DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus
  DRAWorkloadResourceClaims EventedPLEG GangScheduling GenericWorkload HPAScaleToZero
  ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LoggingAlphaOptions
  ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity NativeHistograms
  PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
  PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay
  RuntimeClassInImageCriApi ShardedListAndWatch StorageCapacityScoring StorageVersionAPI
  TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
  TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling
  WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob`,
  ),
  ...gates(
    { stage: "Beta", default: false, locked: false },
    `
  AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode
  CoordinatedLeaderElection DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring
  MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls
  StorageVersionMigrator`,
  ),
  ...gates(
    { stage: "Beta", default: true, locked: false },
    `
  APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
  AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions
  CRDObservedGenerationTracking ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
  ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz ConstrainedImpersonation
  ContainerCheckpoint ContainerRestartRules ContextualLogging DRAConsumableCapacity
  DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
  DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
  DRASchedulerFilterTimeout DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas
  DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride
  InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
  InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax
  KubeletEnsureSecretPulledImages KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot LoggingBetaOptions
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
  MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
  NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching
  PLEGOnDemandRelist PodDeletionCost PodLevelResources PodReadyToStartContainersCondition
  PodTopologyLabelsAdmission PortForwardWebsockets PreventStaticPodAPIReferences
  RelaxedServiceNameValidation ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile
  RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
  RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
  SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob
  StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
  StatefulSetSemanticRevisionComparison StorageVersionHash StrictIPCIDRValidation
  StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
  TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy
  UnlockWhileProcessingFIFO WatchCacheInitializationPostStartHook WatchList WatchListClient
  WindowsGracefulNodeShutdown`,
  ),
  ...gates(
    { stage: "GA", default: true, locked: false },
    `
  AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion
  MutatingAdmissionPolicy`,
  ),
  ...gates(
    { stage: "GA", default: true, locked: true },
    `
  APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
  AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions
  CRDValidationRatcheting CSIServiceAccountTokenSecrets ConsistentListFromCache
  CustomResourceFieldSelectors DRAAdminAccess DeclarativeValidation DisableAllocatorDualWrite
  DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner ImageMaximumGCAge
  ImageVolume InOrderInformers InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy
  JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz
  KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing
  LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
  MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread
  NodeLogQuery NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction
  PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
  PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure
  RecursiveReadOnlyMounts RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation
  ResilientWatchCacheInitialization RetryGenerateName SELinuxChangePolicy
  SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateTaintEvictionController
  ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
  ServiceAccountTokenPodNodeInfo SidecarContainers StreamingCollectionEncodingToJSON
  StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
  SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
  VolumeAttributesClass WinDSR WinOverlay`,
  ),
  ...gates(
    { stage: "Deprecated", default: false, locked: false },
    `
  AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
  ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover KMSv1
  KubeletRegistrationGetOnExistsOnly WindowsHostNetwork`,
  ),
  ...gates(
    { stage: "Deprecated", default: false, locked: true },
    `
  AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC`,
  ),
  ...gates(
    { stage: "Deprecated", default: true, locked: false },
    `
  DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods
  ServiceCIDRStatusFieldWiping StorageNamespaceIndex`,
  ),
  ...gates(
    { stage: "Deprecated", default: true, locked: true },
    `
  AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion`,
  ),
]);

/** The features that a feature depends on. */
export const featureDependencies: ReadonlyMap<string, readonly string[]> = new Map([
  ["AuthorizeNodeWithSelectors", ["AuthorizeWithSelectors"]],
  ["ClusterTrustBundleProjection", ["ClusterTrustBundle"]],
  ["DRAAdminAccess", ["DynamicResourceAllocation"]],
  ["DRAConsumableCapacity", ["DynamicResourceAllocation"]],
  ["DRADeviceBindingConditions", ["DynamicResourceAllocation", "DRAResourceClaimDeviceStatus"]],
  ["DRADeviceTaintRules", ["DRADeviceTaints"]],
  ["DRADeviceTaints", ["DynamicResourceAllocation"]],
  ["DRAExtendedResource", ["DynamicResourceAllocation"]],
  ["DRAListTypeAttributes", ["DynamicResourceAllocation"]],
  ["DRANodeAllocatableResources", ["DynamicResourceAllocation"]],
  ["DRAPartitionableDevices", ["DynamicResourceAllocation"]],
  ["DRAPrioritizedList", ["DynamicResourceAllocation"]],
  [
    "DRAResourceClaimGranularStatusAuthorization",
    ["DynamicResourceAllocation", "DRAResourceClaimDeviceStatus"],
  ],
  ["DRAResourcePoolStatus", ["DynamicResourceAllocation"]],
  ["DRASchedulerFilterTimeout", ["DynamicResourceAllocation"]],
  ["DRAWorkloadResourceClaims", ["DynamicResourceAllocation", "GenericWorkload"]],
  ["DeclarativeValidationBeta", ["DeclarativeValidation"]],
  ["DeclarativeValidationTakeover", ["DeclarativeValidation"]],
  ["DisableAllocatorDualWrite", ["MultiCIDRServiceAllocator"]],
  ["ExtendWebSocketsToKubelet", ["NodeDeclaredFeatures"]],
  ["GangScheduling", ["GenericWorkload"]],
  ["GracefulNodeShutdownBasedOnPodPriority", ["GracefulNodeShutdown"]],
  ["ImageVolumeWithDigest", ["ImageVolume"]],
  [
    "InPlacePodLevelResourcesVerticalScaling",
    ["InPlacePodVerticalScaling", "PodLevelResources", "NodeDeclaredFeatures"],
  ],
  ["InPlacePodVerticalScalingExclusiveCPUs", ["InPlacePodVerticalScaling"]],
  ["InPlacePodVerticalScalingExclusiveMemory", ["InPlacePodVerticalScaling"]],
  [
    "InPlacePodVerticalScalingInitContainers",
    ["InPlacePodVerticalScaling", "NodeDeclaredFeatures"],
  ],
  ["MatchLabelKeysInPodTopologySpreadSelectorMerge", ["MatchLabelKeysInPodTopologySpread"]],
  ["PodCertificateRequest", ["AuthorizeNodeWithSelectors"]],
  ["PodLevelResourceManagers", ["PodLevelResources"]],
  ["PodLifecycleSleepActionAllowZero", ["PodLifecycleSleepAction"]],
  ["ProcMountType", ["UserNamespacesSupport"]],
  ["ResourceHealthStatus", ["DynamicResourceAllocation"]],
  ["ResourceHealthStatusMessage", ["ResourceHealthStatus"]],
  ["RestartAllContainersOnContainerExits", ["ContainerRestartRules", "NodeDeclaredFeatures"]],
  ["ServiceAccountTokenNodeBinding", ["ServiceAccountTokenNodeBindingValidation"]],
  ["StaleControllerConsistencyDaemonSet", ["AtomicFIFO"]],
  ["StaleControllerConsistencyJob", ["AtomicFIFO"]],
  ["StaleControllerConsistencyReplicaSet", ["AtomicFIFO"]],
  ["StaleControllerConsistencyStatefulSet", ["AtomicFIFO"]],
  ["StorageVersionAPI", ["APIServerIdentity"]],
  [
    "StructuredAuthenticationConfigurationEgressSelector",
    ["StructuredAuthenticationConfiguration"],
  ],
  ["StructuredAuthenticationConfigurationJWKSMetrics", ["StructuredAuthenticationConfiguration"]],
  ["TopologyAwareWorkloadScheduling", ["GenericWorkload"]],
  ["UnknownVersionInteroperabilityProxy", ["APIServerIdentity"]],
  ["UserNamespacesHostNetworkSupport", ["UserNamespacesSupport", "NodeDeclaredFeatures"]],
  ["WindowsGracefulNodeShutdown", ["GracefulNodeShutdown"]],
  ["WorkloadAwarePreemption", ["GangScheduling"]],
  ["WorkloadWithJob", ["GenericWorkload"]],
]);

function gates(gate: FeatureGate, names: string): [string, FeatureGate][] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [name, gate]);
}
