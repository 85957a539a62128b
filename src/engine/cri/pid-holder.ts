import type { Container, Containers } from "../containers/containers.ts";
import type { EngineParts } from "../engine-parts.ts";
import { findProgram } from "../programs.ts";
import { mappedUsers } from "../sandboxes/engine-sandboxes.ts";
import type { CriHolderDetails } from "./container-details.ts";

/**
 * Starts a process that holds the process namespace of a pod whose containers share one. It is the parent of
 * orphans there, and reaps them. Its ID is that of the sandbox.
 */
export async function startHolder(sandboxId: string, parts: EngineParts): Promise<void> {
  const { containers, sandboxes } = parts;
  const sandbox = sandboxes.get(sandboxId);
  const init = await findProgram("catatonit");
  const details: CriHolderDetails = { holderOf: sandboxId };
  const shared = (path: string | undefined) => (path === undefined ? "host" : { path });
  const { network, ipc, uts } = sandbox?.namespaces ?? {};
  const users = sandbox && mappedUsers(sandbox);
  await containers.create({
    ...{ id: sandboxId, owner: "cri", layers: [], stdin: false, stdinOnce: false, details },
    users,
    settings: {
      ...{ args: ["/init", "-P"], env: ["PATH=/"], cwd: "/", tty: false, readonlyRootfs: true },
      user: { uid: nobody, gid: nobody, additionalGids: [] },
      namespaces: {
        ...{ pid: "new", cgroup: "host", user: users },
        ...{ network: shared(network), ipc: shared(ipc), uts: shared(uts) },
      },
      mounts: [{ type: "bind", source: init, destination: "/init", options: ["bind", "ro"] }],
      privileged: false,
      capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
      ...{ noNewPrivileges: true, maskedPaths: [], readonlyPaths: [], devices: [], rlimits: [] },
      ...{ sysctls: {}, resources: {}, annotations: {} },
      cgroupsPath: `${sandbox?.config.cgroupParent || defaultCgroupParent}/${sandboxId}`,
    },
  });
  await containers.start(sandboxId);
}

/** The parent of the cgroups of containers without one. */
export const defaultCgroupParent = "/wherry";

const nobody = 65535;

/** The holder of a sandbox, if it has one. */
export function holderIn(sandboxId: string, containers: Containers): Container | undefined {
  const found = containers.get(sandboxId);
  return found && "holderOf" in found.details ? found : undefined;
}
