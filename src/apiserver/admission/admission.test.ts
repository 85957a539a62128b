import { expect, test } from "vitest";
import { type AdmissionPlugin, admissionChain } from "./admission.ts";
import { attributes } from "./attributes.test-support.ts";

test("admissionChain: plugins are asked one after the other, also those that take their time", async () => {
  const seen: string[] = [];
  const slow: AdmissionPlugin = {
    name: "slow",
    async admit({ object }) {
      await Promise.resolve();
      object.metadata.name = "changed";
      seen.push("slow admit");
    },
    validate: async () => void seen.push("slow validate"),
  };
  const quick: AdmissionPlugin = {
    name: "quick",
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
  const refuse = {
    name: "no",
    admit: () => {
      throw new Error("no");
    },
  };
  const later = { name: "later", admit: () => void seen.push("later") };
  await expect(admissionChain([refuse, later]).admit(attributes({}))).rejects.toThrow("no");
  expect(seen).toEqual([]);
});
