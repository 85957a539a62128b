import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { busyboxImage, dockerArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { mustRun, runChild } from "../../src/platform/run-child.ts";
import { benchImage, collected, startEngine } from "./engine-process.ts";
import { median, verdict } from "./engine-verdict.ts";

/** Compares `docker run --rm IMAGE true` with dockerd's, where that is installed. */
export async function benchDocker(work: string): Promise<void> {
  if (!existsSync("/usr/sbin/dockerd"))
    return console.log("dockerd is not installed: apt-get install docker.io");
  const engine = await startEngine(work);
  const dockerd = await startDockerd(work);
  try {
    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < 12; round++) {
      times.ours.push(await runTrue(engine.dockerHost));
      times.theirs.push(await runTrue(dockerd.host));
    }
    verdict("docker run --rm IMAGE true", median(times.ours), median(times.theirs), { unit: "ms" });
  } finally {
    await engine.close();
    await dockerd.close();
  }
}

async function runTrue(host: string): Promise<number> {
  const begin = performance.now();
  await mustRun("docker", ["--host", host, "run", "--rm", "--network", "none", benchImage, "true"]);
  return performance.now() - begin;
}

/** Starts dockerd with folders of its own and without a network. */
async function startDockerd(work: string) {
  const root = join(work, "dockerd");
  mkdirSync(root);
  const host = `unix://${root}/docker.sock`;
  const log = openSync(join(root, "log"), "w");
  const child = spawn(
    "/usr/sbin/dockerd",
    [
      ...["--host", host, "--data-root", `${root}/data`, "--exec-root", `${root}/exec`],
      ...["--pidfile", `${root}/pid`, "--iptables=false", "--ip6tables=false", "--bridge=none"],
      "--oom-score-adjust=0",
    ],
    { stdio: ["ignore", log, log] },
  );
  closeSync(log);
  for (let tries = 0; (await runChild("docker", ["--host", host, "version"])).code !== 0; tries++) {
    if (tries > 100 || child.exitCode !== null)
      throw new Error(`dockerd does not start: see ${root}/log`);
    await wait(100);
  }
  const archive = await collected(dockerArchive(busyboxImage(), benchImage));
  await mustRun("docker", ["--host", host, "load"], { input: archive });
  return {
    host,
    async close() {
      child.kill();
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}
