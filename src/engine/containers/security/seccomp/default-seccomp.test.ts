import { release } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { describeWith, requires } from "../../../../../test/requires.ts";
import { plainSettings } from "../../oci/plain-settings.test-support.ts";
import { busyboxRoot, runByRunc } from "../../oci/runc-bundle.test-support.ts";
import { criCapabilities } from "../capabilities.ts";
import { grantableCapabilities } from "../capability-names.ts";
import { defaultSeccomp } from "./default-seccomp.ts";
import { isKernelAtLeast } from "./kernel-version.ts";
import type { SeccompContext, SeccompRule } from "./seccomp-types.ts";

const plain: SeccompContext = {
  capabilities: ["CAP_SYS_CHROOT"],
  architecture: "x64",
  kernelVersion: "6.1.0-13-amd64",
};

describe("defaultSeccomp", () => {
  each<[syscall: string, Partial<SeccompContext>, expected: "allowed" | "some" | "denied"]>([
    ["openat", {}, "allowed"],
    ["execve", {}, "allowed"],
    ["chroot", {}, "allowed"],
    ["chroot", { capabilities: [] }, "denied"],
    ["mount", {}, "denied"],
    ["mount", { capabilities: ["CAP_SYS_ADMIN"] }, "allowed"],
    ["umount2", {}, "denied"],
    ["unshare", {}, "denied"],
    ["setns", {}, "denied"],
    ["clone", {}, "some"],
    ["clone", { capabilities: ["CAP_SYS_ADMIN"] }, "allowed"],
    ["clone3", {}, "denied"],
    ["clone3", { capabilities: ["CAP_SYS_ADMIN"] }, "allowed"],
    ["socket", {}, "some"],
    ["personality", {}, "some"],
    ["keyctl", { capabilities: grantable() }, "denied"],
    ["add_key", {}, "denied"],
    ["userfaultfd", { capabilities: grantable() }, "denied"],
    ["io_uring_setup", { capabilities: grantable() }, "denied"],
    ["kexec_load", { capabilities: grantable() }, "denied"],
    ["swapon", { capabilities: grantable() }, "denied"],
    ["pivot_root", { capabilities: grantable() }, "denied"],
    ["bpf", {}, "denied"],
    ["bpf", { capabilities: ["CAP_BPF"] }, "allowed"],
    ["perf_event_open", {}, "denied"],
    ["init_module", {}, "denied"],
    ["reboot", {}, "denied"],
    ["settimeofday", {}, "denied"],
    ["open_by_handle_at", {}, "denied"],
    ["ptrace", {}, "allowed"],
    ["ptrace", { kernelVersion: "4.4.0" }, "denied"],
    ["ptrace", { kernelVersion: "4.4.0", capabilities: ["CAP_SYS_PTRACE"] }, "allowed"],
    ["arch_prctl", {}, "allowed"],
    ["arch_prctl", { architecture: "arm64" }, "denied"],
    ["set_tls", { architecture: "arm64" }, "allowed"],
  ])("%s with %j is %s", (name, changes, expected) => {
    expect(verdict(defaultSeccomp({ ...plain, ...changes }).syscalls, name)).toBe(expected);
  });

  test("clone3 does not exist, so that libraries use clone", () => {
    const rule = defaultSeccomp(plain).syscalls.find(({ names }) => names.includes("clone3"));
    expect(rule).toEqual({ names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: 38 });
  });

  each<[string, readonly string[] | undefined]>([
    ["x64", ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]],
    ["arm64", ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"]],
    ["riscv64", undefined],
  ])("the architectures of %s", (architecture, expected) => {
    expect(defaultSeccomp({ ...plain, architecture }).architectures).toEqual(expected);
  });
});

each<[string, string, boolean]>([
  ["6.1.0-13-amd64", "4.8", true],
  ["4.8.0", "4.8", true],
  ["4.7.10", "4.8", false],
  ["4.10", "4.8", true],
  ["3.19.1", "4.8", false],
  ["odd", "4.8", false],
])("isKernelAtLeast: %s, %s", (version, wanted, expected) => {
  expect(isKernelAtLeast(version, wanted)).toBe(expected);
});

describeWith(requires("containers"))("defaultSeccomp with runc", () => {
  let busybox: Awaited<ReturnType<typeof busyboxRoot>>;
  beforeAll(async () => {
    busybox = await busyboxRoot();
  });
  afterAll(() => busybox.remove());

  each<[name: string, add: readonly string[], script: string, exitCode: number, output: string]>([
    ["a container is filtered", [], "grep ^Seccomp: /proc/self/status", 0, "Seccomp:\t2\n"],
    [
      "no namespaces are made, although making a user namespace needs no right",
      [],
      "unshare -U true 2>&1",
      1,
      "unshare: unshare(0x10000000): Operation not permitted\n",
    ],
    ["an administrator makes namespaces", ["SYS_ADMIN"], "unshare -m echo made", 0, "made\n"],
  ])("%s", async (_name, add, script, exitCode, stdout) => {
    const capabilities = criCapabilities({ privileged: false, add, drop: [] }, grantable());
    const seccomp = defaultSeccomp({
      capabilities: capabilities.bounding,
      architecture: process.arch,
      kernelVersion: release(),
    });
    const args = ["/bin/sh", "-c", script];
    const settings = { ...plainSettings, args, capabilities, seccomp };
    expect(await runByRunc(busybox.root, settings)).toEqual({ exitCode, stdout, stderr: "" });
  });
});

function verdict(rules: readonly SeccompRule[], name: string): "allowed" | "some" | "denied" {
  const matching = rules.filter(
    ({ names, action }) => names.includes(name) && action === "SCMP_ACT_ALLOW",
  );
  if (matching.length === 0) return "denied";
  return matching.some(({ args }) => args === undefined) ? "allowed" : "some";
}

function grantable(): readonly string[] {
  return process.platform === "linux" ? grantableCapabilities() : [];
}
