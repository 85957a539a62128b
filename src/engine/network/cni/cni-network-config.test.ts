import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { formatCniNetwork, parseCniNetwork } from "./cni-network-config.ts";
import { loadCniNetwork } from "./load-cni-network.ts";
import { pluginInput } from "./plugin-input.ts";
import { readBits } from "./read-bits.ts";

const plugins = [{ type: "bridge", mtu: 1400 }];
const defaults = { disableCheck: false, disableGC: false, loadOnlyInlinedPlugins: false };

test("parseCniNetwork: a list, with what it disables", () => {
  const text = { cniVersion: "1.1.0", name: "n", disableCheck: "True", disableGC: true, plugins };
  const parsed = parseCniNetwork(JSON.stringify(text));
  expect(parsed).toEqual({
    ...{ name: "n", cniVersions: ["1.1.0"], plugins },
    ...{ disableCheck: true, disableGC: true, loadOnlyInlinedPlugins: false },
  });
  expect(parseCniNetwork(formatCniNetwork(parsed))).toEqual(parsed);
});

test("parseCniNetwork: a single plugin is a list of one", () => {
  const plugin = { cniVersion: "0.4.0", name: "n", type: "bridge" };
  expect(parseCniNetwork(JSON.stringify(plugin))).toEqual({
    ...{ ...defaults, loadOnlyInlinedPlugins: true },
    ...{ name: "n", cniVersions: ["0.4.0"], plugins: [plugin] },
  });
});

each<[string, object, readonly string[]]>([
  ["none is the oldest", {}, ["0.1.0"]],
  ["one", { cniVersion: "0.3.1" }, ["0.3.1"]],
  [
    "several in their order, without those to come",
    { cniVersion: "0.4.0", cniVersions: ["1.1.0", "2.0.0", "0.4.0", "1.0.0"] },
    ["0.4.0", "1.0.0", "1.1.0"],
  ],
])("parseCniNetwork: versions: %s", (_, versions, expected) => {
  const parsed = parseCniNetwork(JSON.stringify({ name: "n", plugins, ...versions }));
  expect(parsed.cniVersions).toEqual(expected);
});

each<[string, string]>([
  ["{", "it is not JSON"],
  ["[]", "it is not a JSON object"],
  ["{}", "it has no name"],
  ['{"name":"a/b","plugins":[]}', "invalid characters found in network name"],
  ['{"name":"n","plugins":[]}', "it has no plugins"],
  ['{"name":"n","plugins":{}}', "plugins is not a list"],
  [
    '{"name":"n","loadOnlyInlinedPlugins":true}',
    "loadOnlyInlinedPlugins is true, and it has no plugins",
  ],
  ['{"name":"n","plugins":[null]}', "a plugin has no type"],
  ['{"name":"n","plugins":[{}]}', "a plugin has no type"],
  ['{"name":"n","type":"../sh"}', 'a plugin has the invalid type "../sh"'],
  ['{"name":"n","type":"a","cniVersion":"new"}', 'it has the invalid CNI version "new"'],
  [
    '{"name":"n","type":"a","cniVersion":"1.2.0"}',
    "its CNI version is none of those up to 1.1.0: 1.2.0",
  ],
  ['{"name":"n","type":"a","disableGC":1}', "disableGC is neither true nor false"],
])("parseCniNetwork: %s", (text, problem) => {
  expect(() => parseCniNetwork(text)).toThrow(problem);
});

test("loadCniNetwork: the first valid file by name, with the plugins of the folder of its name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-cni-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await loadCniNetwork(join(folder, "missing"))).toEqual({ invalid: [] });
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  write("00-notes.txt", {});
  write("10-broken.conflist", { name: "n" });
  write("20-net.conflist", { name: "net", plugins });
  write("30-other.conf", { name: "other", type: "ptp" });
  mkdirSync(join(folder, "05-folder.conf"));
  mkdirSync(join(folder, "net"));
  write("net/10-more.conf", { type: "tuning" });
  expect(await loadCniNetwork(folder)).toEqual({
    network: {
      ...defaults,
      name: "net",
      cniVersions: ["0.1.0"],
      plugins: [...plugins, { type: "tuning" }],
    },
    invalid: [{ path: join(folder, "10-broken.conflist"), problem: "it has no plugins" }],
  });
  write("20-net.conflist", { name: "net", loadOnlyInlinedPlugins: true, plugins });
  expect((await loadCniNetwork(folder)).network?.plugins).toEqual(plugins);
});

test("pluginInput: a plugin gets the arguments that it is capable of, and the result before", () => {
  const plugin = { type: "portmap", capabilities: { portMappings: true, mac: false }, snat: true };
  const capabilityArgs = { portMappings: [1], dns: {}, mac: "m" };
  const call = { name: "n", cniVersion: "1.0.0", capabilityArgs, prevResult: { ips: [] } };
  expect(pluginInput({ ...plugin, "cni.dev/attachments": 1 }, call)).toEqual({
    ...{ type: "portmap", snat: true, cniVersion: "1.0.0", name: "n" },
    ...{ runtimeConfig: { portMappings: [1] }, prevResult: { ips: [] } },
  });
});

each<[string, number | string]>([
  ["10M", 10_000_000],
  ["1.5k", 1500],
  ["1Ki", 1024],
  ["2e3", 2000],
  ["999", "resource is unreasonably small (< 1kbit)"],
  ["2P", "resource is unreasonably large (> 1Pbit)"],
  ["fast", 'invalid bandwidth "fast"'],
])("readBits: %s", (text, expected) => {
  if (typeof expected === "string") expect(() => readBits(text)).toThrow(expected);
  else expect(readBits(text)).toBe(expected);
});
