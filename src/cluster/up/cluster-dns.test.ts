import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../engine/images/oci-image.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { newMachine } from "./machine.test-support.ts";

const minutes = 180_000;

testWith(requires("boxes", "kubectl"))(
  "up with real nodes: pods resolve names of the cluster by the DNS of their node",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl } = machine;
    expect(await run("up")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");

    await kubectl("run", "client", `--image=${testImage}`, "--", "sleep", "1000");
    await kubectl("wait", "--for=condition=Ready", "pod/client", "--timeout=30s");
    const look = async (name: string): Promise<string> =>
      (await kubectl("exec", "client", "--", "busybox", "nslookup", name)).stdout;
    const lookUntil = async (name: string, text: string): Promise<string> => {
      let found = "";
      await expect
        .poll(async () => (found = await look(name)), { timeout: 20_000 })
        .toContain(text);
      return found;
    };
    // By a short name, which the search path completes.
    const addressOf = async (...service: readonly string[]): Promise<string> =>
      (await kubectl("get", "service", ...service, "-o", "jsonpath={.spec.clusterIP}")).stdout;
    const kubernetes = await addressOf("kubernetes");
    const dns = await addressOf("kube-dns", "-n", "kube-system");
    expect(await lookUntil("kubernetes", `Address: ${kubernetes}`)).toContain(
      "kubernetes.default.svc.cluster.local",
    );
    const endpoints = async (): Promise<string> =>
      (
        await kubectl(
          ...["get", "endpointslices", "-n", "kube-system"],
          ...["-l", "kubernetes.io/service-name=kube-dns"],
          ...["-o", "jsonpath={.items[*].endpoints[*].nodeName}"],
        )
      ).stdout;
    await expect.poll(endpoints, { timeout: 20_000 }).toBe("node-1");

    // A pod with a hostname and a subdomain has a name.
    await kubectl("create", "service", "clusterip", "group", "--clusterip=None");
    const patch = { spec: { selector: { app: null, run: "member" } } };
    await kubectl("patch", "service", "group", "-p", JSON.stringify(patch));
    const spec = { hostname: "first", subdomain: "group" };
    const overrides = `--overrides=${JSON.stringify({ spec })}`;
    await kubectl("run", "member", `--image=${testImage}`, overrides, "--", "sleep", "1000");
    await kubectl("wait", "--for=condition=Ready", "pod/member", "--timeout=30s");
    const { stdout: ip } = await kubectl(
      ...["get", "pod", "member", "-o", "jsonpath={.status.podIP}"],
    );
    await lookUntil("first.group.default.svc.cluster.local", `Address: ${ip}`);

    // A killed agent is started again, and finds the address in use by nobody.
    const before = agentPid(machine.record("wherry").dataDir);
    process.kill(before, "SIGKILL");
    await expect
      .poll(() => agentPid(machine.record("wherry").dataDir), { timeout: 30_000 })
      .not.toBe(before);
    await lookUntil("first.group.default.svc.cluster.local", `Address: ${ip}`);

    // Without an API server, what is known is answered. The pod is reached without kubectl.
    const { process: server } = machine.record("wherry");
    if (server) process.kill(server.pid, "SIGKILL");
    const { init } = JSON.parse(
      readFileSync(join(boxFolder(machine.record("wherry").dataDir), "box.json"), "utf8"),
    );
    const args = ["-t", `${init.pid}`, "-n", "busybox", "nslookup"];
    const found = await runChild("nsenter", [
      ...args,
      ...["first.group.default.svc.cluster.local", dns],
    ]);
    expect(found.stdout).toContain(`Address: ${ip}`);
    expect(await run("up")).toMatchObject({ code: 0 });
  },
  minutes,
);

const boxFolder = (dataDir: string): string => join(dataDir, "nodes", "node-1");

/** The agent of the box, by its record. */
function agentPid(dataDir: string): number {
  const folder = join(boxFolder(dataDir), "processes");
  const [name = ""] = readdirSync(folder);
  return (JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly pid: number }).pid;
}
