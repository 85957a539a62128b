import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  connectRuntime,
  type RuntimeConnection,
} from "../../src/cri/containerd/connect-runtime.ts";
import { busyboxImage, dockerArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../src/platform/run-child.ts";
import { wherryProgram } from "../../test/wherry-program.ts";

/** The image of all measurements. */
export const benchImage = "registry.test/bb:1";

/** The engine in a process of its own, as users run it. */
export interface EngineProcess {
  readonly connection: RuntimeConnection;
  readonly dockerHost: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Starts the engine with a network by CNI plugins, and loads the image. */
export async function startEngine(work: string): Promise<EngineProcess> {
  const root = join(work, "engine");
  const bridge = `wb${process.pid}`.slice(0, 12);
  const ipam = { type: "host-local", dataDir: join(root, "ipam"), subnet: "10.197.0.0/24" };
  const plugins = [{ type: "bridge", bridge, isGateway: false, ipam }];
  mkdirSync(join(root, "cni"), { recursive: true });
  writeFileSync(
    join(root, "cni", "10-bench.conflist"),
    JSON.stringify({ cniVersion: "0.4.0", name: "bench", plugins }),
  );
  const cri = `unix://${root}/cri.sock`;
  const dockerHost = `unix://${root}/docker.sock`;
  const child = spawn(
    process.execPath,
    [
      ...[wherryProgram(), "engine", "--data-dir", `${root}/data`, "--run-dir", `${root}/run`],
      ...["--listen", cri, "--docker-listen", dockerHost, "--cni-config-dir", join(root, "cni")],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await untilReady(child);
  const archive = await collected(dockerArchive(busyboxImage(), benchImage));
  await mustRun("docker", ["--host", dockerHost, "load"], { input: archive });
  const connection = connectRuntime({ endpoint: cri });
  return {
    connection,
    dockerHost,
    pid: child.pid ?? 0,
    async close() {
      const { runtime } = connection;
      for (const { id } of await runtime.listPodSandboxes()) await runtime.removePodSandbox(id);
      connection.close();
      child.kill();
      await new Promise((resolve) => child.once("exit", resolve));
      await runChild("ip", ["link", "delete", bridge]);
    },
  };
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("the engine has ended")));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      if (line === "ready") resolve();
    });
  });
}

/** All bytes of a stream. */
export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
