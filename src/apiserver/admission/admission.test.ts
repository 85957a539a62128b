import { expect, test } from "vitest";
import { type AdmissionPlugin, admissionChain } from "./admission.ts";
import { attributes } from "./attributes.test-support.ts";

test("admissionChain: plugins run one after the other, also asynchronous ones", async () => {
  const seen: string[] = [];
  const slow: AdmissionPlugin = {
    name: "slow",
    operations: ["CREATE"],
    async admit({ object }) {
      await Promise.resolve();
      object.metadata.name = "changed";
      seen.push("slow admit");
    },
    validate: async () => void seen.push("slow validate"),
  };
  const quick: AdmissionPlugin = {
    name: "quick",
    operations: ["CREATE"],
    admit: ({ object }) => void seen.push(`quick admit ${object.metadata.name}`),
  };
  const chain = admissionChain([slow, quick]);
  const request = attributes({});
  await chain.admit(request);
  await chain.validate(request as never);
  expect(seen).toEqual(["slow admit", "quick admit changed", "slow validate"]);
});

test("admissionChain: a rejection ends the chain", async () => {
  const seen: string[] = [];
  const refuse: AdmissionPlugin = {
    name: "no",
    operations: ["CREATE"],
    admit: () => {
      throw new Error("no");
    },
  };
  const later: AdmissionPlugin = {
    name: "later",
    operations: ["CREATE"],
    admit: () => void seen.push("later"),
  };
  await expect(admissionChain([refuse, later]).admit(attributes({}))).rejects.toThrow("no");
  expect(seen).toEqual([]);
});

test("admissionChain: all plugins run once more if one of them asks for it", async () => {
  const seen: string[] = [];
  const chain = admissionChain([
    {
      name: "first",
      operations: ["CREATE"],
      admit: (_, { isSecond }) => void seen.push(`first ${isSecond}`),
    },
    {
      name: "second",
      operations: ["CREATE"],
      admit(_, run) {
        run.isNeededAgain = true;
        seen.push(`second ${run.isSecond}`);
      },
    },
  ]);
  await chain.admit(attributes({}));
  expect(seen).toEqual(["first false", "second false", "first true", "second true"]);
});

test("admissionChain: a plugin runs only for its operations", async () => {
  const seen: string[] = [];
  const listener = (name: string, operations: AdmissionPlugin["operations"]): AdmissionPlugin => ({
    name,
    operations,
    admit: ({ operation }) => void seen.push(`${name} admit ${operation}`),
    validate: ({ operation }) => void seen.push(`${name} validate ${operation}`),
  });
  const chain = admissionChain([listener("a", ["CREATE", "CONNECT"]), listener("b", ["DELETE"])]);
  for (const operation of ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const) {
    await chain.admit(attributes({ operation }));
    await chain.validate(attributes({ operation }) as never);
  }
  expect(seen).toEqual([
    "a admit CREATE",
    "a validate CREATE",
    "b admit DELETE",
    "b validate DELETE",
    "a admit CONNECT",
    "a validate CONNECT",
  ]);
});

test("admissionChain: a plugin runs only for the resources and subresources that it names", async () => {
  const seen: string[] = [];
  const listener = (name: string, resources?: readonly string[]): AdmissionPlugin => ({
    name,
    operations: ["CREATE", "UPDATE"],
    ...(resources && { resources }),
    admit: ({ address: { kind }, subresource }) =>
      void seen.push(`${name}: ${[kind.plural, subresource].join(" ")}`),
  });
  const chain = admissionChain([
    listener("all"),
    listener("pods", ["/pods"]),
    listener("sizes", ["/pods/resize"]),
    listener("claims", ["/persistentvolumeclaims", "resource.k8s.io/resourceclaims"]),
  ]);
  const calls = async (kind: string, subresource = "") => {
    seen.length = 0;
    await chain.admit(attributes({ kind, subresource, operation: "UPDATE" }));
    return [...seen];
  };
  // The plugins of a request are cached for the next one.
  for (let i = 0; i < 2; i++) {
    expect(await calls("Pod")).toEqual(["all: pods ", "pods: pods "]);
    expect(await calls("Pod", "resize")).toEqual(["all: pods resize", "sizes: pods resize"]);
    expect(await calls("Pod", "status")).toEqual(["all: pods status"]);
    expect(await calls("PersistentVolumeClaim")).toEqual([
      "all: persistentvolumeclaims ",
      "claims: persistentvolumeclaims ",
    ]);
    expect(await calls("ConfigMap")).toEqual(["all: configmaps "]);
  }
});
