import { expect, test } from "vitest";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import {
  withClusterContext,
  withoutClusterContext,
  withPreviousContext,
  withRenewedCluster,
} from "./cluster-context.ts";

const admin: Kubeconfig = {
  clusters: [{ name: "x", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "admin", user: { token: "t" } }],
  contexts: [{ name: "x", context: { cluster: "x", user: "admin" } }],
};
const others: Kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "prod", cluster: { server: "https://prod" } }],
  users: [{ name: "me", user: { token: "secret" } }],
  contexts: [{ name: "prod", context: { cluster: "prod", user: "me" } }],
  "current-context": "prod",
};

test("a cluster's context is added and made current, and nothing else changes", () => {
  const after = withClusterContext(others, "dev", admin);
  const extensions = [{ name: "wherry.cluster", extension: { name: "dev" } }];
  expect(after).toEqual({
    ...others,
    clusters: [
      ...(others.clusters ?? []),
      { name: "dev", cluster: { server: "https://127.0.0.1:1", extensions } },
    ],
    users: [...(others.users ?? []), { name: "dev", user: { token: "t", extensions } }],
    contexts: [
      ...(others.contexts ?? []),
      { name: "dev", context: { cluster: "dev", user: "dev", extensions } },
    ],
    "current-context": "dev",
  });
});

test("adding a context again replaces it, and keeps the namespace that the user chose", () => {
  const once = withClusterContext({}, "dev", admin);
  const chosen: Kubeconfig = {
    ...once,
    contexts: once.contexts?.map((one) => ({
      ...one,
      context: { ...one.context, namespace: "web" },
    })),
  };
  const again = withClusterContext(chosen, "dev", {
    ...admin,
    clusters: [{ name: "x", cluster: { server: "https://127.0.0.1:2" } }],
  });
  expect(again.clusters?.[0]?.cluster?.server).toBe("https://127.0.0.1:2");
  expect(again.contexts?.[0]?.context?.namespace).toBe("web");
});

test.each(["clusters", "users", "contexts"] as const)(
  "a foreign entry among %s is not replaced",
  (section) => {
    const config: Kubeconfig = { [section]: others[section] };
    const [entry] = others[section] ?? [];
    const name = entry?.name ?? "";
    expect(() => withClusterContext(config, name, admin)).toThrow(
      `the kubeconfig has a ${section.slice(0, -1)} "${name}" that does not belong to this cluster: choose another cluster name with "wherry up NAME", or rename that entry`,
    );
    expect(withoutClusterContext(config, name, undefined)).toBe(config);
  },
);

test("the added entries are removed, and the previous context is current again", () => {
  const up = withClusterContext(others, "dev", admin);
  expect(withoutClusterContext(up, "dev", "prod")).toEqual(others);
  expect(withoutClusterContext(up, "dev", "gone")).toEqual({ ...others, "current-context": "" });
  const elsewhere = { ...up, "current-context": "prod" };
  expect(withoutClusterContext(elsewhere, "dev", undefined)).toEqual(others);
});

test("a stopped cluster keeps its entries, but is no longer the current context", () => {
  const up = withClusterContext(others, "dev", admin);
  expect(withPreviousContext(up, "dev", "prod")).toEqual({ ...up, "current-context": "prod" });
  expect(withPreviousContext(up, "dev", undefined)).toBe(up);
  expect(withPreviousContext(up, "dev", "gone")).toBe(up);
  const elsewhere = { ...up, "current-context": "prod" };
  expect(withPreviousContext(elsewhere, "dev", "prod")).toBe(elsewhere);
});

test("a cluster is renewed where it is in a kubeconfig, whose other entries stay as they are", () => {
  const renewed: Kubeconfig = {
    ...admin,
    clusters: [{ name: "x", cluster: { server: "https://127.0.0.1:2" } }],
    users: [{ name: "admin", user: { token: "other" } }],
  };
  const before = { ...withClusterContext(others, "dev", admin), "current-context": "prod" };
  expect(withRenewedCluster(before, "dev", renewed)).toEqual({
    ...withClusterContext(others, "dev", renewed),
    "current-context": "prod",
  });
  expect(withRenewedCluster(others, "dev", renewed)).toEqual(others);
  expect(withRenewedCluster(others, "prod", renewed)).toEqual(others);
});
