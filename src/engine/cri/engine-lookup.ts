import { findId } from "../../cri/find-id.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { ContainerConfig } from "../../cri/runtime-types.ts";
import type { Container } from "../containers/containers.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { criDetails } from "./container-details.ts";

/** Finds the sandboxes of an engine and the containers in them, by their IDs or the beginnings of those. */
export class EngineLookup {
  readonly #parts: Pick<EngineParts, "containers" | "sandboxes">;
  /** The names of containers that are being created. */
  readonly #reserved = new Set<string>();

  constructor(parts: Pick<EngineParts, "containers" | "sandboxes">) {
    this.#parts = parts;
  }

  /** All containers of pods. */
  containers(): readonly Container[] {
    return this.#parts.containers.list().filter((one) => criDetails(one) !== undefined);
  }

  containersIn(sandboxId: string): readonly Container[] {
    return this.containers().filter((one) => criDetails(one)?.sandboxId === sandboxId);
  }

  findContainer(given: string): Container | undefined {
    const whole = this.#parts.containers.get(given);
    if (whole && criDetails(whole)) return whole;
    const all = new Map(this.containers().map((one) => [one.id, one]));
    const id = findId(all, given);
    return id === undefined ? undefined : all.get(id);
  }

  container(given: string): Container {
    const found = this.findContainer(given);
    if (found) return found;
    throw new RuntimeError(
      "NotFound",
      `an error occurred when try to find container ${JSON.stringify(given)}: not found`,
    );
  }

  /** The ID of a container that runs. */
  running(given: string): string {
    const { id, state } = this.container(given);
    if (state.phase === "running") return id;
    throw new RuntimeError("Unknown", `container is in ${criState(state.phase)} state`);
  }

  findSandbox(given: string): Sandbox | undefined {
    const whole = this.#parts.sandboxes.get(given);
    if (whole) return whole;
    const all = new Map(this.#parts.sandboxes.list().map((one) => [one.id, one]));
    const id = findId(all, given);
    return id === undefined ? undefined : all.get(id);
  }

  sandbox(given: string): Sandbox {
    const found = this.findSandbox(given);
    if (found) return found;
    throw new RuntimeError(
      "NotFound",
      `an error occurred when try to find sandbox: ${JSON.stringify(given)}: not found`,
    );
  }

  /**
   * Creates a container under its name and attempt, which no other of the sandbox can have at the same time: a
   * kubelet that lost patience asks again while the first request is under way.
   */
  async reserving<T>(
    sandbox: Sandbox,
    { metadata: { name, attempt } }: ContainerConfig,
    create: () => Promise<T>,
  ): Promise<T> {
    const pod = sandbox.config.metadata;
    const full = [name, pod.name, pod.namespace, pod.uid, attempt].join("_");
    const holder = this.containersIn(sandbox.id).find((one) => {
      const { metadata } = criDetails(one)?.config ?? {};
      return metadata?.name === name && metadata.attempt === attempt;
    });
    const key = `${sandbox.id}_${full}`;
    if (holder || this.#reserved.has(key)) {
      const quoted = JSON.stringify(full);
      const by = JSON.stringify(holder?.id ?? "");
      throw new RuntimeError(
        "Unknown",
        `failed to reserve container name ${quoted}: name ${quoted} is reserved for ${by}`,
      );
    }
    this.#reserved.add(key);
    try {
      return await create();
    } finally {
      this.#reserved.delete(key);
    }
  }
}

/** The state of a container as CRI names it. */
export const criState = (phase: string): string =>
  `CONTAINER_${phase === "starting" ? "CREATED" : phase.toUpperCase()}`;
