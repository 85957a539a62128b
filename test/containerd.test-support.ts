import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { expect } from "vitest";
import { connectRuntime } from "../src/cri/containerd/connect-runtime.ts";
import type { RuntimeService } from "../src/cri/runtime-service.ts";
import { openCgroups } from "../src/engine/cgroups/host-cgroups.ts";
import {
  type BuiltImage,
  busyboxImage,
  ociArchive,
} from "../src/engine/images/oci-image.test-support.ts";
import { runChild } from "../src/platform/run-child.ts";
import { eventually } from "./eventually.ts";

/** A containerd of a test. */
export interface TestContainerd {
  readonly runtime: RuntimeService;
  /** The cgroup that its pods must be in, which is removed with it. */
  readonly cgroupParent: string;
  /** Removes all pods, stops it and removes its folder. */
  remove(): Promise<void>;
}

const pauseImage = "registry.test/pause:1";

/** Starts a containerd in a folder of its own, with an image that has a shell. */
export async function testContainerd(image: string): Promise<TestContainerd> {
  const root = mkdtempSync(join(tmpdir(), "wherry-containerd-"));
  const bridge = `wc${root.slice(-6).toLowerCase()}`;
  const cgroupParent = `/${basename(root)}`;
  const socket = join(root, "containerd.sock");
  writeConfiguration(root, { socket, bridge });
  const daemon = spawn("containerd", ["--config", join(root, "config.toml")], { stdio: "ignore" });
  const { runtime, close } = connectRuntime({ endpoint: `unix://${socket}` });
  const remove = async (): Promise<void> => {
    const pods = await runtime.listPodSandboxes().catch(() => []);
    for (const { id } of pods) await runtime.removePodSandbox(id);
    close();
    daemon.kill();
    if (daemon.exitCode === null) await once(daemon, "exit");
    await runChild("ip", ["link", "delete", bridge]);
    await (await openCgroups()).remove(cgroupParent);
    rmSync(root, { recursive: true, force: true });
  };
  const load = async (name: string, built: BuiltImage): Promise<void> => {
    const archive = join(root, "image.tar");
    await pipeline(ociArchive(built, name), createWriteStream(archive));
    const args = ["--address", socket, "--namespace", "k8s.io", "images", "import", archive];
    expect(await runChild("ctr", args)).toMatchObject({ code: 0 });
  };
  try {
    await eventually(() => expect(existsSync(socket)).toBe(true));
    await eventually(() => runtime.version());
    await load(image, busyboxImage());
    await load(pauseImage, busyboxImage({ Cmd: ["sleep", "infinity"] }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { runtime, cgroupParent, remove };
}

function writeConfiguration(
  root: string,
  { socket, bridge }: { readonly socket: string; readonly bridge: string },
): void {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  const lines = [
    "version = 2",
    `root = "${root}/root"`,
    `state = "${root}/state"`,
    "[grpc]",
    `address = "${socket}"`,
    `[${cri}]`,
    `sandbox_image = "${pauseImage}"`,
    "restrict_oom_score_adj = true",
    `[${cri}.cni]`,
    'bin_dir = "/usr/lib/cni"',
    `conf_dir = "${root}/cni"`,
  ];
  writeFileSync(join(root, "config.toml"), lines.join("\n"));
  const ranges = [[{ subnet: "10.197.0.0/24" }]];
  const ipam = { type: "host-local", dataDir: join(root, "addresses"), ranges };
  const plugin = { type: "bridge", bridge, isGateway: false, ipam };
  const network = { cniVersion: "1.0.0", name: "containerd", plugins: [plugin] };
  mkdirSync(join(root, "cni"));
  writeFileSync(join(root, "cni/10-test.conflist"), JSON.stringify(network));
}
