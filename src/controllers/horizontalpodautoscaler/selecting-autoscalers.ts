import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import type { Selector } from "../../schema/selectors/label-selector.ts";

/** Which pods autoscalers scale: no pod should belong to two. */
export class SelectingAutoscalers {
  readonly #byNamespace = new Map<string, Map<string, Selector>>();

  set({ namespace = "", name }: ObjectKey, selector: Selector): void {
    const others = this.#byNamespace.get(namespace) ?? new Map<string, Selector>();
    this.#byNamespace.set(namespace, others.set(name, selector));
  }

  delete({ namespace = "", name }: ObjectKey): void {
    const others = this.#byNamespace.get(namespace);
    others?.delete(name);
    if (others?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** The autoscalers that select one of these pods, sorted by key. */
  of(namespace: string, pods: readonly Pod[]): readonly ObjectKey[] {
    const selectors = this.#byNamespace.get(namespace) ?? new Map<string, Selector>();
    return [...selectors]
      .filter(([, selector]) =>
        pods.some(({ metadata }) => selector.matches(metadata.labels ?? {})),
      )
      .map(([name]) => ({ namespace, name }))
      .sort((a, b) => (formatKey(a) < formatKey(b) ? -1 : 1));
  }
}
