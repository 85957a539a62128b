import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type CgroupFeatures, cgroupFeatures } from "./cgroup-features.ts";

each<[files: Record<string, string>, CgroupFeatures]>([
  [{ "memory/memory.memsw.limit_in_bytes": "" }, { swap: true, hugetlb: false }],
  [{ "hugetlb/tasks": "" }, { swap: false, hugetlb: true }],
  [
    { "cgroup.controllers": "cpu memory hugetlb\n", "a/b/memory.swap.max": "max" },
    { swap: true, hugetlb: true },
  ],
  [
    { "cgroup.controllers": "cpu memory\n", "memory.swap.max": "max" },
    { swap: false, hugetlb: false },
  ],
])("cgroupFeatures: with %j", (files, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-cgroups-"));
  try {
    for (const [path, text] of Object.entries({ ...files, self: "0::/a/b\n" })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    expect(cgroupFeatures(folder, join(folder, "self"))).toEqual(expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
