import { join, resolve } from "node:path";
import type { Log } from "../../base/log.ts";
import { connectRuntime } from "../../cri/containerd/connect-runtime.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { EngineImages } from "../../engine/cri/engine-images.ts";
import { EngineRuntime } from "../../engine/cri/engine-runtime.ts";
import { openEngine } from "../../engine/engine.ts";
import { chosenNetwork } from "../../engine/network/cni/chosen-network.ts";
import { CniNetwork } from "../../engine/network/cni/cni-network.ts";
import { followConfigurations } from "../../engine/network/cni/follow-configurations.ts";
import { missingForContainers } from "../../engine/programs.ts";
import { embeddedEngine } from "../../kubelet/config/fields/field-kinds.ts";
import { routedNetwork } from "../../network/pods/routed-network.ts";
import { realClock } from "../../platform/real-clock.ts";
import { yamlToJson } from "../../schema/yaml/yaml.ts";
import { serveImageCommands } from "../commands/image/serve-image-commands.ts";
import { version } from "../version.ts";

export interface NodeRuntimeOptions {
  /** The address of a runtime of CRI, or `wherry` for the engine in this process. */
  readonly endpoint: string;
  /** The address of the images, if it differs. */
  readonly imageEndpoint: string;
  /** After how long a request to a runtime of CRI fails; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** The folder of the engine's images and containers. */
  readonly dataDir: string;
  /** A folder of the engine that does not survive a reboot. */
  readonly runDir: string;
  /** The OCI runtime of the engine, runc if not given. */
  readonly ociRuntime?: string | undefined;
  /** Further OCI runtimes of the engine, by the handlers of runtime classes. */
  readonly ociRuntimes?: Readonly<Record<string, string>> | undefined;
  readonly cgroupDriver: "cgroupfs" | "systemd";
  /** The ranges of the pods' addresses, separated by commas; undefined if the cluster assigns them. */
  readonly podCidr: string | undefined;
  /** The folder of CNI configurations: while it has one, that is used instead of the built-in network. */
  readonly cniConfigDir: string;
  readonly cniPluginDirs: readonly string[];
  readonly log: Log;
}

/** The runtime of a node, which must be closed. */
export interface NodeRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Calls back when the network of pods may have changed; other runtimes have to be asked. */
  readonly followNetwork?: ((changed: () => void) => Promise<{ close(): void }>) | undefined;
  close(): Promise<void>;
}

/** Opens the runtime of a node: the engine in this process, or one that speaks CRI at a socket. */
export async function openNodeRuntime(options: NodeRuntimeOptions): Promise<NodeRuntime> {
  const { endpoint, imageEndpoint, timeoutMs } = options;
  if (endpoint === embeddedEngine) return openOwnEngine(options);
  const connection = connectRuntime({ endpoint, timeoutMs });
  const ofImages =
    imageEndpoint === "" || imageEndpoint === endpoint
      ? undefined
      : connectRuntime({ endpoint: imageEndpoint, timeoutMs });
  return {
    runtime: connection.runtime,
    images: (ofImages ?? connection).images,
    async close() {
      ofImages?.close();
      connection.close();
    },
  };
}

/** Opens the engine in this process. `wherry image` can use it, too. */
async function openOwnEngine(options: NodeRuntimeOptions): Promise<NodeRuntime> {
  const { ociRuntime, ociRuntimes } = options;
  const missing = await missingForContainers({ ociRuntime });
  if (missing !== undefined) throw new Error(`containers cannot run here: ${missing}`);
  const { podCidr, log, cgroupDriver: cgroupManager } = options;
  const dataDir = resolve(options.dataDir);
  const clock = realClock;
  const cni = new CniNetwork({
    ...{ configFolder: options.cniConfigDir, pluginFolders: options.cniPluginDirs },
    ...{ cacheFolder: join(dataDir, "cni"), clock, log },
  });
  if (podCidr !== undefined) cni.setRange(podCidr);
  const builtIn = routedNetwork({ podCidr, folder: join(dataDir, "addresses"), log });
  const network = chosenNetwork(cni, builtIn);
  const engine = await openEngine({
    ...{
      dataDir,
      runDir: resolve(options.runDir),
      network,
      cgroupManager,
      ociRuntime,
      ociRuntimes,
      clock,
      log,
    },
  });
  const commands = await serveImageCommands(engine.images, dataDir);
  return {
    runtime: new EngineRuntime({ ...engine, clock, readYaml: yamlToJson, version }),
    images: new EngineImages({ ...engine, clock }),
    followNetwork: (changed) => followConfigurations(options.cniConfigDir, { clock, changed }),
    async close() {
      await commands.close();
      await engine.close();
    },
  };
}
