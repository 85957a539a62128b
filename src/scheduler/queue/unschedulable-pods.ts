import type { QueuedPod } from "../framework/queued-pod.ts";

/** Pods that wait for an event, indexed by the plugins that rejected them. */
export class UnschedulablePods {
  readonly #byKey = new Map<string, QueuedPod>();
  /** By the plugins that had rejected a pod when it was added. */
  readonly #byPlugin = new Map<string, Set<QueuedPod>>();
  readonly #plugins = new Map<QueuedPod, readonly string[]>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): QueuedPod | undefined {
    return this.#byKey.get(key);
  }

  set(pod: QueuedPod): void {
    this.delete(pod.info.key);
    this.#byKey.set(pod.info.key, pod);
    const plugins = [...pod.unschedulablePlugins, ...pod.pendingPlugins];
    this.#plugins.set(pod, plugins);
    for (const plugin of plugins) {
      const pods = this.#byPlugin.get(plugin);
      if (pods) pods.add(pod);
      else this.#byPlugin.set(plugin, new Set([pod]));
    }
  }

  delete(key: string): QueuedPod | undefined {
    const pod = this.#byKey.get(key);
    if (!pod) return undefined;
    this.#byKey.delete(key);
    for (const plugin of this.#plugins.get(pod) ?? []) {
      const pods = this.#byPlugin.get(plugin);
      pods?.delete(pod);
      if (pods?.size === 0) this.#byPlugin.delete(plugin);
    }
    this.#plugins.delete(pod);
    return pod;
  }

  /** The pods that one of the plugins rejected; all pods if `plugins` is undefined. */
  rejectedBy(plugins: ReadonlySet<string> | undefined): readonly QueuedPod[] {
    if (!plugins) return [...this.#byKey.values()];
    const found = new Set<QueuedPod>();
    for (const plugin of plugins)
      for (const pod of this.#byPlugin.get(plugin) ?? []) found.add(pod);
    return [...found];
  }

  values(): Iterable<QueuedPod> {
    return this.#byKey.values();
  }
}
