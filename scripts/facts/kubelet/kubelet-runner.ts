import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "../../../src/api/core/v1/node/node.ts";
import {
  type ApiAnswer,
  type ApiClient,
  type ApiObject,
  createNamespace,
  namespaceGone,
  namespaceOf,
} from "../api-client.ts";
import type { Request } from "../http-client.ts";
import { mapStrings, pick, sleep } from "../values.ts";
import { type ExecResult, exec } from "./exec.ts";
import type {
  KubeletOutcome,
  KubeletScenario,
  KubeletStep,
  ShownAnswer,
} from "./kubelet-scenario.ts";
import { maskText, type NodeNames } from "./mask-text.ts";
import { withoutRuntimeWords } from "./outcome.ts";
import { WatchedPods, watchPods } from "./watched-pods.ts";

/** A scenario that cannot be played here. */
export class Skipped extends Error {}

/** A scenario that is under way. */
interface Run {
  readonly namespace: string;
  readonly pods: WatchedPods;
  readonly answers: ShownAnswer[];
  /** The paths of cluster-wide objects, and static pod files, that are removed at the end. */
  readonly created: string[];
  readonly files: string[];
}

const plurals: Readonly<Record<string, string>> = {
  Pod: "pods",
  ConfigMap: "configmaps",
  Secret: "secrets",
  Service: "services",
  ServiceAccount: "serviceaccounts",
};
const clusterWide: Readonly<Record<string, string>> = {
  RuntimeClass: "/apis/node.k8s.io/v1/runtimeclasses",
  PriorityClass: "/apis/scheduling.k8s.io/v1/priorityclasses",
};
const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};

/** Plays pod scenarios on the first ready Linux node of a cluster. */
export class KubeletRunner {
  readonly #api: ApiClient;
  readonly #staticDir: string | undefined;
  readonly #watched = new Map<string, WatchedPods>();
  #node: NodeNames = { name: "", addresses: [] };

  constructor(api: ApiClient, staticDir: string | undefined) {
    this.#api = api;
    this.#staticDir = staticDir;
  }

  async start(): Promise<void> {
    const nodes = await this.#api.list<ApiObject & Node>("/api/v1/nodes");
    const node = nodes.find(isReadyLinux);
    if (!node) throw new Error("no ready Linux node");
    const { name } = node.metadata;
    const addresses = (node.status?.addresses ?? []).map(({ address }) => address);
    this.#node = { name, addresses: addresses.filter((address) => address !== name) };
    await watchPods(this.#api, this.#watched);
  }

  close(): void {
    this.#api.close();
  }

  async run(scenario: KubeletScenario): Promise<KubeletOutcome> {
    const namespace = `kl-${namespaceOf(scenario.name)}`;
    await namespaceGone(this.#api, namespace);
    const pods = new WatchedPods((text) => this.#mask(text));
    this.#watched.set(namespace, pods);
    const run: Run = { namespace, pods, answers: [], created: [], files: [] };
    try {
      await createNamespace(this.#api, namespace);
      await this.#namespaceReady(namespace);
      for (const [i, step] of scenario.steps.entries()) {
        try {
          await this.#step(run, this.#filled(step, namespace), i);
        } catch (error) {
          if (error instanceof Skipped) throw error;
          throw new Error(`step ${i}: ${(error as Error).message}`, { cause: error });
        }
      }
      await sleep((scenario.settle ?? 1.5) * 1000);
      pods.freeze();
      const outcome = { answers: run.answers, pods: pods.pods, events: pods.events };
      const masked = mapStrings(outcome, (text) => this.#mask(text));
      return withoutRuntimeWords(JSON.parse(JSON.stringify(masked)) as KubeletOutcome);
    } finally {
      await this.#cleanUp(run);
    }
  }

  #mask(text: string): string {
    return maskText(text, this.#node);
  }

  #filled(step: KubeletStep, namespace: string): KubeletStep {
    const fill = (text: string) =>
      text.replaceAll("{ns}", namespace).replaceAll("{node}", this.#node.name);
    return mapStrings(step, fill) as KubeletStep;
  }

  async #namespaceReady(namespace: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}`;
    for (let i = 0; i < 100; i++) {
      const answers = await Promise.all([
        this.#api.get(`${path}/serviceaccounts/default`),
        this.#api.get(`${path}/configmaps/kube-root-ca.crt`),
      ]);
      if (answers.every(({ status }) => status === 200)) return;
      await sleep(100);
    }
  }

  async #step(run: Run, step: KubeletStep, i: number): Promise<void> {
    const request = requestOf(run.namespace, step);
    if (request !== undefined) {
      const answer = await this.#api.send(request);
      noteAnswer(run, answer, { step: i, record: step.record ?? false });
      const { create } = step;
      const path = clusterWide[create?.kind ?? ""];
      if (path !== undefined) run.created.push(`${path}/${pick(create, "metadata.name")}`);
    } else if (step.sleep !== undefined) await sleep(step.sleep * 1000);
    else if (step.static !== undefined) this.#writeStatic(run, step.static);
    else if (step.unstatic !== undefined)
      rmSync(this.#staticFile(run, step.unstatic), { force: true });
    else if (step.wait !== undefined) await run.pods.waitFor(step.wait);
    else if (step.logs !== undefined)
      run.answers.push({ step: i, ...(await this.#logs(run.namespace, step.logs)) });
    else if (step.exec !== undefined) {
      const result = await this.#exec(run.namespace, step.exec);
      if (!step.exec.quiet) run.answers.push({ step: i, ...result });
    } else throw new Error(`unknown step ${JSON.stringify(step)}`);
  }

  #staticFile({ namespace }: Run, name: string): string {
    if (this.#staticDir === undefined) throw new Skipped("needs --static-dir");
    return join(this.#staticDir, `${namespace}-${name}.json`);
  }

  #writeStatic(run: Run, pod: NonNullable<KubeletStep["static"]>): void {
    const file = this.#staticFile(run, pod.metadata.name);
    const metadata = { ...pod.metadata, namespace: run.namespace };
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "Pod", ...pod, metadata }));
    run.files.push(file);
  }

  async #logs(
    namespace: string,
    { pod, container, previous, until }: NonNullable<KubeletStep["logs"]>,
  ): Promise<object> {
    const query = new URLSearchParams({
      ...(container !== undefined && { container }),
      ...(previous && { previous: "true" }),
    });
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`;
    const { status, text } = await repeat(
      10,
      () => this.#api.http.send({ path }),
      ({ text }) => until === undefined || text.includes(until),
    );
    if (status === 200) return { log: recordedForm(text) };
    return { status, message: pick(JSON.parse(text), "message") };
  }

  #exec(namespace: string, step: NonNullable<KubeletStep["exec"]>): Promise<ExecResult> {
    return repeat(
      step.timeout ?? 15,
      () => exec(this.#api.http, namespace, step),
      ({ stdout }) => step.until === undefined || stdout.includes(step.until),
    );
  }

  async #cleanUp({ namespace, pods, created, files }: Run): Promise<void> {
    pods.freeze();
    for (const file of files) rmSync(file, { force: true });
    const path = `/api/v1/namespaces/${namespace}`;
    const paths = [...pods.remaining.map((name) => `${path}/pods/${name}`), path, ...created];
    for (const found of paths)
      await this.#api
        .delete(found, found.includes("/pods/") ? { gracePeriodSeconds: 1 } : {})
        .catch((error: Error) => console.error(`cleaning up ${found}: ${error.message}`));
    this.#watched.delete(namespace);
  }
}

const isReadyLinux = ({ metadata, spec, status }: ApiObject & Node): boolean =>
  metadata.labels?.["kubernetes.io/os"] === "linux" &&
  !spec?.unschedulable &&
  (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");

/** The request that a step is; undefined where it is none. */
function requestOf(namespace: string, step: KubeletStep): Request | undefined {
  const listOf = (kind = "Pod") =>
    clusterWide[kind] ?? `/api/v1/namespaces/${namespace}/${plurals[kind]}`;
  if (step.create) {
    const body = { apiVersion: "v1", ...step.create };
    return { method: "POST", path: listOf(step.create.kind), body };
  }
  if (step.patch) {
    const { kind, name, sub, type = "strategic", body } = step.patch;
    const path = `${listOf(kind)}/${name}${sub === undefined ? "" : `/${sub}`}`;
    return { method: "PATCH", path, headers: { "content-type": patchTypes[type] }, body };
  }
  if (!step.delete) return undefined;
  const { kind, name, grace } = step.delete;
  const options = grace === undefined ? {} : { gracePeriodSeconds: grace };
  const body = { apiVersion: "v1", kind: "DeleteOptions", ...options };
  return { method: "DELETE", path: `${listOf(kind)}/${name}`, body };
}

function noteAnswer(
  run: Run,
  { status, body }: ApiAnswer,
  { step, record }: { readonly step: number; readonly record: boolean },
): void {
  const message = pick(body, "message") as string;
  if (record) run.answers.push({ step, status, ...(status >= 300 && { message }) });
  else if (status >= 300) throw new Error(`${status} ${message ?? body}`);
}

/** Repeats a request until its answer is as wanted, and gives the last answer. */
async function repeat<T>(
  seconds: number,
  send: () => Promise<T>,
  isWanted: (answer: T) => boolean,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let answer = await send();
  while (!isWanted(answer) && Date.now() <= end) {
    await sleep(400);
    answer = await send();
  }
  return answer;
}

/** A log that is JSON was recorded in its shortest form, without the line break at its end. */
function recordedForm(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
