import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import type { DockerRequest } from "../http/docker-route.ts";
import {
  booleanFilter,
  type Filters,
  parseFilters,
  passes,
  passesLabels,
} from "../http/filters.ts";
import { queryFlag, queryInteger } from "../http/query-values.ts";
import { listedPorts } from "./container-ports.ts";
import { statusText, statusWord } from "./docker-state.ts";
import { shownMount, shownNetworks, sizesOf } from "./inspect-container.ts";

const known = [
  "ancestor",
  "before",
  "exited",
  "expose",
  "health",
  "id",
  "is-task",
  "isolation",
  "label",
  "name",
  "network",
  "publish",
  "since",
  "status",
  "volume",
];

/** The containers that `docker ps` lists, the newest first. */
export async function listContainers(
  context: DockerContext,
  { query }: Pick<DockerRequest, "query">,
): Promise<readonly object[]> {
  const filters = parseFilters(query.get("filters"), known);
  checkFilters(filters);
  const limit = queryInteger(query, "limit") ?? 0;
  const all = queryFlag(query, "all") || limit > 0 || showsStopped(filters);
  const sorted = context.registry
    .list()
    .filter(({ id }) => !context.registry.isLeaving(id))
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  const bounds = boundsOf(context, filters);
  const found = sorted.filter((container) => {
    const word = statusWord(container);
    if (!all && !["running", "paused", "restarting"].includes(word)) return false;
    if (bounds.before !== undefined && container.createdAt >= bounds.before) return false;
    if (bounds.since !== undefined && container.createdAt <= bounds.since) return false;
    return isWanted(context, container, filters);
  });
  const shown = limit > 0 ? found.slice(0, limit) : found;
  const withSize = queryFlag(query, "size");
  return Promise.all(shown.map((container) => listed(context, container, withSize)));
}

/** A container as `docker ps` shows it. */
export async function listed(
  context: DockerContext,
  container: DockerContainer,
  withSize: boolean,
): Promise<object> {
  const { id, details, createdAt } = container;
  const { config } = details;
  const command = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])];
  return {
    Id: id,
    Names: [`/${details.name}`],
    Image:
      context.images.store.resolve(config.Image)?.id === details.imageId
        ? config.Image
        : details.imageId,
    ImageID: details.imageId,
    Command: command.map(quoted).join(" "),
    Created: Math.floor(createdAt / 1000),
    Ports: container.state.phase === "running" ? listedPorts(details) : [],
    ...(withSize && (await sizesOf(context, container))),
    Labels: config.Labels ?? {},
    State: statusWord(container),
    Status: statusText(container, context.clock.now(), context.health.health(id)),
    HostConfig: { NetworkMode: details.hostConfig.NetworkMode },
    NetworkSettings: { Networks: shownNetworks(context, details) },
    Mounts: details.mounts.map(shownMount),
  };
}

/** Words with spaces are shown in quotes, those of a shell command among them. */
const quoted = (word: string): string => (word.includes(" ") ? `'${word}'` : word);

const showsStopped = (filters: Filters): boolean => filters.has("status") || filters.has("exited");

function checkFilters(filters: Filters): void {
  const check = (name: string, pattern: RegExp): void => {
    const wrong = (filters.get(name) ?? []).find((value) => !pattern.test(value));
    if (wrong !== undefined) throw badRequest(`invalid filter '${name}=${wrong}'`);
  };
  check("exited", /^-?[0-9]+$/);
  check("status", /^(?:created|running|paused|restarting|removing|exited|dead)$/);
  check("health", /^(?:none|starting|healthy|unhealthy)$/);
}

function boundsOf(
  { registry }: DockerContext,
  filters: Filters,
): { readonly before?: number; readonly since?: number } {
  const [before] = filters.get("before") ?? [];
  const [since] = filters.get("since") ?? [];
  return {
    ...(before !== undefined && { before: registry.find(before).createdAt }),
    ...(since !== undefined && { since: registry.find(since).createdAt }),
  };
}

function isWanted(context: DockerContext, container: DockerContainer, filters: Filters): boolean {
  const { id, details, state } = container;
  const { config, mounts, endpoints, hostConfig } = details;
  const exitCode = state.phase === "exited" ? state.exitCode : undefined;
  const health = context.health.health(id)?.Status ?? "none";
  const ports = listedPorts(details);
  return (
    booleanFilter(filters, "is-task") !== true &&
    passes(filters, "id", (value) => id.startsWith(value)) &&
    passes(filters, "name", (value) => matchesName(details.name, value)) &&
    passes(filters, "status", (value) => statusWord(container) === value) &&
    passes(filters, "exited", (value) => exitCode === Number(value)) &&
    passes(filters, "health", (value) => health === value) &&
    passes(filters, "ancestor", (value) => isAncestor(context, details.imageId, value)) &&
    passes(filters, "volume", (value) =>
      mounts.some(({ name, destination, source }) => [name, destination, source].includes(value)),
    ) &&
    passes(
      filters,
      "network",
      (value) =>
        [hostConfig.NetworkMode, ...Object.keys(endpoints)].includes(value) ||
        Object.values(endpoints).some(({ networkId }) => networkId.startsWith(value)),
    ) &&
    passes(filters, "publish", (value) =>
      ports.some(({ PublicPort, Type }) => isPort(PublicPort, Type, value)),
    ) &&
    passes(filters, "expose", (value) =>
      ports.some(({ PrivatePort, Type }) => isPort(PrivatePort, Type, value)),
    ) &&
    passesLabels(filters, config.Labels ?? {})
  );
}

/** A name matches a regular expression with or without its slash. */
function matchesName(name: string, wanted: string): boolean {
  if (`/${name}`.includes(wanted)) return true;
  try {
    const pattern = new RegExp(wanted);
    return pattern.test(name) || pattern.test(`/${name}`);
  } catch {
    return false;
  }
}

/** Whether a container's image is another one, or has all of its layers at its bottom. */
function isAncestor({ images }: DockerContext, imageId: string, wanted: string): boolean {
  const ancestor = images.store.resolve(wanted);
  if (!ancestor) return false;
  if (ancestor.id === imageId) return true;
  const own = images.store.resolve(imageId)?.layers ?? [];
  return ancestor.layers.length > 0 && ancestor.layers.every((layer, at) => own[at] === layer);
}

function isPort(port: number | undefined, type: string, wanted: string): boolean {
  const [range = "", protocol = "tcp"] = wanted.split("/");
  const [first = 0, last = first] = range.split("-").map(Number);
  return port !== undefined && type === protocol && port >= first && port <= last;
}
