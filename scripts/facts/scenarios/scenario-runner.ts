import type { Node } from "../../../src/api/core/v1/node/node.ts";
import {
  type ApiClient,
  createNamespace,
  mergePatch,
  namespaceGone,
  namespaceOf,
  timeText,
} from "../api-client.ts";
import { isMembers, type Members, mapStrings, meets, pick, sleep } from "../values.ts";
import { cleanObject } from "./clean-object.ts";
import { masksOf } from "./masks.ts";
import { observeEvents, observeObjects } from "./observe.ts";
import type { Outcome, RecordedStep, Scenario, ScenarioStep, Wait } from "./scenario.ts";
import type { ScenarioRun } from "./scenario-run.ts";
import { SimulatedKubelets } from "./simulated-kubelets.ts";
import { WatchedCluster } from "./watched-cluster.ts";
import { isClusterWide, listPath } from "./watched-resources.ts";

/** What the steps of a scenario have gathered so far. */
interface Progress {
  readonly scenario: Scenario;
  readonly run: ScenarioRun;
  /** One for each step, because later steps name them by number. */
  readonly answers: unknown[];
  readonly recorded: RecordedStep[];
  readonly snapshots: Record<string, unknown>;
  /** The paths of cluster-wide objects that must be deleted at the end. */
  readonly created: string[];
}

/** Plays scenarios on a cluster with its controllers and scheduler, and simulates the nodes. */
export class ScenarioRunner {
  readonly #api: ApiClient;
  readonly #kubelets: SimulatedKubelets;
  readonly #cluster: WatchedCluster;
  readonly #log: (message: string) => void;
  readonly #deletions: Promise<void>[] = [];

  constructor(api: ApiClient, log: (message: string) => void) {
    this.#api = api;
    this.#log = log;
    this.#kubelets = new SimulatedKubelets(api);
    this.#cluster = new WatchedCluster((pod) => {
      this.#kubelets.see(pod).catch((error: Error) => log(`kubelet: ${error.message}`));
    });
  }

  /** Starts for scenarios of these names. */
  async start(names: readonly string[]): Promise<void> {
    await this.#cluster.start(this.#api, names.map(namespaceOf));
    this.#kubelets.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.#deletions);
    this.#kubelets.close();
    this.#api.close();
  }

  async run(scenario: Scenario): Promise<Outcome> {
    const namespace = namespaceOf(scenario.name);
    await namespaceGone(this.#api, namespace);
    const run = this.#cluster.begin(namespace, scenario.serial ?? false);
    const progress: Progress = {
      scenario,
      run,
      answers: [],
      recorded: [],
      snapshots: {},
      created: [],
    };
    try {
      await createNamespace(this.#api, namespace, scenario.namespaceLabels);
      await this.#prepare(scenario, namespace);
      for (const [i, step] of scenario.steps.entries()) {
        try {
          progress.answers.push((await this.#step(progress, step, i)) ?? null);
        } catch (error) {
          throw new Error(`step ${i}: ${(error as Error).message}`, { cause: error });
        }
      }
      await quiet(run, 40);
      return await this.#observe(progress);
    } finally {
      await this.#cleanUp(progress).catch((error: Error) =>
        this.#log(`cleaning up ${namespace}: ${error.message}`),
      );
    }
  }

  async #prepare({ nodes = [] }: Scenario, namespace: string): Promise<void> {
    const isReady = () =>
      this.#cluster.get("serviceaccounts", namespace, "default") !== undefined &&
      this.#cluster.get("configmaps", namespace, "kube-root-ca.crt") !== undefined;
    for (let i = 0; i < 100 && !isReady(); i++) await sleep(50);
    const named =
      typeof nodes === "number"
        ? Array.from({ length: nodes }, (_, i) => ({ name: `n${i + 1}` }))
        : nodes;
    const seen = (name: string) => this.#cluster.get("nodes", "", name) as Node | undefined;
    await Promise.all(named.map((node) => this.#kubelets.add(namespace, node, seen)));
    await sleep(300);
  }

  /** Carries out one step, and gives its answer where it is a request. */
  async #step(progress: Progress, step: ScenarioStep, i: number): Promise<unknown> {
    const { run, scenario } = progress;
    if (step.sleep !== undefined) return sleep(step.sleep * 1000);
    if (step.wait === "quiet") return quiet(run, step.timeout ?? 40);
    if (step.wait !== undefined)
      return this.#waitFor(substitute(step.wait, run.namespace, progress.answers) as Wait);
    if (step.node !== undefined) return this.#changeNode(run, step.node, step);
    if (step.snapshot !== undefined) {
      const resources = step.of ?? scenario.observe ?? [];
      progress.snapshots[step.snapshot] = await this.#objects(progress, resources);
      return undefined;
    }
    return this.#request(progress, step, i);
  }

  async #waitFor(wait: Wait): Promise<unknown> {
    const end = Date.now() + (wait.timeout ?? 30) * 1000;
    for (;;) {
      const { status, body } = await this.#api.get(wait.path);
      if (answers(wait, status, body)) return body;
      if (Date.now() > end) {
        const last = pick(body, wait.where ?? "metadata.name");
        throw new Error(
          `waited for ${JSON.stringify(wait)}, last: ${status} ${JSON.stringify(last)}`,
        );
      }
      await sleep(100);
    }
  }

  async #changeNode(run: ScenarioRun, node: string, step: ScenarioStep): Promise<void> {
    const { namespace } = run;
    const name = `${namespace}-${node}`;
    if (step.heartbeat !== undefined)
      await this.#kubelets.setHeartbeat(namespace, name, step.heartbeat);
    if (step.add) {
      const seen = (found: string) => this.#cluster.get("nodes", "", found) as Node | undefined;
      await this.#kubelets.add(namespace, { name: node, ...step.add }, seen);
    }
    if (step.ready !== undefined || step.conditions)
      await this.#kubelets.setConditions(name, step.ready ?? true, step.conditions);
    run.lastChange = Date.now();
  }

  async #request(progress: Progress, step: ScenarioStep, i: number): Promise<unknown> {
    const { run } = progress;
    const { method = "GET" } = step;
    const headers = step.headers ?? (method === "PATCH" ? mergePatch : {});
    const { path, body } = substitute(
      { path: step.path, body: step.body },
      run.namespace,
      progress.answers,
    ) as { path: string; body: unknown };
    const end = Date.now() + 10_000;
    let answer = await this.#api.send({ method, path, headers, body });
    const isDone = () =>
      step.until === undefined
        ? answer.status !== 409 || method !== "PATCH"
        : answer.status === step.until;
    while (!isDone() && Date.now() <= end) {
      await sleep(100);
      answer = await this.#api.send({ method, path, headers, body });
    }
    run.lastChange = Date.now();
    const { status, retryAfter, body: found } = answer;
    if (method === "POST" && status === 201 && !/\/namespaces\/[^/]+\//.test(path))
      progress.created.push(`${path.split("?")[0]}/${pick(found, "metadata.name")}`);
    if (step.record)
      progress.recorded.push({ step: i, status, ...(retryAfter && { retryAfter }), body: found });
    else if (status >= 400)
      throw new Error(`${method} ${path}: ${status} ${pick(found, "message") ?? ""}`);
    return found;
  }

  #masks({ run, scenario }: Progress): (value: unknown) => unknown {
    return masksOf(run, scenario, this.#kubelets.namesOf(run.namespace));
  }

  #objects(progress: Progress, resources: readonly string[]): Promise<Members> {
    const mask = this.#masks(progress);
    return observeObjects(
      { api: this.#api, cluster: this.#cluster, run: progress.run, mask },
      resources,
    );
  }

  async #observe(progress: Progress): Promise<Outcome> {
    const { run, scenario, recorded, snapshots } = progress;
    const objects = await this.#objects(progress, scenario.observe ?? []);
    const mask = this.#masks(progress);
    const around = { api: this.#api, cluster: this.#cluster, run, mask };
    const events = scenario.events === false ? undefined : await observeEvents(around, scenario);
    const answers = recorded.map((answer) => ({ ...answer, body: cleanAnswer(answer.body, mask) }));
    const outcome = {
      ...(Object.keys(snapshots).length > 0 && { snapshots }),
      ...(answers.length > 0 && { answers }),
      objects,
      events,
    };
    const json: unknown = JSON.parse(JSON.stringify(outcome));
    return (scenario.serial ? json : withoutCounts(json)) as Outcome;
  }

  async #cleanUp({ run, created }: Progress): Promise<void> {
    const { namespace } = run;
    this.#kubelets.revive(namespace);
    await this.#api.delete(`/api/v1/namespaces/${namespace}`);
    await this.#forceDeletion(namespace);
    for (const path of created.reverse()) {
      await this.#api.patch(path, { metadata: { finalizers: null } });
      await this.#api.delete(path, { gracePeriodSeconds: 0 });
    }
    await this.#kubelets.remove(namespace);
    this.#deletions.push(this.#endRun(run).catch(() => {}));
  }

  /** Removes finalizers, and the pods that no kubelet will. */
  async #forceDeletion(namespace: string): Promise<void> {
    for (const { resource, object } of this.#cluster.objectsIn(namespace)) {
      if (isClusterWide(resource)) continue;
      const path = `${listPath(resource, namespace)}/${object.metadata.name}`;
      if (object.metadata.finalizers?.length)
        await this.#api.patch(path, { metadata: { finalizers: null } });
      if (resource === "pods") await this.#api.delete(path, { gracePeriodSeconds: 0 });
    }
  }

  /** Waits in the background until the namespace is gone, and forces the deletion of what remains. */
  async #endRun(run: ScenarioRun): Promise<void> {
    const { namespace } = run;
    for (let i = 0; i < 40; i++) {
      if ((await this.#api.get(`/api/v1/namespaces/${namespace}`)).status === 404) break;
      if (i % 10 === 9) await this.#forceDeletion(namespace);
      await sleep(100);
    }
    this.#cluster.end(run);
  }
}

/** Waits until nothing of a scenario has changed for two seconds. */
async function quiet(run: ScenarioRun, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() - run.lastChange < 2000) {
    if (Date.now() > end) throw new Error(`not quiet: ${run.lastObject}`);
    await sleep(50);
  }
}

function answers(wait: Wait, status: number, body: unknown): boolean {
  if (wait.status !== undefined) return status === wait.status;
  return status === 200 && meets(wait.where === undefined ? body : pick(body, wait.where), wait);
}

function cleanAnswer(body: unknown, mask: (value: unknown) => unknown): unknown {
  if (pick(body, "kind") === "Status") return mask(body);
  return cleanObject(isMembers(body) && body.metadata ? body : {}, mask);
}

/** The scheduler's messages count the nodes of all scenarios that run at the same time. */
const withoutCounts = (value: unknown): unknown =>
  mapStrings(value, (text) =>
    text.replaceAll(/\b0\/\d+ nodes are available: [\s\S]*/g, "<unschedulable>"),
  );

/** Replaces `{ns}`, `{{N.a.b}}` (a field of the answer to step N) and `{now+N}`. */
function substitute(value: unknown, namespace: string, answers: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, namespace, answers));
  if (isMembers(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, held]) => [
        substitute(name, namespace, answers),
        substitute(held, namespace, answers),
      ]),
    );
  if (typeof value !== "string") return value;
  const field = (n: string, path: string) => pick(answers[Number(n)], path);
  const [, n, path] = /^\{\{(\d+)\.([^}]+)\}\}$/.exec(value) ?? [];
  if (n !== undefined && path !== undefined) return field(n, path);
  return value
    .replaceAll(/\{\{(\d+)\.([^}]+)\}\}/g, (_, n: string, path: string) => String(field(n, path)))
    .replaceAll("{ns}", namespace)
    .replaceAll(/\{now\+(\d+)\}/g, (_, s: string) => timeText(Date.now() + Number(s) * 1000));
}
