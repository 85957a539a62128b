import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { kernelSetting } from "../kernel-settings.ts";
import { openNamespace, startProgram, testFolder } from "../pods/namespaces.test-support.ts";
import {
  type ConntrackSettings,
  conntrackFiles,
  conntrackRecord,
  nodeConntrackSettings,
  defaultConntrackSettings as usual,
} from "./conntrack-settings.ts";

const none: ConntrackSettings = {
  ...{ maxPerCore: 0, min: 1000, tcpEstablishedMs: 0, tcpCloseWaitMs: 0, tcpBeLiberal: false },
  ...{ udpMs: 0, udpStreamMs: 0 },
};
const folder = "/proc/sys/net/netfilter/nf_conntrack";
const hashsize = "/sys/module/nf_conntrack/parameters/hashsize";

each<
  [
    what: string,
    settings: ConntrackSettings,
    machine: { processors: number; buckets: number },
    files: Readonly<Record<string, string>>,
  ]
>([
  [
    "the least limit holds for few CPUs",
    usual,
    { processors: 2, buckets: 32_768 },
    {
      [`${folder}_max`]: "131072",
      [`${folder}_tcp_timeout_established`]: "86400",
      [`${folder}_tcp_timeout_close_wait`]: "3600",
    },
  ],
  [
    "of a node, packets out of window count, too",
    nodeConntrackSettings,
    { processors: 2, buckets: 32_768 },
    {
      [`${folder}_max`]: "131072",
      [`${folder}_tcp_timeout_established`]: "86400",
      [`${folder}_tcp_timeout_close_wait`]: "3600",
      [`${folder}_tcp_be_liberal`]: "1",
    },
  ],
  [
    "the limit follows the CPUs, and the buckets follow the limit",
    { ...none, maxPerCore: 32_768 },
    { processors: 8, buckets: 32_768 },
    { [`${folder}_max`]: "262144", [hashsize]: "65536" },
  ],
  [
    "there is a limit of limits",
    { ...none, maxPerCore: 32_768, min: 2_000_000 },
    { processors: 64, buckets: 1 << 20 },
    { [`${folder}_max`]: "1048576" },
  ],
  ["zeros change nothing", none, { processors: 2, buckets: 1 }, {}],
  [
    "all timeouts",
    { ...none, tcpBeLiberal: true, udpMs: 30_500, udpStreamMs: 180_000 },
    { processors: 2, buckets: 1 },
    {
      [`${folder}_tcp_be_liberal`]: "1",
      [`${folder}_udp_timeout`]: "30",
      [`${folder}_udp_timeout_stream`]: "180",
    },
  ],
])("conntrackFiles: %s", (_, settings, machine, files) => {
  expect(Object.fromEntries(conntrackFiles(settings, machine))).toEqual(files);
});

testWith(requires("nft"))(
  "adjustConntrack: a namespace gets its own settings, which are restored as far as nobody else has changed them",
  async () => {
    const machine = () => [kernelSetting(`${folder}_max`), kernelSetting(hashsize)];
    const before = machine();
    const at = await openNamespace();
    const read = async () =>
      (await at.run(`cat ${folder}_tcp_timeout_close_wait ${folder}_udp_timeout`)).split("\n");
    const [closeWait, udp] = await read();
    const record = conntrackRecord(testFolder());
    const file = join(import.meta.dirname, "conntrack-driver.test-support.ts");
    const { call } = startProgram(at, file, {});
    await call("adjust", { ...usual, udpMs: 77_000 }, record);
    expect((await read()).slice(0, 2)).toEqual(["3600", "77"]);
    // The second time, what was there at first is still known.
    await call("adjust", { ...usual, udpMs: 78_000 }, record);
    expect((await read()).slice(0, 2)).toEqual(["3600", "78"]);
    await at.run(`echo 1234 > ${folder}_tcp_timeout_close_wait`);
    await call("restore", record);
    expect((await read()).slice(0, 2)).toEqual(["1234", udp]);
    expect(closeWait).not.toBe("3600");
    expect(existsSync(record)).toBe(false);
    expect(machine()).toEqual(before);
  },
  60_000,
);
