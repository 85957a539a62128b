import type { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import type { ApiClient, ApiObject, WatchType } from "../api-client.ts";
import { mapStrings, meets, pick, stable } from "../values.ts";
import type { KubeletWait, ShownEvent, ShownPod, ShownStatus } from "./kubelet-scenario.ts";
import { distinctStatuses, shownStatus } from "./outcome.ts";

interface WatchedPod {
  object: Pod;
  readonly statuses: ShownStatus[];
  gone: boolean;
}
interface EventObject extends ApiObject {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
  readonly involvedObject: {
    readonly kind: string;
    readonly name: string;
    readonly fieldPath?: string;
  };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** What the watches deliver of one scenario's namespace, until it is frozen. */
export class WatchedPods {
  readonly #mask: (text: string) => string;
  readonly #pods = new Map<string, WatchedPod>();
  readonly #events = new Map<string, ShownEvent>();
  readonly #waiting = new Set<() => void>();
  #frozen = false;

  constructor(mask: (text: string) => string) {
    this.#mask = mask;
  }

  freeze(): void {
    this.#frozen = true;
  }

  get events(): readonly ShownEvent[] {
    return [...this.#events.values()];
  }

  get pods(): Readonly<Record<string, ShownPod>> {
    const pods = [...this.#pods].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      pods.map(([name, { statuses, gone }]) => [
        name,
        { statuses: distinctStatuses(statuses), ...(gone && { gone }) },
      ]),
    );
  }

  /** The names of the pods that were not deleted. */
  get remaining(): readonly string[] {
    return [...this.#pods].flatMap(([name, { gone }]) => (gone ? [] : [name]));
  }

  seePod(type: WatchType, pod: Pod): void {
    if (this.#frozen) return;
    const name = pod.metadata?.name ?? "";
    const known = this.#pods.get(name) ?? { object: pod, statuses: [], gone: false };
    this.#pods.set(name, known);
    known.object = pod;
    known.gone = type === "DELETED";
    const { startTime, phase = "Pending" } = pod.status ?? {};
    if (startTime !== undefined || phase !== "Pending") known.statuses.push(shownStatus(pod));
    for (const check of [...this.#waiting]) check();
  }

  seeEvent(event: EventObject): void {
    const { involvedObject, source, reportingComponent, type, reason, message = "" } = event;
    if (this.#frozen || involvedObject.kind !== "Pod") return;
    if ((source?.component || reportingComponent) !== "kubelet") return;
    const { name, fieldPath } = involvedObject;
    const shown = {
      type,
      reason,
      object: fieldPath ? `${name} ${fieldPath}` : name,
      message: message.replace(/^\(combined from similar events\): /, ""),
    };
    const key = stable(mapStrings(shown, this.#mask));
    if (!this.#events.has(key)) this.#events.set(key, shown);
    for (const check of [...this.#waiting]) check();
  }

  /** Waits until a pod or the events are as wanted. */
  waitFor(wait: KubeletWait): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const check = () => {
        if (!this.#meets(wait)) return;
        if (wait.freeze) this.freeze();
        end();
        resolve();
      };
      const timer = setTimeout(
        () => {
          end();
          reject(new Error(`waited for ${JSON.stringify(wait)}; ${this.#shown(wait)}`));
        },
        (wait.timeout ?? 30) * 1000,
      );
      this.#waiting.add(check);
      check();
    });
  }

  #meets(wait: KubeletWait): boolean {
    if (wait.event !== undefined) {
      const pattern = new RegExp(wait.matches ?? "");
      return this.events.some(
        ({ reason, message }) => reason === wait.event && pattern.test(message),
      );
    }
    const pod = this.#pods.get(wait.pod ?? "");
    if (wait.gone) return pod?.gone === true;
    if (!pod || pod.gone) return false;
    return meets(pick(pod.object, wait.where ?? ""), wait);
  }

  #shown({ pod = "" }: KubeletWait): string {
    const last = JSON.stringify(this.#pods.get(pod)?.statuses.at(-1) ?? null);
    const events = JSON.stringify(this.events.slice(-2));
    return `last: ${last.slice(0, 600)}; events: ${events.slice(0, 500)}`;
  }
}

/** Watches all pods and events, and gives them to the scenarios by namespace. */
export async function watchPods(
  api: ApiClient,
  scenarios: ReadonlyMap<string, WatchedPods>,
): Promise<void> {
  const of = (object: ApiObject) => scenarios.get(object.metadata.namespace ?? "");
  await Promise.all([
    api.follow("/api/v1/pods", (type, pod) => of(pod)?.seePod(type, pod as Pod)),
    api.follow("/api/v1/events", (_, event) => of(event)?.seeEvent(event as EventObject)),
  ]);
}
