import { sleep } from "../../../base/clock.ts";
import type { DockerContext } from "../docker-context.ts";
import { type DockerOutput, type DockerRoute, route } from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { readHostCounters, type StatsSample, shownStats } from "./container-stats.ts";

/** The route of `docker stats`: a sample each second, or one with the one before. */
export function statsRoute(context: DockerContext): DockerRoute {
  return route("GET /containers/{id}/stats", async ({ params, query }) => {
    const { id } = context.registry.find(params.id ?? "");
    const isStream = queryFlag(query, "stream", true);
    if (isStream)
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        stream: (output) => sendStats(context, id, output),
      };
    const isOneShot = queryFlag(query, "one-shot");
    const before = isOneShot ? undefined : await sample(context, id);
    if (before?.cgroup) await sleep(context.clock, intervalMs);
    return {
      status: 200,
      json: shownStats(context.registry.find(id), await sample(context, id), before),
    };
  });
}

const intervalMs = 1000;

async function sendStats(
  context: DockerContext,
  id: string,
  { write, signal }: DockerOutput,
): Promise<void> {
  let before: StatsSample | undefined;
  while (!signal.aborted) {
    const container = context.registry.get(id);
    if (!container) return;
    const now = await sample(context, id);
    await write(`${JSON.stringify(shownStats(container, now, before))}\n`);
    before = now;
    await sleep(context.clock, intervalMs, signal).catch(() => undefined);
  }
}

async function sample(context: DockerContext, id: string): Promise<StatsSample> {
  const { state, settings } = context.registry.find(id);
  const isRunning = state.phase === "running";
  const cgroup = isRunning ? await context.cgroups.stats(settings.cgroupsPath) : undefined;
  const counters = await readHostCounters(isRunning ? state.pid : 0);
  return { at: context.clock.now(), cgroup, ...counters };
}
