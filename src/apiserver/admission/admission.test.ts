import { expect, test } from "vitest";
import { type AdmissionPlugin, admissionChain } from "./admission.ts";
import { attributes } from "./attributes.test-support.ts";

test("admissionChain: plugins are asked one after the other, also those that take their time", async () => {
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

test("admissionChain: after a refusal nobody else is asked", async () => {
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

test("admissionChain: a plugin is told only of what it has a say in", async () => {
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

test("admissionChain: a plugin is told only of the resources, and parts of them, that it names", async () => {
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
  const told = async (kind: string, subresource = "") => {
    seen.length = 0;
    await chain.admit(attributes({ kind, subresource, operation: "UPDATE" }));
    return [...seen];
  };
  // What was found out once holds for the next.
  for (let i = 0; i < 2; i++) {
    expect(await told("Pod")).toEqual(["all: pods ", "pods: pods "]);
    expect(await told("Pod", "resize")).toEqual(["all: pods resize", "sizes: pods resize"]);
    expect(await told("Pod", "status")).toEqual(["all: pods status"]);
    expect(await told("PersistentVolumeClaim")).toEqual([
      "all: persistentvolumeclaims ",
      "claims: persistentvolumeclaims ",
    ]);
    expect(await told("ConfigMap")).toEqual(["all: configmaps "]);
  }
});
