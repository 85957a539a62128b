import type { ContainerStatus } from "../../../src/api/core/v1/container/container-status.ts";
import { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import { noLog } from "../../../src/base/log.ts";
import { createInformers } from "../../../src/client/informer/informers.ts";
import type { Connection } from "../../../src/kubeconfig/connect.ts";

/** What the API has shown of pods, and what contradicts what it has shown before. */
export class PodHistory {
  readonly problems: string[] = [];
  readonly #lives = new Map<string, PodLife>();
  readonly #informers;
  readonly #pods;

  constructor({ client, clock, random }: Connection) {
    this.#informers = createInformers({ client, clock, random, log: noLog });
    this.#pods = this.#informers.of(Pod, { namespace: "default" });
    const see = (pod: Pod): void => this.#see(pod);
    this.#pods.addHandler({ added: see, updated: see });
  }

  /** The latest state of a pod; undefined if there is none. */
  get(name: string): Pod | undefined {
    return this.#pods.get({ namespace: "default", name });
  }

  /** How often a container of a pod was restarted, as far as the API has shown. */
  restarts(uid: string, container: string): number {
    return this.#lives.get(uid)?.restarts.get(container) ?? 0;
  }

  close(): void {
    this.#informers.close();
  }

  #see(pod: Pod): void {
    const { uid = "", name } = pod.metadata;
    const life: PodLife = this.#lives.get(uid) ?? newLife();
    this.#lives.set(uid, life);
    const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const problem = (text: string): void => void this.problems.push(`${name}: ${text}`);
    if (life.phase !== undefined && life.phase !== phase) problem(`${life.phase}, then ${phase}`);
    if (phase === "Succeeded" || phase === "Failed") life.phase = phase;
    for (const status of [...containerStatuses, ...initContainerStatuses])
      seeContainer(status, life, problem);
  }
}

interface PodLife {
  /** The phase in which the pod has ended. */
  phase?: string;
  /** Restarts by container. */
  readonly restarts: Map<string, number>;
  /** The container of each name and number of restarts. */
  readonly ids: Map<string, string>;
  /** Exit codes by container ID. */
  readonly ends: Map<string, number>;
}

const newLife = (): PodLife => ({ restarts: new Map(), ids: new Map(), ends: new Map() });

function seeContainer(
  { name, restartCount, containerID, state, lastState }: ContainerStatus,
  { restarts, ids, ends }: PodLife,
  problem: (text: string) => void,
): void {
  const before = restarts.get(name) ?? 0;
  if (restartCount < before) problem(`${name} has ${restartCount} restarts, after ${before}`);
  restarts.set(name, restartCount);
  const key = `${name}/${restartCount}`;
  const known = ids.get(key);
  if (containerID && known !== undefined && known !== containerID)
    problem(`${name} with ${restartCount} restarts is ${containerID} after ${known}`);
  if (containerID) ids.set(key, containerID);
  for (const { containerID: id = "", exitCode } of [state.terminated, lastState.terminated].filter(
    (end) => end !== undefined,
  )) {
    const code = ends.get(id);
    if (id !== "" && code !== undefined && code !== exitCode)
      problem(`${name} ended with ${exitCode} after it had ended with ${code}`);
    ends.set(id, exitCode);
  }
}
