import type { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import type { HookRunner } from "./container/hook-runner.ts";
import type { NodeUse } from "./node-use.ts";
import type { Prober } from "./probes/prober.ts";
import type { ReferenceReader } from "./reference-reader.ts";
import type { StatusWriter } from "./status/status-writer.ts";

/** What the pods of a node have at hand. */
export interface PodSurroundings {
  readonly nodeName: string;
  readonly runtime: RuntimeService;
  /** What the IDs of containers begin with. */
  readonly runtimeName: string;
  readonly images: ImageService;
  readonly prober: Prober;
  readonly hooks: HookRunner;
  /** Config maps and secrets. */
  readonly references: ReferenceReader;
  readonly events: KubeletEvents;
  readonly statuses: StatusWriter;
  readonly clock: Clock;
  readonly log: Log;
  readonly hostIPs: () => readonly string[];
  /** The node, as far as it is known. */
  readonly node: () => Node | undefined;
  /** What the pods of the node take that have not ended. */
  readonly used: NodeUse;
}
