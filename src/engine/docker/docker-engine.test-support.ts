import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noLog } from "../../base/log.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type ChildOptions, type ChildResult, runChild } from "../../platform/run-child.ts";
import { type Engine, openEngine } from "../engine.ts";
import { type BuildOptions, busyboxImage, ociArchive } from "../images/oci-image.test-support.ts";
import { CniNetwork } from "../network/cni/cni-network.ts";
import type { DockerServer } from "./http/docker-server.ts";
import type { NetworkPlan } from "./network/docker-networks.ts";
import { serveDocker } from "./serve-docker.ts";

/** An engine in a folder of its own, which the real docker command talks to. */
export interface DockerTest {
  readonly root: string;
  readonly engine: Engine;
  readonly network: NetworkPlan;
  /** Runs `docker ARGS` to its end. */
  docker(args: readonly string[], options?: ChildOptions): Promise<ChildResult>;
  /** Runs `docker ARGS`, which must succeed; resolves with its output without the last newline. */
  output(...args: readonly string[]): Promise<string>;
  /** The environment of the docker command. */
  readonly env: NodeJS.ProcessEnv;
  /** Loads an image with busybox under a name. */
  load(name: string, options?: BuildOptions): Promise<void>;
  /** Has images of docker's own registry pulled from another one: `127.0.0.1:PORT`. */
  mirror(host: string): void;
  /** Ends the engine and opens it again, as after a restart. */
  reopen(): Promise<void>;
  /** Removes all containers, networks and the folder. */
  remove(): Promise<void>;
}

/** Opens an engine with docker's API; its networks have names and subnets of their own. */
export async function dockerTest(number: number): Promise<DockerTest> {
  const root = mkdtempSync(join(tmpdir(), "wd-"));
  const tag = root.slice(-4).toLowerCase();
  const network: NetworkPlan = {
    defaultInterface: `wt${tag}0`,
    defaultSubnet: `10.${200 + number}.0.0/24`,
    pools: [{ subnet: `10.${200 + number}.128.0/17`, prefixLength: 24 }],
    table: `wherry_docker_test_${tag.replaceAll(/[^a-z0-9]/g, "x")}`,
    interfacePrefix: `wt${tag}`,
  };
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    DOCKER_HOST: `unix://${root}/docker.sock`,
    DOCKER_CONFIG: join(root, "config"),
  };
  let opened = await open(root, network);
  const docker = (args: readonly string[], options: ChildOptions = {}): Promise<ChildResult> =>
    runChild("docker", args, { env, ...options });
  return {
    root,
    network,
    env,
    docker,
    get engine() {
      return opened.engine;
    },
    async output(...args) {
      const { code, stdout, stderr } = await docker(args);
      if (code !== 0) throw new Error(`docker ${args.join(" ")}: exit code ${code}: ${stderr}`);
      return stdout.replace(/\n$/, "");
    },
    async load(name, options = {}) {
      await opened.engine.images.load(ociArchive(busyboxImage(options), name));
    },
    mirror(host) {
      mkdirSync(join(root, "hosts", "docker.io"), { recursive: true });
      writeFileSync(
        join(root, "hosts", "docker.io", "hosts.toml"),
        `[host."http://${host}"]\n  capabilities = ["pull", "resolve"]\n`,
      );
    },
    async reopen() {
      await opened.server.close();
      await opened.engine.close();
      opened = await open(root, network);
    },
    async remove() {
      const { stdout } = await docker(["ps", "-aq"]);
      const ids = stdout.split("\n").filter((id) => id !== "");
      if (ids.length > 0) await docker(["rm", "-fv", ...ids]);
      await opened.server.close();
      await opened.engine.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function open(
  root: string,
  network: NetworkPlan,
): Promise<{ readonly engine: Engine; readonly server: DockerServer }> {
  const pods = new CniNetwork({
    configFolder: join(root, "cni"),
    pluginFolders: [],
    cacheFolder: join(root, "cni-cache"),
    ...{ clock: realClock, log: noLog },
  });
  const folders = { dataDir: join(root, "data"), runDir: join(root, "run") };
  const common = { clock: realClock, log: noLog };
  const registryHosts = [join(root, "hosts")];
  const engine = await openEngine({ ...folders, ...common, network: pods, registryHosts });
  const server = await serveDocker({
    ...common,
    engine,
    listen: `unix://${root}/docker.sock`,
    dataDir: join(root, "docker"),
    version: "28.2.2",
    network,
    registryHosts,
  });
  return { engine, server };
}
