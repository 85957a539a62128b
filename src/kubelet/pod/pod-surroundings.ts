import type { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ImageAccess } from "../images/access/image-access.ts";
import type { PullQueue } from "../images/pull-queue.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import type { WorkerMetrics } from "../metrics/worker-metrics.ts";
import type { BackoffBounds } from "./container/backoff-table.ts";
import type { HookRunner } from "./container/hook-runner.ts";
import type { NodeCredentials } from "./container/pull-secrets.ts";
import type { ServiceLister } from "./container/service-variables.ts";
import type { NodeUse } from "./node-use.ts";
import type { PodHost } from "./pod-host.ts";
import type { Prober } from "./probes/prober.ts";
import type { Probing } from "./probes/probing.ts";
import type { ReferenceReader } from "./reference-reader.ts";
import type { AllocationStore } from "./resize/allocation-store.ts";
import type { ResourceAllocator } from "./resource-allocator.ts";
import type { StatusWriter } from "./status/status-writer.ts";
import type { TraceStep } from "./worker-times.ts";

/** The dependencies of a node's pod workers. */
export interface PodSurroundings {
  readonly nodeName: string;
  readonly runtime: RuntimeService;
  /** The prefix of container IDs. */
  readonly runtimeName: string;
  readonly images: ImageService;
  /** The node's own credentials of registries. Without them, all images are pulled anonymously. */
  readonly credentials?: NodeCredentials | undefined;
  /** Absent if pods may use all images on the node. */
  readonly imageAccess?: ImageAccess | undefined;
  /** Absent if images are pulled without limits. */
  readonly pulls?: PullQueue | undefined;
  readonly host: PodHost;
  /** What is known of resources after a restart; absent if the runtime and statuses of pods know enough. */
  readonly allocations?: AllocationStore | undefined;
  readonly prober: Prober;
  /** Not given: probes are not counted, and a start of the kubelet does not delay them. */
  readonly probing?: Probing | undefined;
  readonly hooks: HookRunner;
  /** Config maps and secrets. */
  readonly references: ReferenceReader;
  /** Absent if containers do not learn of services. */
  readonly services?: ServiceLister | undefined;
  readonly events: KubeletEvents;
  readonly statuses: StatusWriter;
  /** Not given: workers are not measured. */
  readonly workerMetrics?: WorkerMetrics | undefined;
  readonly traceStep?: TraceStep | undefined;
  /** Why pods cannot have a network now; absent if the runtime is not asked. */
  readonly networkProblem?: (() => Promise<string | undefined>) | undefined;
  /** How long containers wait to be restarted; 10 s to 5 minutes by default. */
  readonly restartBackoff?: BackoffBounds | undefined;
  /** After how long a pod is synced again although nothing happened; never if absent. */
  readonly resyncMs?: number | undefined;
  /** Spreads the syncs of many pods. */
  readonly random?: Random | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly hostIPs: () => readonly string[];
  /** The node, or what is known of it so far. */
  readonly node: () => Node | undefined;
  /** Absent if pods need no allocated resources. */
  readonly resources?: Pick<ResourceAllocator, "refuseResize"> | undefined;
  /** The resources of the node's pods that have not ended. */
  readonly used: NodeUse;
}
