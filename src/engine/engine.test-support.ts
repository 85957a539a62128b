import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noLog } from "../base/log.ts";
import { realClock } from "../platform/real-clock.ts";
import { runChild } from "../platform/run-child.ts";
import { EngineRuntime } from "./cri/engine-runtime.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine.ts";
import { busyboxImage, ociArchive } from "./images/oci-image.test-support.ts";
import { startRegistry } from "./images/test-registry.test-support.ts";
import { CniNetwork } from "./network/cni/cni-network.ts";

/** The name of the image in a test's engine. */
export const testImage = "registry.test/bb:1";

/** An engine in a folder of its own, with an image that has a shell. */
export interface TestEngine {
  readonly root: string;
  readonly engine: Engine;
  readonly runtime: EngineRuntime;
  /** Closes the engine and opens it again, as after a restart. */
  reopen(): Promise<void>;
  /** Removes all containers and sandboxes, and the folder. */
  remove(): Promise<void>;
}

/** Starts a registry from which an engine pulls the test's image, in place of the one that its name says. */
export async function serveTestImage({ root }: TestEngine): Promise<void> {
  const { host, add } = await startRegistry();
  const [server = "", repository = ""] = testImage.split("/");
  add(repository, busyboxImage());
  const folder = join(root, "registries", server);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "hosts.toml"), `server = "http://${host}"\n`);
}

/** Opens an engine whose pods have addresses of a bridge of their own. */
export async function testEngine({
  ociRuntimes,
}: Pick<EngineOptions, "ociRuntimes"> = {}): Promise<TestEngine> {
  const root = mkdtempSync(join(tmpdir(), "wherry-engine-"));
  // The root of a container with users of its own must be able to enter.
  chmodSync(root, 0o711);
  const bridge = `wh${root.slice(-6).toLowerCase()}`;
  const network = testNetwork(root, bridge);
  const open = () =>
    openEngine({
      ...{ dataDir: join(root, "data"), runDir: join(root, "run"), network },
      registryHosts: [join(root, "registries")],
      ociRuntimes,
      ...{ clock: realClock, log: noLog },
    });
  let engine = await open();
  const withRuntime = () => new EngineRuntime({ ...engine, clock: realClock, version: "test" });
  let runtime = withRuntime();
  await engine.images.load(ociArchive(busyboxImage(), testImage));
  return {
    root,
    get engine() {
      return engine;
    },
    get runtime() {
      return runtime;
    },
    async reopen() {
      await engine.close();
      engine = await open();
      runtime = withRuntime();
    },
    async remove() {
      for (const { id } of engine.sandboxes.list()) await runtime.removePodSandbox(id);
      for (const { id } of engine.containers.list()) await engine.containers.remove(id);
      await engine.close();
      await runChild("ip", ["link", "delete", bridge]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function testNetwork(root: string, bridge: string) {
  const configFolder = join(root, "cni");
  mkdirSync(configFolder);
  const ranges = [[{ subnet: "10.198.0.0/24" }]];
  const ipam = { type: "host-local", dataDir: join(root, "ipam"), ranges };
  const plugin = { type: "bridge", bridge, isGateway: false, ipam };
  const config = { cniVersion: "1.0.0", name: "test", plugins: [plugin] };
  writeFileSync(join(configFolder, "10-test.conflist"), JSON.stringify(config));
  return new CniNetwork({
    configFolder,
    pluginFolders: ["/usr/lib/cni", "/opt/cni/bin"],
    cacheFolder: join(root, "cni-cache"),
    ...{ clock: realClock, log: noLog },
  });
}
