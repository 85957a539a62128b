import type { Cgroups } from "../../platform/cgroups/cgroups.ts";
import { killProcesses, processesWith } from "../kill-processes.ts";
import type { OciRuntime } from "./oci-runtime.ts";

export interface LeftoversOptions {
  readonly runtime: OciRuntime;
  readonly cgroups: Cgroups;
}

export interface EndedContainer {
  readonly id: string;
  readonly bundle: string;
  readonly cgroupsPath: string;
  /** Whether its end was recorded. If not, conmon and the OCI runtime may still be at work on it. */
  readonly isRecorded: boolean;
}

/** Ends all that may be left of a container: every process in its cgroup, and the cgroup itself. */
export async function removeLeftovers(
  { id, bundle, cgroupsPath, isRecorded }: EndedContainer,
  { runtime, cgroups }: LeftoversOptions,
): Promise<void> {
  if (!isRecorded) await killProcesses(() => processesWith("cmdline", bundle));
  await runtime.delete(id);
  await killProcesses(() => cgroups.pids(cgroupsPath));
  await cgroups.remove(cgroupsPath);
}
