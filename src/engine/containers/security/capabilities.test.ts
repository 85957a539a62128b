import { describe, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { type CapabilityChanges, criCapabilities, dockerCapabilities } from "./capabilities.ts";
import { capabilityNames, grantableCapabilities, parseCapabilities } from "./capability-names.ts";

const defaults = (
  "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FSETID CAP_FOWNER CAP_MKNOD CAP_NET_RAW CAP_SETGID CAP_SETUID CAP_SETFCAP " +
  "CAP_SETPCAP CAP_NET_BIND_SERVICE CAP_SYS_CHROOT CAP_KILL CAP_AUDIT_WRITE"
).split(" ");
const all = [...capabilityNames];
const without = (names: readonly string[], ...dropped: readonly string[]): string[] =>
  names.filter((name) => !dropped.includes(name));

describe("criCapabilities", () => {
  each<[Partial<CapabilityChanges>, readonly string[]]>([
    [{}, defaults],
    [{ add: ["net_admin"] }, [...defaults, "CAP_NET_ADMIN"]],
    [{ add: ["CAP_SYS_TIME", "CHOWN"] }, [...defaults, "CAP_SYS_TIME"]],
    [{ drop: ["CHOWN", "CAP_KILL"] }, without(defaults, "CAP_CHOWN", "CAP_KILL")],
    [{ add: ["ALL"] }, all],
    [{ add: ["all"], drop: ["CHOWN"] }, without(all, "CAP_CHOWN")],
    [{ drop: ["ALL"] }, []],
    [{ drop: ["ALL"], add: ["NET_RAW"] }, ["CAP_NET_RAW"]],
    [{ drop: ["NET_ADMIN"], add: ["NET_ADMIN"] }, defaults],
    [{ add: ["ALL"], drop: ["ALL"] }, []],
    [{ add: ["NO_SUCH"] }, defaults],
    [{ privileged: true, drop: ["ALL"] }, all],
  ])("%j", (changes, expected) => {
    const sets = criCapabilities({ privileged: false, add: [], drop: [], ...changes }, all);
    expect(sets).toEqual({
      bounding: expected,
      effective: expected,
      permitted: expected,
      inheritable: [],
      ambient: [],
    });
  });

  test("ambient capabilities are added and inherited", () => {
    const changes = { privileged: false, add: [], drop: ["ALL"], addAmbient: ["NET_BIND_SERVICE"] };
    const expected = ["CAP_NET_BIND_SERVICE"];
    expect(criCapabilities(changes, all)).toEqual({
      bounding: expected,
      effective: expected,
      permitted: expected,
      inheritable: expected,
      ambient: expected,
    });
  });

  test("what the node cannot grant is left out", () => {
    const grantable = ["CAP_CHOWN", "CAP_KILL"];
    const changes = { privileged: false, add: ["SYS_RESOURCE"], drop: [] };
    expect(criCapabilities(changes, grantable).bounding).toEqual(grantable);
    expect(criCapabilities({ ...changes, privileged: true }, grantable).bounding).toEqual(
      grantable,
    );
  });
});

describe("dockerCapabilities", () => {
  each<[Partial<CapabilityChanges>, readonly string[]]>([
    [{}, defaults],
    [{ add: ["net_admin"] }, [...defaults, "CAP_NET_ADMIN"]],
    [{ drop: ["NET_ADMIN"], add: ["NET_ADMIN"] }, [...defaults, "CAP_NET_ADMIN"]],
    [{ drop: ["cap_chown"] }, without(defaults, "CAP_CHOWN")],
    [{ drop: ["ALL"], add: ["CHOWN", "CHOWN"] }, ["CAP_CHOWN"]],
    [{ add: ["ALL"], drop: ["ALL"] }, all],
    [{ add: ["ALL"], drop: ["SYS_BOOT"] }, without(all, "CAP_SYS_BOOT")],
    [{ privileged: true, drop: ["CHOWN"] }, all],
  ])("%j", (changes, expected) => {
    const sets = dockerCapabilities({ privileged: false, add: [], drop: [], ...changes }, all);
    expect(sets.bounding).toEqual(expected);
    expect(sets.ambient).toEqual([]);
  });

  each<[Partial<CapabilityChanges>, string]>([
    [{ add: ["foo"] }, 'invalid CapAdd: unknown capability: "CAP_FOO"'],
    [{ drop: ["CAP_"] }, 'invalid CapDrop: unknown capability: "CAP_"'],
  ])("%j is rejected", (changes, message) => {
    const all = { privileged: false, add: [], drop: [], ...changes };
    expect(() => dockerCapabilities(all, [])).toThrow(message);
  });
});

test("parseCapabilities: one name for each bit that has one", () => {
  expect(parseCapabilities("Name:\tx\nCapBnd:\t000001ffffffffff\nCapAmb:\t0\n")).toEqual(all);
  expect(parseCapabilities("CapBnd:\t8000000000000003\n")).toEqual([
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
  ]);
  expect(parseCapabilities("")).toEqual([]);
});

test.runIf(process.platform === "linux")("grantableCapabilities: those of this process", () => {
  expect(all).toEqual(expect.arrayContaining([...grantableCapabilities()]));
});
