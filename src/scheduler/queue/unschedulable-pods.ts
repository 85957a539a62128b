import type { QueuedPod } from "../framework/queued-pod.ts";

/** Pods that nobody tries before something happens, found by who turned them away. */
export class UnschedulablePods {
  readonly #byKey = new Map<string, QueuedPod>();
  /** By the plugins that turned a pod away when it was put here. */
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

  /** Those that one of the plugins turned away; all of them where none is named. */
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
