import type { DockerContext } from "../docker-context.ts";
import { map, struct, text } from "../http/decode-json.ts";
import { badRequest, conflict } from "../http/docker-error.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";
import {
  booleanFilter,
  type Filters,
  hasLabel,
  parseFilters,
  passes,
  passesLabels,
} from "../http/filters.ts";
import { queryFlag } from "../http/query-values.ts";
import type { DockerVolume, DockerVolumes } from "./docker-volumes.ts";

const newVolume = struct({ Name: text, Driver: text, DriverOpts: map(text), Labels: map(text) });

/** The routes of `docker volume`. */
export function volumeRoutes({ volumes, events }: DockerContext): readonly DockerRoute[] {
  return [
    route("GET /volumes", ({ query }) => {
      const filters = parseFilters(query.get("filters"), ["dangling", "driver", "label", "name"]);
      const found = volumes.list().filter((volume) => isWanted(volumes, volume, filters));
      return {
        status: 200,
        json: { Volumes: found.map((one) => shown(volumes, one)), Warnings: null },
      };
    }),
    route("POST /volumes/create", async ({ json }) => {
      const request = newVolume(await json(), "");
      const { volume } = await volumes.create({
        name: request.Name,
        driver: request.Driver,
        labels: request.Labels,
        options: request.DriverOpts,
      });
      return { status: 201, json: shown(volumes, volume) };
    }),
    route("POST /volumes/prune", async ({ query, apiMinor }) => {
      const filters = parseFilters(query.get("filters"), ["label", "label!", "all"]);
      const all = apiMinor < 42 || booleanFilter(filters, "all") === true;
      const deleted = await pruneVolumes(volumes, filters, all);
      events.emit({
        type: "volume",
        action: "prune",
        id: "",
        attributes: { reclaimed: String(deleted.SpaceReclaimed) },
      });
      return { status: 200, json: deleted };
    }),
    route("GET /volumes/{name}", ({ params }) => ({
      status: 200,
      json: shown(volumes, volumes.find(params.name ?? "")),
    })),
    route("DELETE /volumes/{name}", async ({ params, query }) => {
      const name = params.name ?? "";
      const isForced = queryFlag(query, "force");
      if (isForced && !volumes.list().some((volume) => volume.name === name))
        return { status: 204 };
      await volumes.remove(name);
      return { status: 204 };
    }),
    route("PUT /volumes/{name}", () => {
      throw badRequest("cluster volumes are not supported by this engine");
    }),
  ];
}

/** Removes the volumes that no container uses: by default only those without a name. */
async function pruneVolumes(
  volumes: DockerVolumes,
  filters: Filters,
  all: boolean,
): Promise<{ VolumesDeleted: string[]; SpaceReclaimed: number }> {
  const result = { VolumesDeleted: [] as string[], SpaceReclaimed: 0 };
  for (const volume of volumes.list()) {
    if (!all && !volume.isAnonymous) continue;
    if (volumes.users(volume.name).length > 0) continue;
    const labels = volume.labels ?? {};
    if (!passesLabels(filters, labels)) continue;
    if ((filters.get("label!") ?? []).some((label) => hasLabel(labels, label))) continue;
    const size = await volumes.size(volume.name);
    const isRemoved = await volumes.remove(volume.name).then(() => true, ignoreConflict);
    if (!isRemoved) continue;
    result.VolumesDeleted.push(volume.name);
    result.SpaceReclaimed += size;
  }
  return result;
}

/** A container may have begun to use it meanwhile. */
function ignoreConflict(error: unknown): false {
  if (error instanceof Error && "status" in error && error.status === conflict("").status)
    return false;
  throw error;
}

/** A volume as clients read it. */
export function shown(volumes: DockerVolumes, volume: DockerVolume): object {
  return {
    CreatedAt: `${new Date(volume.createdAt).toISOString().slice(0, 19)}Z`,
    Driver: "local",
    Labels: volume.labels,
    Mountpoint: volumes.path(volume.name),
    Name: volume.name,
    Options: volume.options,
    Scope: "local",
  };
}

function isWanted(volumes: DockerVolumes, volume: DockerVolume, filters: Filters): boolean {
  const dangling = booleanFilter(filters, "dangling");
  if (dangling !== undefined && dangling !== (volumes.users(volume.name).length === 0))
    return false;
  return (
    passes(filters, "name", (name) => volume.name.includes(name)) &&
    passes(filters, "driver", (driver) => driver === "local") &&
    passesLabels(filters, volume.labels ?? {})
  );
}
