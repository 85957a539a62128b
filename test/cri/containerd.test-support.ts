import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  connectRuntime,
  type RuntimeConnection,
} from "../../src/cri/containerd/connect-runtime.ts";
import {
  type BuiltImage,
  busyboxImage,
  ociArchive,
} from "../../src/engine/images/oci-image.test-support.ts";
import { runChild } from "../../src/platform/run-child.ts";

/** The image in a test's containerd; its sandboxes run it, too. */
export const containerdImage = "registry.test/bb:1";

/** A containerd with folders, a socket and a network of its own. */
export interface TestContainerd {
  /** Its folder, which the command lines of its processes contain. */
  readonly root: string;
  readonly connection: RuntimeConnection;
  /** Imports the image, as a pull would. */
  import(): Promise<void>;
  /** Kills it; its containers run on. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it serves. */
  start(): Promise<void>;
  /** Removes all pods, ends it, and removes its folder. */
  close(): Promise<void>;
}

/** What connects the pods of a containerd, by default Debian's plugins with a bridge. */
export interface ContainerdNetwork {
  readonly binFolder: string;
  /** The plugins of the list, by the name of the test's network and a folder for their files. */
  readonly plugins: (name: string, folder: string) => readonly object[];
}

export async function startContainerd(
  network: ContainerdNetwork = debianNetwork,
): Promise<TestContainerd> {
  // Paths of sockets are short.
  const root = await mkdtemp(join(tmpdir(), "ctd-"));
  const socket = join(root, "c.sock");
  const bridge = `ct${root.slice(-6).toLowerCase()}`;
  await writeFile(join(root, "config.toml"), configOf(root, socket, network.binFolder));
  await mkdir(join(root, "cni"));
  await writeFile(
    join(root, "cni/10-test.conflist"),
    JSON.stringify({ cniVersion: "0.4.0", name: bridge, plugins: network.plugins(bridge, root) }),
  );
  const logPath = join(root, "log");
  const run = (): ChildProcess => {
    const log = openSync(logPath, "a");
    const config = ["--config", join(root, "config.toml")];
    const started = spawn("containerd", config, { stdio: ["ignore", log, log] });
    closeSync(log);
    return started;
  };
  let child = run();
  const connection = connectRuntime({ endpoint: `unix://${socket}` });
  const archive = join(root, "image.tar");
  const bytes = await archiveOf(busyboxImage({ Cmd: ["sleep", "infinity"] }));
  await writeFile(archive, bytes);
  const importImage = async (): Promise<void> => {
    const where = ["--address", socket, "--namespace", "k8s.io"];
    const { code, stderr } = await runChild("ctr", [...where, "images", "import", archive]);
    if (code !== 0) throw new Error(`ctr: ${Buffer.from(stderr).toString()}`);
  };
  const close = async (): Promise<void> => {
    try {
      for (const { id } of await connection.runtime.listPodSandboxes())
        await connection.runtime.removePodSandbox(id);
    } finally {
      connection.close();
      await ended(child);
      await runChild("ip", ["link", "delete", bridge]);
      await rm(root, { recursive: true, force: true });
    }
  };
  const serving = async (): Promise<void> => {
    // Benchmarks start it, too: nothing of vitest is used here.
    while (!(await isServing(connection))) {
      if (child.exitCode !== null) throw new Error(await readFile(logPath, "utf8"));
      await wait(10);
    }
  };
  try {
    await serving();
    await importImage();
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    ...{ root, connection, import: importImage, close },
    kill: () => ended(child, "SIGKILL"),
    start() {
      child = run();
      return serving();
    },
  };
}

/** `restrict_oom_score_adj`: the machine may not let us protect a sandbox from the kernel. */
const configOf = (root: string, socket: string, binFolder: string): string => `
version = 2
root = "${root}/root"
state = "${root}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  disable_apparmor = true
  restrict_oom_score_adj = true
  sandbox_image = "${containerdImage}"
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${binFolder}"
    conf_dir = "${root}/cni"
`;

const debianNetwork: ContainerdNetwork = {
  binFolder: "/usr/lib/cni",
  plugins: (bridge, folder) => [
    {
      ...{ type: "bridge", bridge, isGateway: false },
      ipam: {
        type: "host-local",
        subnet: "10.197.0.0/24",
        dataDir: join(folder, "addresses"),
        routes: [],
      },
    },
    { type: "loopback" },
  ],
};

async function archiveOf(image: BuiltImage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of ociArchive(image, containerdImage)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const ended = (child: ChildProcess, signal?: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill(signal);
  });

const isServing = ({ runtime }: RuntimeConnection): Promise<boolean> =>
  runtime.version().then(
    () => true,
    () => false,
  );
