import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith, requires } from "../../../../test/requires.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { pluginFolder, testPod } from "./plugin-folder.test-support.ts";

const ofPod = (address: string): string =>
  `{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"'$CNI_NETNS'"}],"ips":[{"address":"${address}","interface":0}]}`;
const adds = (...addresses: string[]): string =>
  `[ $CNI_COMMAND != ADD ] || echo '${ofPod(addresses[0] ?? "")}'`;
const passesOn = `[ $CNI_COMMAND != ADD ] || echo "$input" | sed 's/.*"prevResult"://; s/}$//'`;

describeWith(requires("root"))("CniNetwork", () => {
  test("each plugin gets the result of the one before, and at the end the last in reverse order", async () => {
    const folder = pluginFolder();
    folder.plugin("first", adds("10.9.0.2/24"));
    folder.plugin("second", passesOn);
    const capabilities = { portMappings: true, bandwidth: true, ipRanges: true };
    folder.configure("10-net.conflist", {
      ...{ cniVersion: "1.0.0", name: "net" },
      plugins: [
        { type: "first", own: [1] },
        { type: "second", capabilities },
      ],
    });
    const network = folder.network();
    network.setRange("10.9.0.0/24,fd00:9::/64");
    const mapping = { protocol: "TCP" as const, containerPort: 80, hostIp: "" };
    const pod = await testPod({
      annotations: { "kubernetes.io/egress-bandwidth": "10M" },
      portMappings: [
        { ...mapping, hostPort: 8080 },
        { ...mapping, hostPort: 0 },
      ],
    });
    expect(await network.add(pod)).toEqual(["10.9.0.2"]);
    const prevResult = {
      ...{ cniVersion: "1.0.0", dns: {} },
      interfaces: [{ name: "eth0", sandbox: pod.namespace }],
      ips: [{ address: "10.9.0.2/24", interface: 0 }],
    };
    const runtimeConfig = {
      portMappings: [{ hostPort: 8080, containerPort: 80, protocol: "tcp", hostIP: "" }],
      bandwidth: { egressRate: 10_000_000, egressBurst: 4294967295 },
      ipRanges: [[{ subnet: "10.9.0.0/24" }], [{ subnet: "fd00:9::/64" }]],
    };
    const common = { cniVersion: "1.0.0", name: "net" };
    const { name } = pod.config.metadata;
    expect(folder.calls()[0]).toEqual({
      ...{ plugin: "first", command: "ADD", id: pod.sandboxId, netns: pod.namespace },
      args: `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${name};K8S_POD_INFRA_CONTAINER_ID=${pod.sandboxId};K8S_POD_UID=u1`,
      input: { ...common, type: "first", own: [1] },
    });
    expect(await network.check(pod.sandboxId)).toBeUndefined();
    await network.remove(pod);
    expect(
      folder
        .calls()
        .slice(1)
        .map(({ plugin, command, input }) => ({ plugin, command, input })),
    ).toEqual([
      {
        plugin: "second",
        command: "ADD",
        input: { ...common, type: "second", runtimeConfig, prevResult },
      },
      {
        plugin: "first",
        command: "CHECK",
        input: { ...common, type: "first", own: [1], prevResult },
      },
      {
        plugin: "second",
        command: "CHECK",
        input: { ...common, type: "second", runtimeConfig, prevResult },
      },
      {
        plugin: "second",
        command: "DEL",
        input: { ...common, type: "second", runtimeConfig, prevResult },
      },
      {
        plugin: "first",
        command: "DEL",
        input: { ...common, type: "first", own: [1], prevResult },
      },
    ]);
    expect(readdirSync(join(folder.root, "cache", "results"))).toEqual([]);
    const { stdout } = await mustRun("ip", ["-n", name, "-json", "link", "show", "lo"]).then(
      (stdout) => ({ stdout }),
    );
    expect(stdout).toContain('"UP"');
  });

  test("a pod is disconnected by what has connected it, although the configuration is another one", async () => {
    const folder = pluginFolder();
    for (const name of ["old", "new"]) folder.plugin(name, adds("10.9.0.2/24"));
    folder.configure("10-net.conflist", {
      cniVersion: "1.0.0",
      name: "a",
      plugins: [{ type: "old" }],
    });
    const pod = await testPod();
    await folder.network().add(pod);
    folder.configure("05-net.conflist", {
      cniVersion: "1.0.0",
      name: "b",
      plugins: [{ type: "new" }],
    });
    const network = folder.network();
    await network.remove(pod);
    expect(folder.calls().map(({ plugin, command }) => `${plugin} ${command}`)).toEqual([
      "old ADD",
      "old DEL",
    ]);
    // It may be removed again: then by the configuration of today.
    await network.remove(pod);
    expect(folder.calls().at(-1)).toMatchObject({ plugin: "new", command: "DEL" });
  });

  test("errors of plugins, and what they print otherwise", async () => {
    const folder = pluginFolder();
    const network = folder.network();
    const pod = await testPod();
    const configure = (type: string): void =>
      folder.configure("10-net.conf", { cniVersion: "1.0.0", name: "n", type });
    await expect(network.add(pod)).rejects.toThrow("cni plugin not initialized");
    configure("missing");
    await expect(network.add(pod)).rejects.toThrow(
      `plugin type="missing" name="n" failed (add): failed to find plugin "missing" in path [${folder.root}/bin /usr/lib/cni]`,
    );
    const scripts: readonly (readonly [string, string])[] = [
      [`echo '{"code":7,"msg":"no range","details":"at all"}'; exit 1`, "no range; at all"],
      ["echo text >&2; exit 3", 'netplugin failed: "text\\n"'],
      ["exit 3", "netplugin failed with no error message: exit status 3"],
      ["echo text; exit 3", 'netplugin failed but error parsing its diagnostic message "text\\n"'],
      ["echo text", 'cannot parse its result "text\\n"'],
      [`echo '{"cniVersion":"9.0.0"}'`, 'unsupported CNI result version "9.0.0"'],
    ];
    configure("p");
    for (const [script, problem] of scripts) {
      folder.plugin("p", script);
      await expect(network.add(pod)).rejects.toThrow(
        `plugin type="p" name="n" failed (add): ${problem}`,
      );
    }
    folder.plugin("p", `echo '{"cniVersion":"1.0.0"}'`);
    await expect(network.add(pod)).rejects.toThrow(
      `failed to find network info for sandbox "${pod.sandboxId}"`,
    );
    // What is gone need not be removed.
    folder.plugin("p", `echo '{"code":3,"msg":"container not found"}'; exit 1`);
    await network.remove(pod);
    expect(await network.hasConnected(pod.sandboxId)).toBe(false);
  });

  test("a plugin that takes too long is killed, with its children", async () => {
    const folder = pluginFolder();
    const pidFile = join(folder.root, "pid");
    folder.plugin(
      "slow",
      `[ $CNI_COMMAND != ADD ] || { sleep 1000 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; wait; }`,
    );
    folder.configure("10-net.conf", { cniVersion: "1.0.0", name: "n", type: "slow" });
    const network = folder.network({ timeoutMs: 1000 });
    const pod = await testPod();
    await expect(network.add(pod)).rejects.toThrow("netplugin did not end within 1 s");
    const pid = readFileSync(pidFile, "utf8").trim();
    await expect
      .poll(
        () =>
          existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "),
      )
      .toBe(false);
    await network.remove(pod);
    expect(folder.calls().at(-1)).toMatchObject({ command: "DEL" });
  });

  test("calls for one pod wait for each other", async () => {
    const folder = pluginFolder();
    const gate = join(folder.root, "gate");
    await mustRun("mkfifo", [gate]);
    folder.plugin(
      "p",
      `[ $CNI_COMMAND != ADD ] || { read -r line < ${gate}; echo '${ofPod("10.9.0.2/24")}'; }`,
    );
    folder.configure("10-net.conf", { cniVersion: "1.0.0", name: "n", type: "p" });
    const network = folder.network();
    const pod = await testPod();
    const added = network.add(pod);
    await expect.poll(() => folder.calls().length).toBe(1);
    const removed = network.remove({ ...pod, sandboxId: "1".repeat(64) });
    // Another pod need not wait.
    await network.remove(await testPod());
    expect(folder.calls().map(({ command }) => command)).toEqual(["ADD", "DEL"]);
    writeFileSync(gate, "go\n");
    await added;
    await removed;
    expect(folder.calls().at(-1)).toMatchObject({ command: "DEL", id: "1".repeat(64) });
  });

  test("the highest version is used that all plugins have", async () => {
    const folder = pluginFolder();
    const version = (versions: string): string =>
      `[ $CNI_COMMAND != VERSION ] || { echo '{"supportedVersions":[${versions}]}'; exit; }`;
    folder.plugin("a", `${version('"0.3.1","0.4.0","1.0.0"')}\n${adds("10.9.0.2/24")}`);
    folder.plugin("b", `${version('"0.3.1","0.4.0","1.0.0","1.1.0"')}\n${passesOn}`);
    const plugins = [{ type: "a" }, { type: "b" }];
    folder.configure("10-net.conflist", {
      name: "n",
      cniVersions: ["0.4.0", "1.0.0", "1.1.0"],
      plugins,
    });
    await folder.network().add(await testPod());
    const adding = folder.calls().filter(({ command }) => command === "ADD");
    expect(adding.map(({ input }) => input.cniVersion)).toEqual(["1.0.0", "1.0.0"]);
  });

  test("a result is passed on in the version of the configuration", async () => {
    const folder = pluginFolder();
    folder.plugin("a", adds("10.9.0.2/24"));
    folder.plugin("b", passesOn);
    folder.configure("10-net.conflist", {
      name: "n",
      cniVersion: "0.2.0",
      plugins: [{ type: "a" }, { type: "b" }],
    });
    expect(await folder.network().add(await testPod())).toEqual(["10.9.0.2"]);
    expect(folder.calls()[1]?.input.prevResult).toEqual({
      cniVersion: "0.2.0",
      ip4: { ip: "10.9.0.2/24" },
    });
  });

  test("takeOver: disconnects pods that are gone, and tells plugins which are left", async () => {
    const folder = pluginFolder();
    folder.plugin("p", adds("10.9.0.2/24"));
    folder.configure("10-net.conflist", {
      name: "n",
      cniVersion: "1.1.0",
      plugins: [{ type: "p" }],
    });
    const [stays, goes] = [await testPod(), await testPod()];
    const before = folder.network();
    for (const pod of [stays, goes]) await before.add(pod);
    const network = folder.network();
    await network.takeOver([{ ...stays, ips: ["10.9.0.2"] }], ["d".repeat(64)]);
    const attachments = [stays.sandboxId, "d".repeat(64)].map((containerID) => ({
      containerID,
      ifname: "eth0",
    }));
    expect(folder.calls().slice(2)).toMatchObject([
      { command: "DEL", id: goes.sandboxId, netns: goes.namespace },
      { command: "GC", id: "", input: { "cni.dev/valid-attachments": attachments } },
    ]);
    expect(await network.hasConnected(goes.sandboxId)).toBe(false);
    folder.configure("10-net.conflist", {
      name: "n",
      cniVersion: "1.1.0",
      disableGC: true,
      plugins: [{ type: "p" }],
    });
    await network.takeOver([], []);
    expect(folder.calls().slice(4)).toMatchObject([{ command: "DEL", id: stays.sandboxId }]);
  });

  test("an add that ended between two plugins is undone by the next process", async () => {
    const folder = pluginFolder();
    const gate = join(folder.root, "gate");
    await mustRun("mkfifo", [gate]);
    folder.plugin("first", adds("10.9.0.2/24"));
    folder.plugin("second", `[ $CNI_COMMAND != ADD ] || read -r line < ${gate}`);
    const plugins = [{ type: "first" }, { type: "second" }];
    folder.configure("10-net.conflist", { cniVersion: "1.0.0", name: "n", plugins });
    const pod = await testPod();
    const interrupted = folder.network().add(pod);
    await expect.poll(() => folder.calls().length).toBe(2);
    // Another configuration has come meanwhile.
    folder.configure("05-net.conf", { cniVersion: "1.0.0", name: "other", type: "first" });
    const network = folder.network();
    await network.takeOver([], []);
    const undone = folder.calls().map(({ plugin, command }) => `${plugin} ${command}`);
    expect(undone.slice(2)).toEqual(["second DEL", "first DEL"]);
    expect(await network.hasConnected(pod.sandboxId)).toBe(false);
    writeFileSync(gate, "go\n");
    await expect(interrupted).rejects.toThrow("cannot parse its result");
  });

  test("problem: until there is a valid configuration, and while its plugins say so", async () => {
    const folder = pluginFolder();
    let now = 0;
    const network = folder.network({ clock: { now: () => now } as never });
    expect(await network.problem()).toBe("cni plugin not initialized");
    folder.configure("10-broken.conflist", {});
    expect(await network.problem()).toBe("cni config uninitialized");
    expect(await network.problem()).toBe("cni config uninitialized");
    const path = join(folder.configFolder, "10-broken.conflist");
    expect(folder.warnings).toEqual([{ path, problem: "it has no name" }]);
    const state = join(folder.root, "problem");
    folder.plugin(
      "p",
      `[ ! -e ${state} ] || { echo '{"code":50,"msg":"no address is left"}'; exit 1; }`,
    );
    folder.configure("20-net.conflist", {
      name: "n",
      cniVersion: "1.1.0",
      plugins: [{ type: "p" }],
    });
    expect(await network.problem()).toBeUndefined();
    writeFileSync(state, "");
    expect(await network.problem()).toBeUndefined();
    now = 20_000;
    expect(await network.problem()).toBe("no address is left");
    expect(folder.calls().map(({ command }) => command)).toEqual(["STATUS", "STATUS"]);
  });
});
