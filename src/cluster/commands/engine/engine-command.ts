import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { noNetwork } from "../../../cri/pod-network.ts";
import { EngineImages } from "../../../engine/cri/engine-images.ts";
import { EngineRuntime } from "../../../engine/cri/engine-runtime.ts";
import { serveCri } from "../../../engine/cri/serve/serve-cri.ts";
import { serveDocker } from "../../../engine/docker/serve-docker.ts";
import { openEngine } from "../../../engine/engine.ts";
import { hostGroup } from "../../../engine/host-group.ts";
import { ImageStoreInUse } from "../../../engine/images/store-lock.ts";
import { chosenNetwork } from "../../../engine/network/cni/chosen-network.ts";
import { CniNetwork } from "../../../engine/network/cni/cni-network.ts";
import { missingForContainers } from "../../../engine/programs.ts";
import { startStreamingServer } from "../../../engine/streaming/streaming-server.ts";
import { routedNetwork } from "../../../network/pods/routed-network.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { openLog } from "../../opening/open-log.ts";
import { version } from "../../version.ts";
import { serveImageCommands } from "../image/serve-image-commands.ts";
import { engineFlagProblems } from "./engine-flag-problems.ts";
import { engineFlags } from "./engine-flags.ts";
import { surviveFaults } from "./survive-faults.ts";

/** Runs the container engine in the foreground until a signal stops it; containers run on. */
export const engineCommand = command({
  name: "engine",
  short: "Run the container engine of a node",
  long: `Run the container engine in the foreground: it pulls images and runs containers, for kubelets over
CRI v1 (--listen) and for people over Docker's API (--docker-listen).

It stands on programs that every distribution has: runc (or another OCI runtime, by --oci-runtime)
isolates a container, and conmon holds its streams, its log and its exit code. On Debian and Ubuntu:

  apt-get install runc conmon socat iproute2 catatonit

Containers outlive the engine. It can be stopped, killed and upgraded at any time: containers run on
and write their logs, and the next engine takes them over, with the exit codes of those that ended
meanwhile. After a reboot they have ended.

The addresses of pods come from CNI plugins, by the first valid configuration in --cni-config-dir; until
there is one, pods of the node's network can run, and others wait. With --network auto the built-in network
connects pods until then, once a kubelet has told the node's range of addresses.

Docker's API is not served unless --docker-listen is given: whoever can connect to it is as powerful
as root. Building images, swarm and plugins are not part of it.

Exit codes: 0 when stopped, 1 when it could not start, 2 when the flags are invalid.`,
  examples: `  # For a kubelet
  wherry engine &
  kubelet --container-runtime-endpoint unix:///run/wherry/engine/cri.sock …

  # For people, with docker's own command
  wherry engine --docker-listen unix:///run/wherry/docker.sock &
  DOCKER_HOST=unix:///run/wherry/docker.sock docker run --rm -it busybox sh`,
  flags: engineFlags,
  async run({ flags, streams, signal }) {
    const problems = engineFlagProblems(flags);
    if (problems.length > 0) throw new UsageError(problems);
    const group = await dockerGroup(flags["docker-group"]);
    const missing = await missingForContainers({ ociRuntime: flags["oci-runtime"] });
    if (missing !== undefined) throw new Error(`the engine cannot run here: ${missing}`);
    const { listen, "docker-listen": dockerListen } = flags;
    const dataDir = resolve(flags["data-dir"]);
    const log = openLog();
    const clock = realClock;
    const cni = new CniNetwork({
      configFolder: flags["cni-config-dir"],
      pluginFolders: flags["cni-plugin-dir"],
      cacheFolder: join(dataDir, "cni"),
      ...{ clock, log },
    });
    const networks = {
      none: () => noNetwork,
      cni: () => cni,
      auto: () => chosenNetwork(cni, routedNetwork({ folder: join(dataDir, "addresses"), log })),
    };
    const network = networks[flags.network]();
    const engine = await openEngine({
      ...{ dataDir, runDir: resolve(flags["run-dir"]), network, clock, log },
      ociRuntime: flags["oci-runtime"],
      cgroupManager: flags["cgroup-manager"],
      registryHosts: flags["registry-config-dir"],
    }).catch((error: unknown) => {
      throw error instanceof ImageStoreInUse ? inUse(dataDir, error) : error;
    });
    const closing: (() => Promise<void> | void)[] = [() => engine.close(), surviveFaults(log)];
    try {
      const commands = await serveImageCommands(engine.images, dataDir);
      closing.unshift(() => commands.close());
      if (listen !== "") {
        const runtime = new EngineRuntime({ ...engine, clock, readYaml: yamlToJson, version });
        const images = new EngineImages({ ...engine, clock });
        const token = (): string => randomBytes(16).toString("hex");
        const streaming = await startStreamingServer({ runtime, clock, token });
        closing.unshift(() => streaming.close());
        const now = (): number => clock.now();
        const served = await serveCri({ runtime, images, listen, streams: streaming, now });
        closing.unshift(() => served.close());
        streams.stdout.write(`CRI: ${listen}\n`);
      }
      if (dockerListen !== "") {
        const served = await serveDocker({
          ...{ engine, listen: dockerListen, group, dataDir: join(dataDir, "docker") },
          ...{ version, clock, log },
        });
        closing.unshift(() => served.close());
        streams.stdout.write(`Docker: ${dockerListen}\n`);
      }
      streams.stdout.write("ready\n");
      await aborted(signal);
    } finally {
      for (const close of closing) await close();
    }
    return 0;
  },
});

/** The number of the group that may use Docker's socket; undefined if root alone may. */
async function dockerGroup(name: string): Promise<number | undefined> {
  if (name === "") return undefined;
  const gid = await hostGroup(name);
  if (gid !== undefined) return gid;
  throw new UsageError(
    `--docker-group: there is no group ${JSON.stringify(name)}: create it (groupadd ${name}), or give another one`,
  );
}

function inUse(dataDir: string, { holder: { pid } }: ImageStoreInUse): Error {
  const line = readCommandLine(pid);
  return new Error(
    `${dataDir} is in use by process ${pid}${line && ` (${line})`}: stop it, or give other folders with --data-dir and --run-dir`,
  );
}

/** The command line of a process; empty if it has ended. */
function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return "";
  }
}
