import { expect } from "vitest";
import { each } from "../../test/each.ts";
import { ociRuntimeProblem } from "./user-namespace-support.ts";

const features = (linux: object): string => JSON.stringify({ ociVersionMin: "1.0.0", linux });
const idmap = { mountExtensions: { idmap: { enabled: true } } };
const unmapped = "/bin/runc cannot map IDs of mounts: install runc 1.2 or later";

each<[output: string, problem: string | undefined]>([
  [features({ namespaces: ["user", "mount"], ...idmap }), undefined],
  [features({ namespaces: ["user"], mountExtensions: { idmap: { enabled: false } } }), unmapped],
  [features({ namespaces: ["user"], mountExtensions: {} }), unmapped],
  [features({ namespaces: ["user"] }), unmapped],
  [
    features({ namespaces: ["mount"], ...idmap }),
    "/bin/runc has no user namespaces: install runc 1.2 or later",
  ],
  // Runtimes without the command.
  ["", "/bin/runc has no user namespaces: install runc 1.2 or later"],
  ["null", "/bin/runc has no user namespaces: install runc 1.2 or later"],
  ["unknown command", "/bin/runc has no user namespaces: install runc 1.2 or later"],
])("ociRuntimeProblem: %s", (output, problem) => {
  expect(ociRuntimeProblem("/bin/runc", output)).toBe(problem);
});
