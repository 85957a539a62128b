import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { defaultSeccomp } from "./default-seccomp.ts";
import { parseSeccomp, seccompProfile } from "./seccomp-profile.ts";
import type { SeccompContext } from "./seccomp-types.ts";

const context: SeccompContext = {
  capabilities: ["CAP_CHOWN"],
  architecture: "x64",
  kernelVersion: "5.10.0",
};
const rule = (name: string, more: object = {}): object => ({
  names: [name],
  action: "SCMP_ACT_ALLOW",
  ...more,
});

describe("seccompProfile", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wherry-seccomp-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("unconfined is no profile", async () => {
    expect(await seccompProfile({ type: "unconfined" }, context)).toBeUndefined();
  });

  test("the default of the runtime", async () => {
    expect(await seccompProfile({ type: "runtimeDefault" }, context)).toEqual(
      defaultSeccomp(context),
    );
  });

  test("a file of the node is used as it is", async () => {
    const profile = {
      defaultAction: "SCMP_ACT_ERRNO",
      architectures: ["SCMP_ARCH_X86_64"],
      flags: ["SECCOMP_FILTER_FLAG_LOG"],
      syscalls: [rule("read", { args: [{ index: 0, value: 1, op: "SCMP_CMP_EQ" }] })],
    };
    const ref = join(folder, "profile.json");
    writeFileSync(ref, JSON.stringify(profile));
    expect(await seccompProfile({ type: "localhost", ref }, context)).toEqual(profile);
    expect(await seccompProfile({ type: "localhost", ref: `localhost/${ref}` }, context)).toEqual(
      profile,
    );
  });

  test("a file that is missing or broken is named", async () => {
    const missing = join(folder, "missing.json");
    await expect(seccompProfile({ type: "localhost", ref: missing }, context)).rejects.toThrow(
      `cannot load seccomp profile "${missing}": open ${missing}: no such file or directory`,
    );
    const broken = join(folder, "broken.json");
    writeFileSync(broken, "{");
    await expect(seccompProfile({ type: "localhost", ref: broken }, context)).rejects.toThrow(
      `decoding seccomp profile failed "${broken}": `,
    );
  });
});

describe("parseSeccomp", () => {
  test("rules whose conditions do not hold are left out", () => {
    const profile = {
      defaultAction: "SCMP_ACT_ERRNO",
      defaultErrnoRet: 1,
      archMap: [
        { architecture: "SCMP_ARCH_AARCH64", subArchitectures: ["SCMP_ARCH_ARM"] },
        { architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] },
      ],
      syscalls: [
        rule("always", { comment: "a note", includes: {}, excludes: {} }),
        { name: "old", action: "SCMP_ACT_ALLOW" },
        rule("has", { includes: { caps: ["CAP_CHOWN"] } }),
        rule("has-both", { includes: { caps: ["CAP_CHOWN", "CAP_KILL"] } }),
        rule("arch", { includes: { arches: ["amd64", "x32"] } }),
        rule("other-arch", { includes: { arches: ["arm64"] } }),
        rule("not-arch", { excludes: { arches: ["s390x"] } }),
        rule("kernel", { includes: { minKernel: "4.8" } }),
        rule("newer-kernel", { includes: { minKernel: "6.0" } }),
        rule("not-cap", { excludes: { caps: ["CAP_SYS_ADMIN", "CAP_CHOWN"] } }),
      ],
    };
    expect(parseSeccomp(JSON.stringify(profile), context)).toEqual({
      defaultAction: "SCMP_ACT_ERRNO",
      defaultErrnoRet: 1,
      architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
      syscalls: ["always", "old", "has", "arch", "not-arch", "kernel"].map((name) => rule(name)),
    });
  });

  each<[string, string]>([
    ["[]", "decoding seccomp profile failed: not a profile"],
    ['{"syscalls": [1]}', "decoding seccomp profile failed: not a profile"],
    [
      '{"defaultAction": "a", "architectures": ["b"], "archMap": [{"architecture": "c"}]}',
      "both 'architectures' and 'archMap' are specified in the seccomp profile, use either 'architectures' or 'archMap'",
    ],
    [
      '{"syscalls": [{"name": "a", "names": ["b"], "action": "c"}]}',
      "both 'name' and 'names' are specified in the seccomp profile, use either 'name' or 'names'",
    ],
  ])("%s is rejected", (text, message) => {
    expect(() => parseSeccomp(text, context)).toThrow(message);
  });

  test("a profile without rules is none", () => {
    expect(parseSeccomp("{}", context)).toBeUndefined();
  });
});
