import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { Informer } from "../client/informer/informer-options.ts";

/** Where a kubelet has the pods of its node from. */
export interface PodSource {
  /** Notifies of all existing pods, and of every change from then on, until the returned function is called. */
  subscribe(listener: PodListener): () => void;
}

export interface PodListener {
  /** There is a pod, or it has changed. */
  set(pod: Pod): void;
  /** It is gone. */
  removed(pod: Pod): void;
}

/** The pods of all nodes, handed to each node's kubelet: what the kubelets of one process share. */
export interface SharedPods {
  of(nodeName: string): PodSource;
  close(): void;
}

/** Shares an informer of all pods. Each change costs one look at who it is for. */
export function sharePods(informer: Informer<Pod>): SharedPods {
  const listeners = new Map<string, PodListener>();
  const waiting = new Map<string, Pod[]>();
  const notify = (pod: Pod, what: keyof PodListener): void => {
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
        return () => listeners.delete(nodeName);
      },
    }),
    close: () => registration.remove(),
  };
}

/** Keeps the newest state of each pod for listeners that come later. */
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
