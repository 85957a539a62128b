import type { SigningKey } from "../base/token-key.ts";

/** What controllers are told, by flags of kube-controller-manager or otherwise; durations in milliseconds. */
export interface ControllerSettings {
  /** Certificates in PEM by which pods know the API server; nothing is published without. */
  readonly rootCa: string;
  /** Signs the tokens of service accounts that secrets hold; there are none without. */
  readonly tokenSigner: SigningKey | undefined;
  readonly concurrentServiceAccountTokenSyncs: number;
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentEndpointSyncs: number;
  readonly concurrentServiceEndpointSyncs: number;
  readonly endpointUpdatesBatchPeriodMs: number;
  readonly endpointSliceUpdatesBatchPeriodMs: number;
  readonly maxEndpointsPerSlice: number;
  readonly concurrentMirroringSyncs: number;
  readonly mirroringBatchPeriodMs: number;
  readonly maxMirroredEndpointsPerSubset: number;
  readonly concurrentNamespaceSyncs: number;
  readonly namespaceSyncPeriodMs: number;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGarbageCollectorSyncs: number;
  readonly concurrentResourceQuotaSyncs: number;
  readonly resourceQuotaSyncPeriodMs: number;
  /** How many pods that have ended are kept; no bound if 0 or less. */
  readonly terminatedPodThreshold: number;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  /** Nodes a second. */
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
  readonly concurrentNodeSyncs: number;
}

/** What kube-controller-manager v1.36 does when nobody says anything. */
export const defaultSettings: ControllerSettings = {
  rootCa: "",
  tokenSigner: undefined,
  concurrentServiceAccountTokenSyncs: 5,
  concurrentReplicaSetSyncs: 5,
  concurrentDeploymentSyncs: 5,
  concurrentEndpointSyncs: 5,
  concurrentServiceEndpointSyncs: 5,
  endpointUpdatesBatchPeriodMs: 0,
  endpointSliceUpdatesBatchPeriodMs: 0,
  maxEndpointsPerSlice: 100,
  concurrentMirroringSyncs: 5,
  mirroringBatchPeriodMs: 0,
  maxMirroredEndpointsPerSubset: 1000,
  concurrentNamespaceSyncs: 10,
  namespaceSyncPeriodMs: 5 * 60_000,
  enableGarbageCollector: true,
  concurrentGarbageCollectorSyncs: 20,
  concurrentResourceQuotaSyncs: 5,
  resourceQuotaSyncPeriodMs: 5 * 60_000,
  terminatedPodThreshold: 12_500,
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
  concurrentNodeSyncs: 1,
};
