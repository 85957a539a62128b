import { existsSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { isRunning } from "../../platform/process-identity.ts";
import { mustRun } from "../../platform/run-child.ts";
import { boxPaths } from "../box/box-paths.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

testWith(requires("boxes", "kubectl"))(
  "up with real nodes: a pod runs in a box, and survives kills of the agent and of the server",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    const up = await run("up", "--simulated-nodes", "1");
    expect([up.code, up.stderr.replace(/^(?:starting|waiting|the API).*\n/gm, "")]).toEqual([
      0,
      "",
    ]);
    expect(up.stdout).toContain("1 node and 1 simulated node");
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    const loaded = await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    expect(loaded).toMatchObject({ code: 0, stdout: `node-1: Loaded image: ${testImage}\n` });
    const again = await machine.feed(
      archive,
      "image",
      "load",
      "--quiet",
      "--cluster",
      "wherry",
      "-",
    );
    expect(again).toMatchObject({ code: 0, stdout: "" });

    const spec = { nodeName: "node-1" };
    const overrides = `--overrides=${JSON.stringify({ spec })}`;
    const command = ["sh", "-c", "echo hello; sleep 1000"];
    await kubectl("run", "web", `--image=${testImage}`, overrides, "--", ...command);
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=30s");
    expect((await kubectl("logs", "web")).stdout).toBe("hello\n");
    const address = (await kubectl("get", "pod", "web", "-o", "jsonpath={.status.podIP}")).stdout;
    // The machine reaches pods directly.
    await mustRun("busybox", ["ping", "-c1", "-W5", address]);

    // A killed server leaves the box running, and the next one takes it over.
    const { process: server } = machine.record("wherry");
    if (server) process.kill(server.pid, "SIGKILL");
    await expect.poll(() => server && isRunning(server)).toBe(false);
    // Neither does a start that fails end the box, with the pods that ran before.
    expect(await run("up", "--timeout", "1ms")).toMatchObject({ code: 1 });
    expect(await run("up")).toMatchObject({ code: 0 });
    expect((await kubectl("exec", "web", "--", "hostname")).stdout).toBe("web\n");
    expect(
      (
        await kubectl(
          "get",
          "pod",
          "web",
          "-o",
          "jsonpath={.status.containerStatuses[0].restartCount}",
        )
      ).stdout,
    ).toBe("0");

    const { dataDir } = machine.record("wherry");
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(dataDir)).toBe(false);
    expect(await mustRun("ip", ["-json", "route"])).not.toContain(address.replace(/\d+$/, ""));
  },
  minutes,
);

testWith(requires("boxes"))(
  "down: a node that is out of reach does not hold it up",
  async () => {
    const machine = newMachine({ nodes: "real" });
    expect(await machine.run("up")).toMatchObject({ code: 0 });
    const { dataDir } = machine.record("wherry");
    const { link } = await boxPaths(join(dataDir, "nodes", "node-1"));
    await mustRun("ip", ["link", "delete", link]);
    expect(await machine.run("down", "--timeout", "10s")).toMatchObject({ code: 0, stderr: "" });
    expect(await machine.run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);
