import type { Containers } from "../../containers/containers.ts";
import {
  asDockerContainer,
  type DockerContainer,
  type DockerDetails,
} from "../create/docker-details.ts";
import { badRequest, conflict, notFound } from "../http/docker-error.ts";

/** The containers that were made through docker's API, by ID and by name. */
export class DockerRegistry {
  readonly #containers: Containers;
  /** Names that are taken, also by containers that are about to exist, and the IDs of those. */
  readonly #ids = new Map<string, string>();
  /** The latest work on each container: one at a time. */
  readonly #work = new Map<string, Promise<unknown>>();
  readonly #changes = new Map<string, Promise<unknown>>();
  /** The containers that are being removed. */
  readonly #leaving = new Set<string>();

  constructor(containers: Containers) {
    this.#containers = containers;
    for (const { id, details } of this.list()) this.#ids.set(details.name, id);
  }

  list(): readonly DockerContainer[] {
    return this.#containers.list().flatMap((container) => asDockerContainer(container) ?? []);
  }

  get(id: string): DockerContainer | undefined {
    const container = this.#containers.get(id);
    return container && asDockerContainer(container);
  }

  /** Finds a container by its name, its ID, or the beginning of its ID. */
  find(nameOrId: string): DockerContainer {
    const exact = this.get(nameOrId);
    if (exact) return exact;
    const named = this.get(this.#ids.get(nameOrId.replace(/^\//, "")) ?? "");
    if (named) return named;
    const matches = /^[0-9a-f]+$/.test(nameOrId)
      ? this.list().filter(({ id }) => id.startsWith(nameOrId))
      : [];
    const [match] = matches;
    if (match === undefined) throw notFound(`No such container: ${nameOrId}`);
    if (matches.length > 1)
      throw badRequest(`multiple IDs found with provided prefix: ${nameOrId}`);
    return match;
  }

  isTaken(name: string): boolean {
    return this.#ids.has(name);
  }

  /** Reserves a name for a container. */
  reserve(name: string, id: string): void {
    const owner = this.#ids.get(name);
    if (owner !== undefined)
      throw conflict(
        `Conflict. The container name "/${name}" is already in use by container "${owner}". You have to remove (or rename) that container to be able to reuse that name.`,
      );
    this.#ids.set(name, id);
  }

  release(name: string): void {
    this.#ids.delete(name);
  }

  /** Replaces parts of what is recorded about a container; one change at a time. */
  change(
    id: string,
    change: (details: DockerDetails) => Partial<DockerDetails>,
  ): Promise<DockerDetails | undefined> {
    return queued(this.#changes, id, async () => {
      const before = this.get(id)?.details;
      if (!before) return undefined;
      const after = { ...before, ...change(before) };
      await this.#containers.setDetails(id, after);
      return after;
    });
  }

  /** Does work on a container after all work on it that was asked for earlier. */
  alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    return queued(this.#work, id, work);
  }

  isLeaving(id: string): boolean {
    return this.#leaving.has(id);
  }

  /** Marks a container as being removed, unless it is already. */
  async leaving<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#leaving.has(id)) throw conflict(`removal of container ${id} is already in progress`);
    this.#leaving.add(id);
    try {
      return await work();
    } finally {
      this.#leaving.delete(id);
    }
  }
}

async function queued<T>(
  queues: Map<string, Promise<unknown>>,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const result = (queues.get(id) ?? Promise.resolve()).then(work, work);
  queues.set(id, result);
  try {
    return await result;
  } finally {
    if (queues.get(id) === result) queues.delete(id);
  }
}
