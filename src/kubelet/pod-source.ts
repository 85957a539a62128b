import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { Informer } from "../client/informer/informer-options.ts";

/** The source of a kubelet's pods. */
export interface PodSource {
  /** Notifies of all existing pods and of later changes, until the returned function is called. */
  subscribe(listener: PodListener): () => void;
}

export interface PodListener {
  /** A pod was added or changed. */
  set(pod: Pod): void;
  /** A pod was deleted. */
  removed(pod: Pod): void;
  /** The listener knows all pods that the source has. */
  ready(): void;
}

/** The pods of all nodes, which the kubelets of one process share. */
export interface SharedPods {
  of(nodeName: string): PodSource;
  close(): void;
}

/** Shares an informer of all pods. A change is dispatched to its node with one lookup. */
export function sharePods(informer: Informer<Pod>): SharedPods {
  const listeners = new Map<string, PodListener>();
  const waiting = new Map<string, Pod[]>();
  const notify = (pod: Pod, what: "set" | "removed"): void => {
    const { nodeName = "" } = pod.spec;
    if (nodeName === "") return;
    const listener = listeners.get(nodeName);
    if (listener) listener[what](pod);
    else if (what === "set") keep(waiting, nodeName, pod);
    else drop(waiting, nodeName, pod);
  };
  const registration = informer.addHandler({
    added: (pod) => notify(pod, "set"),
    updated(pod, old) {
      if (pod !== old) notify(pod, "set");
    },
    deleted: (pod) => notify(pod, "removed"),
  });
  return {
    of: (nodeName) => ({
      subscribe(listener) {
        listeners.set(nodeName, listener);
        const pods = waiting.get(nodeName) ?? [];
        waiting.delete(nodeName);
        for (const pod of pods) listener.set(pod);
        registration.synced().then(
          () => listeners.get(nodeName) === listener && listener.ready(),
          // The informer was closed.
          () => {},
        );
        return () => listeners.delete(nodeName);
      },
    }),
    close: () => registration.remove(),
  };
}

/** Keeps the latest state of each pod for later listeners. */
function keep(waiting: Map<string, Pod[]>, nodeName: string, pod: Pod): void {
  const others = (waiting.get(nodeName) ?? []).filter(
    ({ metadata }) => metadata.uid !== pod.metadata.uid,
  );
  waiting.set(nodeName, [...others, pod]);
}

function drop(waiting: Map<string, Pod[]>, nodeName: string, pod: Pod): void {
  const left = (waiting.get(nodeName) ?? []).filter(
    ({ metadata }) => metadata.uid !== pod.metadata.uid,
  );
  waiting.set(nodeName, left);
}
