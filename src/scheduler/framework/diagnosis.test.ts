import { expect, test } from "vitest";
import { FitError, newDiagnosis } from "./diagnosis.ts";
import { aPodInfo } from "./framework.test-support.ts";
import { status } from "./status.ts";

test("FitError: counts the nodes of each reason, with upstream's wording", () => {
  const diagnosis = newDiagnosis();
  for (const name of ["a", "b"])
    diagnosis.nodes.set(name, status("Unschedulable", "Insufficient cpu"));
  for (const name of ["c", "d", "e"])
    diagnosis.nodes.set(
      name,
      status("UnschedulableAndUnresolvable", "node(s) had untolerated taint(s)"),
    );
  const error = new FitError(aPodInfo("p"), 5, diagnosis);
  expect(error.message).toBe(
    "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s).",
  );
  diagnosis.postFilterMessage =
    "preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.";
  expect(error.message).toContain("taint(s). preemption: 0/5 nodes");
});

test("FitError: nodes without a status share a reason", () => {
  const diagnosis = newDiagnosis();
  diagnosis.nodes.set("a", status("Unschedulable", "Insufficient cpu", "Insufficient memory"));
  diagnosis.nodes.absent = status(
    "UnschedulableAndUnresolvable",
    "node(s) didn't satisfy plugin(s) [X]",
  );
  expect(new FitError(aPodInfo("p"), 12, diagnosis).message).toBe(
    "0/12 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 11 node(s) didn't satisfy plugin(s) [X].",
  );
});

test("FitError: a rejection by preFilter is reported once", () => {
  const diagnosis = newDiagnosis();
  diagnosis.preFilterMessage = 'persistentvolumeclaim "data" not found';
  expect(new FitError(aPodInfo("p"), 3, diagnosis).message).toBe(
    '0/3 nodes are available: persistentvolumeclaim "data" not found.',
  );
});
