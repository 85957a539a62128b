import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { describeWith, requires } from "../../../../test/requires.ts";
import type { NetworkConfig, PluginCall } from "../plugin.ts";
import { hostLocal } from "./host-local.ts";
import { parseResolvConf, readIpamConfig } from "./ipam-config.ts";

const configOf = (ipam: object, more: object = {}): NetworkConfig => ({
  ...{ cniVersion: "1.0.0", name: "n", ipam: { type: "host-local", ...ipam }, ...more },
});

each<[string, object, string]>([
  ["no range", {}, "no IP ranges specified"],
  [
    "no subnet",
    { ranges: [[{ rangeStart: "10.0.0.1" }]] },
    "invalid range set 0: invalid subnet undefined",
  ],
  ["an empty set", { ranges: [[]] }, "invalid range set 0: it is empty"],
  [
    "host bits",
    { subnet: "10.0.0.1/24" },
    "Network has host bits set. For a subnet mask of length 24 the network address is 10.0.0.0",
  ],
  ["too small", { subnet: "10.0.0.0/31" }, "Network 10.0.0.0/31 too small to allocate from"],
  [
    "a start outside",
    { subnet: "10.0.0.0/24", rangeStart: "10.0.1.1" },
    "RangeStart 10.0.1.1 not in network 10.0.0.0/24",
  ],
  [
    "an end before the start",
    { subnet: "10.0.0.0/24", rangeStart: "10.0.0.9", rangeEnd: "10.0.0.8" },
    "RangeStart is after RangeEnd",
  ],
  [
    "two families in a set",
    { ranges: [[{ subnet: "10.0.0.0/24" }, { subnet: "fd00::/64" }]] },
    "invalid range set 0: mixed address families",
  ],
  [
    "sets that overlap",
    { subnet: "10.0.0.0/24", ranges: [[{ subnet: "10.0.0.0/16" }]] },
    "range set 0 overlaps with 1",
  ],
])("readIpamConfig: %s", (_, ipam, problem) => {
  expect(() => readIpamConfig(configOf(ipam))).toThrow(problem);
});

test("readIpamConfig: ranges of the runtime come first, then the single one; old versions have one of each family", () => {
  const ipam = { subnet: "10.1.0.0/24", ranges: [[{ subnet: "fd00::/64" }]] };
  const more = { runtimeConfig: { ipRanges: [[{ subnet: "10.2.0.0/24" }]] } };
  const { sets } = readIpamConfig(configOf(ipam, more));
  expect(sets.map(([first]) => [first?.version, first?.prefix])).toEqual([
    [4, 24],
    [4, 24],
    [6, 64],
  ]);
  expect(() => readIpamConfig({ ...configOf(ipam, more), cniVersion: "0.2.0" })).toThrow(
    "CNI version 0.2.0 does not support more than 1 address per family",
  );
});

test("parseResolvConf: what resolvers read", () => {
  const text =
    "# c\nnameserver 10.0.0.1\nnameserver fd00::1\ndomain d\nsearch a b ; c\noptions ndots:5\n";
  expect(parseResolvConf(text)).toEqual({
    ...{
      nameservers: ["10.0.0.1", "fd00::1"],
      domain: "d",
      search: ["a", "b"],
      options: ["ndots:5"],
    },
  });
});

describeWith(requires("root"))("host-local", () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), "wherry-ipam-"));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  const call = (
    id: string,
    config: NetworkConfig,
    args: Record<string, string> = {},
  ): PluginCall => ({
    ...{ containerId: id, ifName: "eth0", netns: "/n", args, prevResult: undefined },
    ...{ config, input: "", env: {} },
  });
  const addressesOf = async (one: PluginCall): Promise<readonly string[]> =>
    (await hostLocal.add(one)).ips.map(({ address }) => address);

  test("addresses are given in turn, and one that was taken back rests", async () => {
    const dataDir = folder();
    const config = configOf({ dataDir, subnet: "10.0.0.0/29", routes: [{ dst: "0.0.0.0/0" }] });
    expect(await hostLocal.add(call("a", config))).toEqual({
      ...{ interfaces: [], dns: {}, routes: [{ dst: "0.0.0.0/0" }] },
      ips: [{ address: "10.0.0.2/29", gateway: "10.0.0.1" }],
    });
    expect(readFileSync(join(dataDir, "n", "10.0.0.2"), "utf8")).toBe("a\r\neth0");
    await expect(hostLocal.add(call("a", config))).rejects.toThrow(
      "failed to allocate for range 0: 10.0.0.2 has been allocated to a, duplicate allocation is not allowed",
    );
    await hostLocal.del(call("a", config));
    await hostLocal.del(call("a", config));
    await expect(hostLocal.check(call("a", config))).rejects.toThrow(
      "host-local: Failed to find address added by container a",
    );
    for (const [id, address] of [
      ["b", "3"],
      ["c", "4"],
      ["d", "5"],
      ["e", "6"],
    ] as const)
      expect(await addressesOf(call(id, config))).toEqual([`10.0.0.${address}/29`]);
    await hostLocal.status?.(call("x", config));
    expect(await addressesOf(call("f", config))).toEqual(["10.0.0.2/29"]);
    await expect(hostLocal.add(call("g", config))).rejects.toThrow(
      "failed to allocate for range 0: no IP addresses available in range set: 10.0.0.1-10.0.0.6",
    );
    await expect(hostLocal.status?.(call("x", config))).rejects.toMatchObject({ code: 50 });
    await hostLocal.gc?.(
      call("", { ...config, "cni.dev/valid-attachments": [{ containerID: "c", ifname: "eth0" }] }),
    );
    expect(readdirSync(join(dataDir, "n")).sort()).toEqual([
      "10.0.0.4",
      "last_reserved_ip.0",
      "lock",
    ]);
    // A runtime that does not say what is valid loses nothing.
    await hostLocal.gc?.(call("", config));
    expect(existsSync(join(dataDir, "n", "10.0.0.4"))).toBe(true);
  });

  test("one address of each set, or none at all", async () => {
    const dataDir = folder();
    const small = { subnet: "10.9.0.0/24", rangeStart: "10.9.0.10", rangeEnd: "10.9.0.10" };
    const config = configOf({ dataDir, ranges: [[{ subnet: "fd00::/64" }], [small]] });
    expect(await addressesOf(call("a", config))).toEqual(["fd00::2/64", "10.9.0.10/24"]);
    await expect(hostLocal.add(call("b", config))).rejects.toThrow(
      "failed to allocate for range 1: no IP addresses available in range set: 10.9.0.10-10.9.0.10",
    );
    expect(readdirSync(join(dataDir, "n")).filter((name) => name.includes(":"))).toEqual([
      "fd00::2",
    ]);
  });

  test("requested addresses: by the environment, arguments and capabilities", async () => {
    const config = configOf({
      dataDir: folder(),
      ranges: [[{ subnet: "10.9.0.0/24" }], [{ subnet: "fd00::/64" }]],
    });
    expect(await addressesOf(call("a", config, { ip: "10.9.0.77" }))).toEqual([
      "10.9.0.77/24",
      "fd00::2/64",
    ]);
    const byArgs = { ...config, args: { cni: { ips: ["10.9.0.78", "fd00::5/64"] } } };
    expect(await addressesOf(call("b", byArgs))).toEqual(["10.9.0.78/24", "fd00::5/64"]);
    const byCapability = (ip: string) => ({ ...config, runtimeConfig: { ips: [ip] } });
    const refused = [
      [
        "10.9.0.78",
        "failed to allocate for range 0: requested IP address 10.9.0.78 is not available in range set 10.9.0.1-10.9.0.254",
      ],
      ["10.9.0.1", "requested ip 10.9.0.1 is subnet's gateway"],
      ["10.8.0.1", "failed to allocate all requested IPs: 10.8.0.1"],
      ["ten", "cannot understand ip: ten"],
    ] as const;
    for (const [ip, problem] of refused)
      await expect(hostLocal.add(call("c", byCapability(ip)))).rejects.toThrow(problem);
    await expect(hostLocal.check(call("c", config))).rejects.toThrow("Failed to find address");
  });

  test("files of old versions have no interface", async () => {
    const dataDir = folder();
    const config = configOf({ dataDir, subnet: "10.0.0.0/29" });
    await hostLocal.add(call("a", config));
    writeFileSync(join(dataDir, "n", "10.0.0.3"), "old");
    await hostLocal.check(call("old", config));
    await hostLocal.del(call("old", config));
    expect(existsSync(join(dataDir, "n", "10.0.0.3"))).toBe(false);
    expect(existsSync(join(dataDir, "n", "10.0.0.2"))).toBe(true);
  });
});
