import { expect, test } from "vitest";
import { amountsOf } from "../../api/core/v1/quota/amounts.ts";
import type { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import type { ResourceList } from "../../api/core/v1/resource-list.ts";
import { UsageRaises } from "./usage-raises.ts";

const at = (resourceVersion: string, used: ResourceList) =>
  ({ metadata: { namespace: "n", name: "q", resourceVersion }, status: { used } }) as ResourceQuota;

test("a raise requires the version of its write, for the resources that use the raised amounts", () => {
  const raises = new UsageRaises((names) => names.map((name) => `${name}!`));
  raises.changed(at("2", { pods: "1", secrets: "3" }), at("1", { pods: "0", secrets: "3" }));
  expect(raises.versionFor("n/q", "pods!")).toBe("2");
  expect(raises.versionFor("n/q", "secrets!")).toBe(undefined);
  raises.changed(at("3", { pods: "1", secrets: "4" }), at("2", { pods: "1", secrets: "3" }));
  expect(raises.versionFor("n/q", "pods!")).toBe("2");
  expect(raises.versionFor("n/q", "secrets!")).toBe("3");
  raises.changed(at("4", { pods: "0", secrets: "4" }), at("3", { pods: "1", secrets: "4" }));
  expect(raises.versionFor("n/q", "pods!")).toBe("2");
  raises.forget("n/q");
  expect(raises.versionFor("n/q", "pods!")).toBe(undefined);
});

test("writing the count into the status is not a raise", () => {
  const raises = new UsageRaises((names) => names);
  raises.counted("n/q", amountsOf({ pods: "5" }));
  raises.changed(at("2", { pods: "5" }), at("1", { pods: "0" }));
  expect(raises.versionFor("n/q", "pods")).toBe(undefined);
  raises.changed(at("3", { pods: "6" }), at("2", { pods: "5" }));
  expect(raises.versionFor("n/q", "pods")).toBe("3");
});
