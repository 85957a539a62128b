import { isMembers, type Members, pick, sleep } from "../values.ts";
import type { RecordedAnswer, RecordedCase, ReplayClient, Step } from "./recorded-case.ts";
import { removeObject } from "./remove-object.ts";
import { resourcePath } from "./resource-path.ts";

/** The answer to a case's request, or why its setup failed. */
export type Replayed = RecordedAnswer | { readonly setupError: string };

export interface RunOptions {
  /**
   * A real API server delays the first object of a definition that was established less than two
   * seconds ago. With this the definition's conditions are dated back: the answers are the same.
   */
  readonly backdate?: boolean;
}

/** Creates what every case expects to find: the namespace `rec` with its ServiceAccount. */
export async function createFixture(client: ReplayClient): Promise<void> {
  const create = (path: string, kind: string, name: string) =>
    client.send({ method: "POST", path, body: { apiVersion: "v1", kind, metadata: { name } } });
  await create("/api/v1/namespaces", "Namespace", "rec");
  await create("/api/v1/namespaces/rec/serviceaccounts", "ServiceAccount", "default");
  const probe = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "probe" },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const path = "/api/v1/namespaces/rec/pods?dryRun=All";
  for (let i = 0; i < 100; i++) {
    if ((await client.send({ method: "POST", path, body: probe })).status === 201) return;
    await sleep(100);
  }
  throw new Error("the fixture did not become ready");
}

/** Runs the steps of a case and its request, and removes whatever they created. */
export async function runCase(
  client: ReplayClient,
  recorded: RecordedCase,
  options: RunOptions = {},
): Promise<Replayed> {
  const created: string[] = [];
  const send = async (step: Step) => {
    const answer = await client.send(step);
    const path = createdPath(step, answer);
    if (path !== undefined && !created.includes(path)) created.push(path);
    return answer;
  };
  try {
    const answers: unknown[] = [];
    for (const [i, raw] of (recorded.setup ?? []).entries()) {
      const step = substitute(raw, answers) as Step;
      const { status, body } = await sendUntil(send, step);
      const failed = step.until === undefined ? status >= 400 : status !== step.until;
      if (failed) {
        const message = isMembers(body) ? body.message : "";
        return { setupError: `setup ${i} (${step.method} ${step.path}): ${status} ${message}` };
      }
      answers.push(body);
      if (options.backdate && awaitsDefinition(recorded, i)) await backdate(client, body);
    }
    return await send(substitute(recorded.request, answers) as Step);
  } finally {
    for (const path of created.reverse()) await removeObject(client, path);
  }
}

/** Sends a step again until the status comes that it waits for, for about ten seconds. */
async function sendUntil(
  send: (step: Step) => Promise<RecordedAnswer>,
  step: Step,
): Promise<RecordedAnswer> {
  let answer = await send(step);
  for (let i = 0; i < 200 && step.until !== undefined && answer.status !== step.until; i++) {
    await sleep(50);
    answer = await send(step);
  }
  return answer;
}

/** The object that a step made, so that it can be removed. */
function createdPath(step: Step, { status, body }: RecordedAnswer): string | undefined {
  const writes = ["POST", "PUT", "PATCH"].includes(step.method);
  if (status >= 300 || !writes || /dryRun=All/.test(step.path)) return undefined;
  const at = resourcePath(step.path);
  if (at === undefined) return undefined;
  if (at.name !== undefined) {
    const makesAnother = at.subresource !== undefined && step.method === "POST";
    return makesAnother ? undefined : `${at.collection}/${at.name}`;
  }
  const name =
    pick(body, "metadata.name") ??
    pick(step.body, "metadata.name") ??
    pick(body, "rows[0].object.metadata.name");
  return typeof name === "string" && name !== "" ? `${at.collection}/${name}` : undefined;
}

/** Replaces `{{N.a.b}}` with the field `a.b` of the answer to setup step N. */
function substitute(value: unknown, answers: readonly unknown[]): unknown {
  if (typeof value === "string") {
    const whole = /^\{\{([^}]+)\}\}$/.exec(value)?.[1];
    if (whole !== undefined) return pick(answers, whole);
    return value.replace(/\{\{([^}]+)\}\}/g, (_, part: string) => String(pick(answers, part)));
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, answers));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, substitute(held, answers)]),
  );
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function awaitsDefinition({ setup = [], request }: RecordedCase, i: number): boolean {
  const isDefinition = setup[i]?.method === "POST" && setup[i].path === definitions;
  return isDefinition && setup[i + 1]?.until !== undefined && !request.path.startsWith(definitions);
}

async function backdate(client: ReplayClient, definition: unknown): Promise<void> {
  const path = `${definitions}/${pick(definition, "metadata.name")}`;
  for (let i = 0; i < 100; i++) {
    const { body } = await client.send({ method: "GET", path });
    const conditions = (pick(body, "status.conditions") ?? []) as readonly Members[];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) {
      const lastTransitionTime = "2020-01-01T00:00:00Z";
      const dated = conditions.map((condition) => ({ ...condition, lastTransitionTime }));
      await client.send({
        method: "PATCH",
        path: `${path}/status`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { status: { conditions: dated } },
      });
      return;
    }
    await sleep(20);
  }
}
