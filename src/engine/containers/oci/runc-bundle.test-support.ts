import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ContainerSettings } from "../container-settings.ts";
import { encodeOciConfig } from "./encode-oci-config.ts";
import { ociConfig } from "./oci-config.ts";

const run = promisify(execFile);

export interface RuncResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes a root file system with busybox under all of its names; the returned function removes it. */
export async function busyboxRoot(): Promise<{ root: string; remove: () => void }> {
  const root = mkdtempSync(join(tmpdir(), "wherry-root-"));
  chmodSync(root, 0o755);
  for (const folder of ["bin", "dev", "etc", "proc", "root", "sys", "tmp"]) {
    mkdirSync(join(root, folder));
  }
  const { stdout } = await run("which", ["busybox"]);
  copyFileSync(stdout.trim(), join(root, "bin/busybox"));
  await run("chroot", [root, "/bin/busybox", "--install", "-s", "/bin"]);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Runs a container to its end by runc alone, and removes it. */
export async function runByRunc(root: string, settings: ContainerSettings): Promise<RuncResult> {
  const bundle = mkdtempSync(join(tmpdir(), "wherry-bundle-"));
  const id = `wherry-test-${randomBytes(8).toString("hex")}`;
  const config = ociConfig(
    { ...settings, cgroupsPath: `/${id}` },
    { rootfs: root, lowestOomScoreAdj: 0 },
  );
  writeFileSync(join(bundle, "config.json"), encodeOciConfig(config));
  const runc = ["--root", join(bundle, "state")];
  try {
    const { stdout, stderr } = await run("runc", [...runc, "run", "--bundle", bundle, id]);
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== "number") throw error;
    return { exitCode: code, stdout, stderr };
  } finally {
    await run("runc", [...runc, "delete", "--force", id]);
    rmSync(bundle, { recursive: true, force: true });
  }
}
