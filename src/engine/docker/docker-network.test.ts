import { existsSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { runChild } from "../../platform/run-child.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("docker network", () => {
  let engine: DockerTest;
  const docker = (...args: readonly string[]) => engine.docker(args);
  const output = (...args: readonly string[]) => engine.output(...args);
  const server = ["sh", "-c", "while :; do echo hello | nc -l -p 80; done"];

  beforeAll(async () => {
    engine = await dockerTest(3);
    await engine.load("busybox:latest", { ExposedPorts: { "80/tcp": {} } });
  });
  afterAll(async () => {
    await engine.remove();
    // Nothing is left on the host.
    expect(existsSync(`/sys/class/net/${engine.network.defaultInterface}`)).toBe(false);
    const { stdout } = await runChild("nft", ["list", "tables"]);
    expect(stdout).not.toContain(engine.network.table);
  });

  test("bridge: an address, a gateway, and a published port that the host reaches", async () => {
    await output("run", "-d", "--name=web", "-p", "127.0.0.1::80", "busybox", ...server);
    expect(
      await output(
        "inspect",
        "--format={{.NetworkSettings.IPAddress}} {{.NetworkSettings.Gateway}}",
        "web",
      ),
    ).toBe("10.203.0.2 10.203.0.1");
    const published = await output("port", "web", "80");
    expect(published).toMatch(/^127\.0\.0\.1:\d+$/);
    const port = Number(published.split(":")[1]);
    await eventually(async () => expect(await greeting("127.0.0.1", port)).toBe("hello\n"));
    expect(await output("ps", "--format={{.Ports}}")).toBe(`127.0.0.1:${port}->80/tcp`);
    expect(await output("run", "--rm", "busybox", "nc", "-w", "5", "10.203.0.2", "80")).toBe(
      "hello",
    );
    const same = await docker("run", "--rm", "-p", `${port}:80`, "busybox", "true");
    expect(same.code).toBe(125);
    expect(same.stderr).toContain(`Bind for 0.0.0.0:${port} failed: port is already allocated`);
    await output("rm", "-f", "web");
    await expect(greeting("127.0.0.1", port)).rejects.toThrow("ECONNREFUSED");
  });

  test("none, host, container: the network of a mode", async () => {
    const links = ["ls", "/sys/class/net"];
    expect(await output("run", "--rm", "--network=none", "busybox", ...links)).toBe("lo");
    expect(await output("run", "--rm", "--network=host", "busybox", ...links)).toContain(
      engine.network.defaultInterface,
    );
    await output("run", "-d", "--name=owner", "--hostname=own", "busybox", "sleep", "1000");
    const address = ["sh", "-c", "hostname; ip -4 addr show eth0 | grep -o 'inet [0-9.]*'"];
    const own = await output("exec", "owner", ...address);
    expect(await output("run", "--rm", "--network=container:owner", "busybox", ...address)).toBe(
      own,
    );
    await output("rm", "-f", "owner");
  });

  test("networks of users: names are resolved, and they come and go", async () => {
    const id = await output("network", "create", "--label=a=b", "inner");
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(
      await output(
        "network",
        "ls",
        "--filter=label=a=b",
        "--format={{.Name}} {{.Driver}} {{.Scope}}",
      ),
    ).toBe("inner bridge local");
    expect((await docker("network", "create", "inner")).stderr).toContain(
      "network with name inner already exists",
    );
    await output("run", "-d", "--name=one", "--network=inner", "busybox", ...server);
    await output(
      "run",
      "-d",
      "--name=two",
      "--network=inner",
      "--network-alias=second",
      "busybox",
      "sleep",
      "1000",
    );
    await eventually(async () =>
      expect(await output("exec", "two", "nc", "-w", "5", "one", "80")).toBe("hello"),
    );
    expect(await output("exec", "one", "cat", "/etc/hosts")).toMatch(
      /^10\.203\.128\.3\ttwo .*second$/m,
    );
    await output("run", "-d", "--name=late", "busybox", "sleep", "1000");
    await output("network", "connect", "inner", "late");
    expect(await output("exec", "late", "nc", "-w", "5", "one", "80")).toBe("hello");
    expect(
      await output(
        "network",
        "inspect",
        "--format={{len .Containers}} {{(index .IPAM.Config 0).Subnet}}",
        "inner",
      ),
    ).toBe("3 10.203.128.0/24");
    expect((await docker("network", "rm", "inner")).stderr).toContain("has active endpoints");
    await output("network", "disconnect", "inner", "late");
    expect(await output("exec", "late", "ls", "/sys/class/net")).toBe("eth0\nlo");
    await output("rm", "-f", "one", "two", "late");
    expect(await output("network", "rm", "inner")).toBe("inner");
    expect((await docker("network", "rm", "bridge")).stderr).toContain(
      "bridge is a pre-defined network and cannot be removed",
    );
  });

  test("networks do not reach each other, nor an internal one the host's", async () => {
    await output("network", "create", "left");
    await output("network", "create", "--internal", "right");
    await output("run", "-d", "--name=inleft", "--network=left", "busybox", ...server);
    const address = await output(
      "inspect",
      "--format={{.NetworkSettings.Networks.left.IPAddress}}",
      "inleft",
    );
    const reach = ["nc", "-w", "1", address, "80"];
    expect(await output("run", "--rm", "--network=left", "busybox", ...reach)).toBe("hello");
    expect((await docker("run", "--rm", "busybox", ...reach)).code).not.toBe(0);
    expect((await docker("run", "--rm", "--network=right", "busybox", ...reach)).code).not.toBe(0);
    await output("rm", "-f", "inleft");
    expect((await output("network", "prune", "-f")).trim().split("\n")).toEqual([
      "Deleted Networks:",
      "left",
      "right",
    ]);
  });

  test("after a restart of the engine addresses and ports are as they were", async () => {
    await output("run", "-d", "--name=kept", "-p", "127.0.0.1::80", "busybox", ...server);
    const port = Number((await output("port", "kept", "80")).split(":")[1]);
    await engine.reopen();
    expect(await greeting("127.0.0.1", port)).toBe("hello\n");
    await output("run", "-d", "--name=next", "busybox", "sleep", "1000");
    expect(await output("inspect", "--format={{.NetworkSettings.IPAddress}}", "kept", "next")).toBe(
      "10.203.0.2\n10.203.0.3",
    );
    await output("rm", "-f", "kept", "next");
  });
});

/** What a server says first. */
function greeting(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("error", reject);
    socket.on("end", () => resolve(text));
  });
}
