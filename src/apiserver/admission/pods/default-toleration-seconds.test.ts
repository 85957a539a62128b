import { expect, test } from "vitest";
import { admitted } from "../attributes.test-support.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";

const added = (key: string) => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});
const [notReady, unreachable] = [added("not-ready"), added("unreachable")];
const own = { key: "own", operator: "Exists" };
const everything = { operator: "Exists" };

test.each([
  ["none", undefined, [notReady, unreachable]],
  ["one of another key", [own], [own, notReady, unreachable]],
  [
    "one of the keys",
    [{ key: notReady.key, effect: "NoExecute" }],
    [{ key: notReady.key, effect: "NoExecute" }, unreachable],
  ],
  [
    "one of the keys for all effects",
    [{ key: unreachable.key }],
    [{ key: unreachable.key }, notReady],
  ],
  [
    "one of the keys for another effect",
    [{ key: notReady.key, effect: "NoSchedule" }],
    [{ key: notReady.key, effect: "NoSchedule" }, notReady, unreachable],
  ],
  ["one of everything", [everything], [everything]],
])("defaultTolerationSeconds: a pod with %s", async (_, tolerations, wanted) => {
  const spec = tolerations ? { tolerations } : {};
  expect(await admitted(defaultTolerationSeconds(), { spec })).toEqual({ tolerations: wanted });
});

test("defaultTolerationSeconds: other kinds are left alone", async () => {
  expect(await admitted(defaultTolerationSeconds(), { kind: "Service" })).toEqual({});
});

test("defaultTolerationSeconds: a write to a part of a pod is left alone", async () => {
  const given = { operation: "UPDATE", subresource: "status" } as const;
  expect(await admitted(defaultTolerationSeconds(), given)).toEqual({});
});

test("defaultTolerationSeconds: the time can be configured", async () => {
  const plugin = defaultTolerationSeconds({ notReady: 10, unreachable: 0 });
  expect(await admitted(plugin, {})).toMatchObject({
    tolerations: [{ tolerationSeconds: 10 }, { tolerationSeconds: 0 }],
  });
});
