import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cniVersions } from "../../src/cri/cni/cni-version.ts";
import { runChild } from "../../src/platform/run-child.ts";
import { describeWith, requires, testWith } from "../requires.ts";
import {
  callPlugin,
  debianPlugins,
  type InstalledPlugins,
  installPlugins,
  mustCall,
  namespace,
  type TestCall,
  type TestNamespace,
} from "./cni-node.test-support.ts";

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-ipam-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const canReach = async (from: TestNamespace, address: string): Promise<boolean> =>
  (await runChild("nsenter", [`--net=${from.path}`, "busybox", "ping", "-c1", "-W1", address]))
    .code === 0;

describeWith(requires("root", "nft", "cniPlugins"))("the CNI plugins", () => {
  let installed: InstalledPlugins;
  let ours: readonly string[];
  beforeAll(async () => {
    installed = await installPlugins();
    ours = [installed.folder];
  });
  afterAll(() => installed?.remove());

  test("say which versions they have, and what is wrong with a call", async () => {
    const node = await namespace();
    const config = { cniVersion: "0.4.0", name: "n", type: "bridge" };
    const call = (change: Partial<TestCall>) =>
      callPlugin(node, { path: ours, command: "ADD", config, ...change });
    expect((await call({ command: "VERSION" })).json).toEqual({
      cniVersion: "0.4.0",
      supportedVersions: cniVersions,
    });
    const wrong = async (change: Partial<TestCall>): Promise<unknown> => {
      const { code, json } = await call(change);
      expect(code).toBe(1);
      return json;
    };
    expect(await wrong({ command: "MOVE" })).toEqual({
      cniVersion: "1.1.0",
      code: 4,
      msg: "unknown CNI_COMMAND: MOVE",
    });
    expect(await wrong({})).toMatchObject({
      code: 4,
      msg: "required env variables [CNI_NETNS] missing",
    });
    expect(await wrong({ netns: "/n", id: "../x" })).toMatchObject({
      code: 4,
      msg: "invalid characters in containerID",
    });
    expect(await wrong({ netns: "/n", config: { ...config, cniVersion: "9.0.0" } })).toMatchObject({
      code: 1,
    });
    expect(await wrong({ netns: "/n", config: { ...config, name: "" } })).toMatchObject({
      code: 7,
      msg: "missing network name",
    });
    expect(await wrong({ command: "GC" })).toEqual({
      cniVersion: "0.4.0",
      code: 1,
      msg: "config version does not allow GC",
    });
    expect(
      await wrong({ netns: "/n", config: { ...config, vlanTrunk: [{ id: 1 }] } }),
    ).toMatchObject({ code: 2, msg: 'unsupported field vlanTrunk: [{"id":1}]' });
    expect(await wrong({ netns: "/n" })).toMatchObject({
      code: 3,
      msg: 'failed to open netns "/n": no such file or directory',
    });
    const { code, stderr } = await call({ command: "" });
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      "CNI plugin bridge: loopback, host-local, portmap, wherry, bridge",
    ]);
  });

  test("loopback sets the interface up, and checks it", async () => {
    const [node, pod] = [await namespace(), await namespace()];
    const call = {
      path: ours,
      config: { cniVersion: "1.0.0", name: "lo", type: "loopback" },
      netns: pod.path,
    };
    const check = await callPlugin(node, { ...call, command: "CHECK" });
    expect(check.json).toMatchObject({ msg: "loopback interface is down" });
    expect(await mustCall(node, { ...call, command: "ADD" })).toMatchObject({
      interfaces: [{ name: "lo", sandbox: pod.path }],
      ips: expect.arrayContaining([{ address: "127.0.0.1/8", interface: 0 }]),
    });
    await mustCall(node, { ...call, command: "CHECK" });
    await mustCall(node, { ...call, command: "DEL" });
  });

  test("bridge connects pods with each other and the node, in both families, and again nothing is left", async () => {
    const node = await namespace();
    const pods = [await namespace(), await namespace()];
    const dataDir = dataFolder();
    const ranges = [[{ subnet: "10.7.0.0/24" }], [{ subnet: "fd00:7::/64" }]];
    const config = {
      ...{ cniVersion: "1.1.0", name: "dual", type: "bridge", bridge: "br7", mtu: 1400 },
      ...{ isDefaultGateway: true, ipMasq: true, hairpinMode: true, macspoofchk: true },
      ipam: { type: "host-local", dataDir, ranges },
    };
    const results: Readonly<Record<string, never>>[] = [];
    for (const [i, pod] of pods.entries())
      results.push(
        await mustCall(node, { path: ours, command: "ADD", config, id: `c${i}`, netns: pod.path }),
      );
    const [first = {}] = results;
    expect(first).toMatchObject({
      cniVersion: "1.1.0",
      interfaces: [
        { name: "br7" },
        { name: /^veth/ },
        { name: "eth0", mtu: 1400, sandbox: pods[0]?.path },
      ].map((one) =>
        expect.objectContaining({
          ...one,
          name: typeof one.name === "string" ? one.name : expect.stringMatching(one.name),
        }),
      ),
      ips: [
        { address: "10.7.0.2/24", gateway: "10.7.0.1", interface: 2 },
        { address: "fd00:7::2/64", gateway: "fd00:7::1", interface: 2 },
      ],
      routes: [
        { dst: "0.0.0.0/0", gw: "10.7.0.1" },
        { dst: "::/0", gw: "fd00:7::1" },
      ],
    });
    for (const address of ["10.7.0.1", "10.7.0.3", "fd00:7::1", "fd00:7::3"])
      expect.soft(await canReach(pods[0] as TestNamespace, address), address).toBe(true);
    const call = {
      path: ours,
      config: { ...config, prevResult: first },
      id: "c0",
      netns: pods[0]?.path ?? "",
    };
    await mustCall(node, { ...call, command: "CHECK" });
    expect(await node.run("nft", "list", "ruleset")).toContain('10.7.0.2 comment "c0 eth0 dual"');
    // An interface that is there is not the plugin's to change.
    const again = await callPlugin(node, {
      path: ours,
      command: "ADD",
      config,
      id: "c9",
      netns: pods[0]?.path ?? "",
    });
    expect(again.json).toMatchObject({ msg: 'container veth name ("eth0") already exists' });
    await mustCall(node, { ...call, command: "CHECK" });
    await pods[0]?.run("ip", "addr", "del", "10.7.0.2/24", "dev", "eth0");
    const { json } = await callPlugin(node, { ...call, command: "CHECK" });
    expect(json).toMatchObject({ msg: "Failed to match addr 10.7.0.2/24 on interface eth0" });
    for (const round of ["once", "twice"]) {
      await mustCall(node, { ...call, command: "DEL" });
      expect(existsSync(join(dataDir, "dual", "10.7.0.2")), round).toBe(false);
    }
    expect(await node.run("ip", "-o", "link", "show", "master", "br7")).toMatch(
      /^\S+ veth[^\n]*\n$/,
    );
    // The second one is gone without a DEL.
    await mustCall(node, {
      path: ours,
      command: "GC",
      config: { ...config, "cni.dev/valid-attachments": [] },
    });
    expect(readdirSync(join(dataDir, "dual")).sort()).toEqual([
      "last_reserved_ip.0",
      "last_reserved_ip.1",
      "lock",
    ]);
    expect(await node.run("nft", "list", "ruleset")).not.toContain("eth0 dual");
  });

  test("bridge: pods reach the outside with the address of the node", async () => {
    const [node, outside, pod] = [await namespace(), await namespace(), await namespace()];
    await node.run(
      "ip",
      "link",
      "add",
      "up0",
      "type",
      "veth",
      "peer",
      "name",
      "eth0",
      "netns",
      outside.path,
    );
    await node.run("ip", "addr", "add", "192.0.2.1/24", "dev", "up0");
    await node.run("ip", "link", "set", "up0", "up");
    await outside.run("ip", "addr", "add", "192.0.2.2/24", "dev", "eth0");
    await outside.run("ip", "link", "set", "eth0", "up");
    const config = {
      ...{
        cniVersion: "1.0.0",
        name: "masq",
        type: "bridge",
        bridge: "br7",
        isDefaultGateway: true,
      },
      ipam: { type: "host-local", dataDir: dataFolder(), subnet: "10.7.0.0/24" },
    };
    const call = { path: ours, netns: pod.path };
    await mustCall(node, { ...call, command: "ADD", config });
    expect(await canReach(pod, "192.0.2.2")).toBe(false);
    await mustCall(node, { ...call, command: "DEL", config });
    await mustCall(node, { ...call, command: "ADD", config: { ...config, ipMasq: true } });
    expect(await canReach(pod, "192.0.2.2")).toBe(true);
  });

  test("bridge: another address of the bridge is an error, unless it may be replaced; what failed is undone", async () => {
    const [node, pod] = [await namespace(), await namespace()];
    await node.run("ip", "link", "add", "br7", "type", "bridge");
    await node.run("ip", "addr", "add", "10.8.0.1/24", "dev", "br7");
    const dataDir = dataFolder();
    const config = {
      ...{
        cniVersion: "1.0.0",
        name: "forced",
        type: "bridge",
        bridge: "br7",
        isGateway: true,
        ipMasq: true,
      },
      ipam: { type: "host-local", dataDir, subnet: "10.7.0.0/24" },
    };
    const call = { path: ours, command: "ADD", netns: pod.path };
    const { json } = await callPlugin(node, { ...call, config });
    expect(json).toMatchObject({
      code: 999,
      msg: '"br7" already has an IP address different from 10.7.0.1/24',
    });
    expect(existsSync(join(dataDir, "forced", "10.7.0.2"))).toBe(false);
    expect(await pod.run("ip", "-o", "link")).not.toContain("eth0");
    await mustCall(node, { ...call, config: { ...config, forceAddress: true } });
    expect(await node.run("ip", "-o", "-4", "addr", "show", "br7")).toContain("10.7.0.1/24");
    const other = await callPlugin(node, { ...call, config: { ...config, bridge: "lo" } });
    expect(other.json).toMatchObject({ msg: '"lo" already exists but is not a bridge' });
  });

  testWith(requires("vlanBridges"))(
    "bridge: pods of one VLAN reach each other, and those of another do not",
    async () => {
      const node = await namespace();
      const pods = [await namespace(), await namespace(), await namespace()];
      const dataDir = dataFolder();
      for (const [i, pod] of pods.entries()) {
        const ipam = { type: "host-local", dataDir, subnet: "10.7.0.0/24" };
        const config = {
          cniVersion: "1.0.0",
          name: "vlans",
          type: "bridge",
          vlan: i < 2 ? 10 : 20,
          preserveDefaultVlan: false,
          ipam,
        };
        await mustCall(node, { path: ours, command: "ADD", id: `c${i}`, config, netns: pod.path });
      }
      expect(await canReach(pods[0] as TestNamespace, "10.7.0.3")).toBe(true);
      expect(await canReach(pods[0] as TestNamespace, "10.7.0.4")).toBe(false);
    },
  );

  test("bridge runs any plugin for addresses, and any bridge runs ours", async () => {
    const [node, pod, other] = [await namespace(), await namespace(), await namespace()];
    const dataDir = dataFolder();
    const of = (type: string) => ({
      ...{ cniVersion: "1.0.0", name: "mixed", type: "bridge", bridge: "br7" },
      ipam: { type, dataDir, subnet: "10.7.0.0/24", addresses: [{ address: "10.7.0.99/24" }] },
    });
    const fixed = await mustCall(node, {
      path: [...ours, debianPlugins],
      command: "ADD",
      config: of("static"),
      netns: pod.path,
    });
    expect(fixed).toMatchObject({ ips: [{ address: "10.7.0.99/24", interface: 2 }] });
    const folder = dataFolder();
    await runChild("cp", [join(debianPlugins, "bridge"), folder]);
    const config = of("host-local");
    const given = await mustCall(node, {
      path: [folder, ...ours],
      command: "ADD",
      id: "c2",
      config,
      netns: other.path,
    });
    expect(given).toMatchObject({ ips: [{ address: "10.7.0.2/24" }] });
    expect(await canReach(pod, "10.7.0.2")).toBe(true);
    await mustCall(node, {
      path: [folder, ...ours],
      command: "CHECK",
      id: "c2",
      config: { ...config, prevResult: given },
      netns: other.path,
    });
    // Our bridge checks and removes what Debian's has made.
    await mustCall(node, {
      path: ours,
      command: "CHECK",
      id: "c2",
      config: { ...config, prevResult: given },
      netns: other.path,
    });
    await mustCall(node, {
      path: ours,
      command: "DEL",
      id: "c2",
      config: { ...config, prevResult: given },
      netns: other.path,
    });
    expect(await other.run("ip", "-o", "link")).not.toContain("eth0");
  });

  test("wherry: the built-in network, as a plugin", async () => {
    const node = await namespace();
    const pods = [await namespace(), await namespace()];
    await node.run("ip", "link", "set", "lo", "up");
    await node.run("ip", "addr", "add", "192.0.2.1/32", "dev", "lo");
    const dataDir = dataFolder();
    const config = {
      ...{ cniVersion: "1.1.0", name: "built-in", type: "wherry", dataDir },
      podCidr: "10.7.0.0/24,fd00:7::/64",
    };
    const results = [];
    for (const [i, pod] of pods.entries())
      results.push(
        await mustCall(node, { path: ours, command: "ADD", id: `c${i}`, config, netns: pod.path }),
      );
    expect(results[1]).toMatchObject({
      ips: [
        { address: "10.7.0.3/32", interface: 1 },
        { address: "fd00:7::3/128", interface: 1 },
      ],
      interfaces: [{}, { name: "eth0", sandbox: pods[1]?.path }],
    });
    const [first, second] = pods as [TestNamespace, TestNamespace];
    for (const address of ["10.7.0.3", "fd00:7::3"])
      expect.soft(await canReach(first, address), address).toBe(true);
    expect.soft(await canReach(node, "10.7.0.2"), "from the node").toBe(true);
    const call = {
      path: ours,
      id: "c0",
      config: { ...config, prevResult: results[0] },
      netns: first.path,
    };
    await mustCall(node, { ...call, command: "CHECK" });
    await mustCall(node, { path: ours, command: "STATUS", config });
    for (const _ of ["once", "twice"]) await mustCall(node, { ...call, command: "DEL" });
    expect((await callPlugin(node, { ...call, command: "CHECK" })).json).toMatchObject({
      msg: "the pod is not connected: it has no interface on the node",
    });
    const valid = (containerID: string) => ({
      ...config,
      "cni.dev/valid-attachments": [{ containerID, ifname: "eth0" }],
    });
    await mustCall(node, { path: ours, command: "GC", config: valid("c1") });
    expect.soft(await canReach(node, "10.7.0.3"), "a valid pod").toBe(true);
    await mustCall(node, { path: ours, command: "GC", config: valid("c9") });
    expect(readdirSync(join(dataDir, "built-in", "addresses"))).toEqual([]);
    expect(await second.run("ip", "-o", "link")).not.toContain("eth0");
    const { podCidr: _, ...without } = config;
    expect(
      (await callPlugin(node, { path: ours, command: "STATUS", config: without })).json,
    ).toMatchObject({ code: 50, msg: "the configuration has no podCidr, such as 10.244.1.0/24" });
    // A runtime tells the node's range by a capability.
    const told = { ...without, runtimeConfig: { ipRanges: [[{ subnet: "10.6.0.0/24" }]] } };
    const own = await mustCall(node, {
      path: ours,
      command: "ADD",
      config: told,
      netns: first.path,
    });
    expect(own).toMatchObject({ ips: [{ address: "10.6.0.2/32" }] });
  });

  test("two runtimes that share a folder of addresses never give one twice, whichever plugin they use", async () => {
    const [node, pod] = [await namespace(), await namespace()];
    const ipam = { type: "host-local", dataDir: dataFolder(), subnet: "10.7.0.0/26" };
    const config = { cniVersion: "1.0.0", name: "shared", type: "host-local", ipam };
    const add = async (id: string, path: string): Promise<string> => {
      const { code, json } = await callPlugin(node, {
        path: [path],
        command: "ADD",
        id,
        config,
        netns: pod.path,
      });
      const { ips, msg } = json as { ips?: { address: string }[]; msg?: string };
      if (code !== 0) expect(msg).toContain("no IP addresses available");
      return ips?.[0]?.address ?? "none";
    };
    const worker = async (name: string, path: string): Promise<readonly string[]> => {
      const given: string[] = [];
      for (let i = 0; i < 20; i++) given.push(await add(`${name}${i}`, path));
      return given;
    };
    const given = (
      await Promise.all([
        worker("a", installed.folder),
        worker("b", debianPlugins),
        worker("c", installed.folder),
        worker("d", debianPlugins),
      ])
    ).flat();
    const addresses = given.filter((one) => one !== "none");
    expect([addresses.length, new Set(addresses).size]).toEqual([61, 61]);
    for (const [id, path] of [
      ["a0", debianPlugins],
      ["b0", installed.folder],
    ] as const) {
      await mustCall(node, {
        path: [path],
        command: "CHECK",
        id,
        config: { ...config, prevResult: { cniVersion: "1.0.0" } },
        netns: pod.path,
      });
      await mustCall(node, { path: [path], command: "DEL", id, config });
    }
    // What each took back from the other is free again.
    const again = [await add("x", installed.folder), await add("y", debianPlugins)];
    expect(new Set([...addresses, ...again]).size).toBe(61);
    expect(again).not.toContain("none");
  });

  test("portmap: ports of the node lead to the pod, for others, for itself and for the node", async () => {
    const [node, client] = [await namespace(), await namespace()];
    const pods = [await namespace(), await namespace()];
    await node.run("ip", "link", "set", "lo", "up");
    await node.run(
      "ip",
      "link",
      "add",
      "up0",
      "type",
      "veth",
      "peer",
      "name",
      "eth0",
      "netns",
      client.path,
    );
    for (const [at, address, dev] of [
      [node, "192.0.2.1/24", "up0"],
      [client, "192.0.2.2/24", "eth0"],
    ] as const) {
      await at.run("ip", "addr", "add", address, "dev", dev);
      await at.run("ip", "link", "set", dev, "up");
    }
    const bridge = {
      ...{
        cniVersion: "1.1.0",
        name: "ports",
        type: "bridge",
        bridge: "br7",
        isDefaultGateway: true,
        hairpinMode: true,
      },
      ipam: { type: "host-local", dataDir: dataFolder(), subnet: "10.7.0.0/24" },
    };
    const results = [];
    for (const [i, pod] of pods.entries()) {
      await pod.run("ip", "link", "set", "lo", "up");
      results.push(
        await mustCall(node, {
          path: ours,
          command: "ADD",
          id: `c${i}`,
          config: bridge,
          netns: pod.path,
        }),
      );
    }
    const portMappings = [
      { hostPort: 8080, containerPort: 80, protocol: "tcp" },
      { hostPort: 8081, containerPort: 80, protocol: "TCP", hostIP: "127.0.0.1" },
    ];
    const config = {
      cniVersion: "1.1.0",
      name: "ports",
      type: "portmap",
      runtimeConfig: { portMappings },
      prevResult: results[0],
    };
    const call = { path: ours, id: "c0", config, netns: pods[0]?.path ?? "" };
    expect(await mustCall(node, { ...call, command: "ADD" })).toEqual(results[0]);
    await mustCall(node, { ...call, command: "CHECK" });
    const [server, neighbour] = pods as [TestNamespace, TestNamespace];
    const answers = async (from: TestNamespace, address: string): Promise<boolean> => {
      const [host = "", port = ""] = address.split(":");
      const script = `require("net").connect(${port}, "${host}").on("data", (d) => { process.exit(d == "hello" ? 0 : 2) }).on("error", () => process.exit(3)).setTimeout(2000, () => process.exit(4))`;
      return (
        (await runChild("nsenter", [`--net=${from.path}`, process.execPath, "-e", script])).code ===
        0
      );
    };
    const stop = await serveHello(server);
    try {
      expect.soft(await answers(client, "192.0.2.1:8080"), "from outside").toBe(true);
      expect.soft(await answers(neighbour, "10.7.0.1:8080"), "from a neighbour").toBe(true);
      expect.soft(await answers(server, "10.7.0.1:8080"), "from itself").toBe(true);
      expect.soft(await answers(node, "127.0.0.1:8080"), "from the node's loopback").toBe(true);
      expect
        .soft(await answers(node, "127.0.0.1:8081"), "from the node's loopback, at that address")
        .toBe(true);
      expect.soft(await answers(client, "192.0.2.1:8081"), "at another address").toBe(false);
      for (const _ of ["once", "twice"]) await mustCall(node, { ...call, command: "DEL" });
      expect.soft(await answers(client, "192.0.2.1:8080"), "after the end").toBe(false);
    } finally {
      stop();
    }
    const { json } = await callPlugin(node, { ...call, command: "CHECK" });
    expect(json).toMatchObject({ msg: "the port mapping tcp . 8080 is missing" });
    await mustCall(node, { ...call, command: "ADD" });
    // A port whose pod ended without a DEL goes to the next pod, and stays there.
    const next = {
      ...call,
      id: "c1",
      netns: neighbour.path,
      config: { ...config, prevResult: results[1] },
    };
    await mustCall(node, { ...next, command: "ADD" });
    await mustCall(node, { ...call, command: "DEL" });
    await mustCall(node, { ...next, command: "CHECK" });
    const valid = {
      ...config,
      "cni.dev/valid-attachments": [{ containerID: "c1", ifname: "eth0" }],
    };
    await mustCall(node, { path: ours, command: "GC", config: valid });
    await mustCall(node, { ...next, command: "CHECK" });
    await mustCall(node, { path: ours, command: "STATUS", config });
    await mustCall(node, {
      path: ours,
      command: "GC",
      config: { ...config, "cni.dev/valid-attachments": [] },
    });
    expect(await node.run("nft", "list", "ruleset")).not.toContain("eth0 ports");
    // containerd removes a pod with other capitals.
    const capitals = {
      portMappings: [{ HostPort: 8080, ContainerPort: 80, Protocol: "tcp", HostIP: "" }],
    };
    await mustCall(node, {
      ...call,
      command: "ADD",
      config: { ...config, runtimeConfig: capitals },
    });
    await mustCall(node, {
      ...call,
      command: "DEL",
      config: { ...config, runtimeConfig: capitals },
    });
    const invalid = {
      ...config,
      runtimeConfig: { portMappings: [{ hostPort: 70_000, containerPort: 1 }] },
    };
    expect(
      (await callPlugin(node, { ...call, command: "ADD", config: invalid })).json,
    ).toMatchObject({ code: 7, msg: "Invalid host port number: 70000" });
  });
});

/** Serves a word at port 80 of a namespace until the function is called. */
async function serveHello(pod: TestNamespace): Promise<() => void> {
  const { spawn } = await import("node:child_process");
  const script = `require("net").createServer((s) => { s.on("error", () => {}); s.end("hello") }).listen(80, "0.0.0.0", () => console.log("ready"))`;
  const child = spawn("nsenter", [`--net=${pod.path}`, process.execPath, "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return () => void child.kill("SIGKILL");
}
