import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import { type Clock, withDeadline } from "../../base/clock.ts";
import type { Image, ImageService } from "../../cri/image-service.ts";
import type { NodeConfig } from "./node-config.ts";
import type { NodeFindings } from "./node-findings.ts";
import { nodeStatus } from "./node-status.ts";

export interface CurrentStatusOptions {
  readonly config: NodeConfig;
  readonly images: ImageService;
  readonly clock: Clock;
  /** Reads the state of the machine; by default the machine is healthy and as it is configured. */
  readonly findings?: (() => Promise<NodeFindings>) | undefined;
}

/** The status of a node as its machine is now. */
export async function currentStatus(
  options: CurrentStatusOptions,
  previous: Partial<NodeStatus>,
): Promise<NodeStatus> {
  const { config, clock } = options;
  const findings = await options.findings?.();
  const images = await listImages(options);
  return nodeStatus({ config, findings, previous, images, now: clock.now() });
}

/** The images of a runtime; undefined if it fails, or does not respond in time. */
async function listImages({
  images,
  findings,
  clock,
}: CurrentStatusOptions): Promise<readonly Image[] | undefined> {
  if (!findings) return images.listImages();
  return withDeadline({ clock, ms: imagesMs }, () => images.listImages()).catch(() => undefined);
}

const imagesMs = 5000;
