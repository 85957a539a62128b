import { cpus } from "node:os";
import { resourcesOf } from "../create/container-settings-of.ts";
import { type HostConfig, hostConfig } from "../create/host-config.ts";
import { resourcesProblem } from "../create/resources-problem.ts";
import { restartPolicyProblem } from "../create/validate-create.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import type { JsonObject } from "../http/json-value.ts";
import { emitContainer } from "./container-events.ts";

/** Changes limits and the restart policy of a container, at once if it runs. */
export async function updateContainer(
  context: DockerContext,
  id: string,
  body: JsonObject | undefined,
): Promise<{ readonly Warnings: readonly string[] }> {
  const { details, state } = context.registry.find(id);
  const given = hostConfig(body, "");
  const host = updatedHost(details.hostConfig, given);
  const problem =
    resourcesProblem(given, cpus().length, true) ??
    resourcesProblem(host, cpus().length, true) ??
    restartPolicyProblem(host.RestartPolicy) ??
    (host.AutoRemove && host.RestartPolicy.Name !== "no"
      ? "Restart policy cannot be updated because AutoRemove is enabled for the container"
      : undefined);
  if (problem !== undefined) throw badRequest(problem);
  if (state.phase === "running") await context.containers.update(id, resourcesOf(host));
  await context.registry.change(id, () => ({ hostConfig: host }));
  emitContainer(context.events, context.registry.find(id), "update");
  return { Warnings: [] };
}

/** A value of zero leaves what was there; a limit by processors replaces one by quota, and the reverse. */
function updatedHost(before: HostConfig, given: HostConfig): HostConfig {
  const pick = <K extends keyof HostConfig>(name: K): HostConfig[K] =>
    given[name] ? given[name] : before[name];
  const byNano = given.NanoCpus > 0;
  const byQuota = given.CpuQuota !== 0 || given.CpuPeriod !== 0;
  return {
    ...before,
    BlkioWeight: pick("BlkioWeight"),
    CpuShares: pick("CpuShares"),
    NanoCpus: byQuota ? 0 : pick("NanoCpus"),
    CpuPeriod: byNano ? 0 : pick("CpuPeriod"),
    CpuQuota: byNano ? 0 : pick("CpuQuota"),
    CpusetCpus: pick("CpusetCpus"),
    CpusetMems: pick("CpusetMems"),
    Memory: pick("Memory"),
    MemorySwap: pick("MemorySwap"),
    MemoryReservation: pick("MemoryReservation"),
    PidsLimit: given.PidsLimit ?? before.PidsLimit,
    RestartPolicy: given.RestartPolicy.Name === "" ? before.RestartPolicy : given.RestartPolicy,
  };
}
