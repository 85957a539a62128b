import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { EngineImages } from "../../engine/cri/engine-images.ts";
import { EngineRuntime } from "../../engine/cri/engine-runtime.ts";
import { openEngine } from "../../engine/engine.ts";
import { bridgeNetwork } from "../../engine/network/bridge-network.ts";
import { realClock } from "../../platform/real-clock.ts";
import { serveImageCommands } from "../commands/image/serve-image-commands.ts";
import { version } from "../version.ts";

export interface NodeEngineOptions {
  /** The folder of images and containers. */
  readonly dataDir: string;
  /** A folder that does not survive a reboot. */
  readonly runDir: string;
  /** The range of the pods' addresses; undefined while the node has none. */
  readonly podCidr: () => string | undefined;
  readonly log: Log;
}

/** The runtime of a node, which must be closed. */
export interface NodeRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  close(): Promise<void>;
}

/** Opens the engine in this process as the runtime of a node. `wherry image` can use it, too. */
export async function openNodeEngine(options: NodeEngineOptions): Promise<NodeRuntime> {
  const { dataDir, runDir, podCidr, log } = options;
  const clock = realClock;
  const network = bridgeNetwork({ bridge: "cni0", podCidr, folder: join(dataDir, "addresses") });
  const engine = await openEngine({ dataDir, runDir, network, clock, log });
  const commands = await serveImageCommands(engine.images, dataDir);
  return {
    runtime: new EngineRuntime({ ...engine, clock, version }),
    images: new EngineImages({ ...engine, clock }),
    async close() {
      await commands.close();
      await engine.close();
    },
  };
}
