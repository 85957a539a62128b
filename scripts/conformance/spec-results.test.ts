import { expect, test } from "vitest";
import { readSpecResults, summaryOf } from "./spec-results.ts";

const spec = (leaf: string, state: string, message?: string) => ({
  LeafNodeType: "It",
  LeafNodeText: leaf,
  ContainerHierarchyTexts: ["[sig-node] Pods"],
  State: state,
  ...(message !== undefined && { Failure: { Message: message } }),
});

const report = JSON.stringify([
  {
    SpecReports: [
      { ...spec("", "passed"), LeafNodeType: "BeforeSuite", ContainerHierarchyTexts: null },
      spec("should start [Conformance]", "passed"),
      spec("should stop [Conformance]", "failed", "timed out\nafter 5 minutes"),
      spec("should wait [Conformance]", "interrupted", "interrupted by the user"),
      spec("should not be chosen", "skipped"),
      { ...spec("resolves names", "passed"), ContainerHierarchyTexts: ["[sig-network] DNS"] },
    ],
  },
]);

test("readSpecResults: the specs that ran, with why they did not pass", () => {
  expect(readSpecResults(report)).toEqual([
    { name: "[sig-node] Pods should start [Conformance]", outcome: "passed" },
    { name: "[sig-node] Pods should stop [Conformance]", outcome: "failed", why: "timed out" },
    {
      name: "[sig-node] Pods should wait [Conformance]",
      outcome: "unfinished",
      why: "interrupted by the user",
    },
    { name: "[sig-network] DNS resolves names", outcome: "passed" },
  ]);
});

test("summaryOf: what did not pass, then counts", () => {
  expect(summaryOf(readSpecResults(report)).split("\n")).toEqual([
    "failed: [sig-node] Pods should stop [Conformance]",
    "    timed out",
    "unfinished: [sig-node] Pods should wait [Conformance]",
    "    interrupted by the user",
    "sig-network: 1 of 1",
    "sig-node: 1 of 3",
    "2 of 4 passed",
  ]);
});
