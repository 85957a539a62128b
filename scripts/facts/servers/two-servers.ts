import { stringifyJson } from "../../../src/schema/json/strict-json.ts";
import { HttpClient, parsed } from "../http-client.ts";
import { compareAnswer } from "../replay/compare-answer.ts";
import { keptHeaders } from "../replay/kept-headers.ts";
import type { RecordedAnswer, Step } from "../replay/recorded-case.ts";
import {
  compareStable,
  compareText,
  isMembers,
  type Members,
  mapStrings,
  pick,
  sleep,
} from "../values.ts";
import type { NamedStep } from "./object-requests.ts";

/** Two servers to which the same requests are sent. */
export class TwoServers {
  readonly #servers: readonly [reference: HttpClient, other: HttpClient];

  constructor(reference: string, other: string) {
    this.#servers = [new HttpClient(reference, "compare/1"), new HttpClient(other, "compare/1")];
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  /** Sends a request to both; gives the first difference of what they answer, if there is one. */
  async compare(step: NamedStep): Promise<string | undefined> {
    const [response, answer] = await Promise.all([
      send(this.#servers[0], step),
      send(this.#servers[1], step),
    ]);
    const request = { ...step, body: textOf(step.body) };
    const found = compareAnswer({ name: step.name, request, response }, answer);
    if (found !== undefined || !step.path.startsWith("/apis/")) return found;
    return orderDifference(response.body, answer.body);
  }

  /** The answers of both servers. */
  both(step: Step): Promise<readonly [RecordedAnswer, RecordedAnswer]> {
    const [reference, other] = this.#servers;
    return Promise.all([send(reference, step), send(other, step)]);
  }

  /** Waits until both servers answer as wanted. */
  async until(step: Step, wanted: (answer: RecordedAnswer) => boolean): Promise<void> {
    for (let i = 0; i < 300; i++) {
      const answers = await this.both(step);
      if (answers.every(wanted)) return;
      await sleep(100);
    }
    throw new Error(`${step.method} ${step.path}: not as expected within 30 s`);
  }
}

async function send(http: HttpClient, step: NamedStep | Step): Promise<RecordedAnswer> {
  const { status, rawHeaders, text } = await http.send({
    ...step,
    body: textOf(await body(http, step)),
  });
  return {
    status,
    headers: keptHeaders(rawHeaders),
    body: inOrder(parsed(withLargeNumbers(text))),
  };
}

/** Integers that manifests have beyond 2^53 stay what they are. */
const textOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : stringifyJson(body);

/** Compared as texts: numbers would be rounded. */
const withLargeNumbers = (text: string): string =>
  text.replace(/([:,[])(-?\d{16,})(?=[,\]}])/g, '$1"$2"');

async function body(http: HttpClient, step: NamedStep | Step): Promise<unknown> {
  if (!("object" in step) || step.object === undefined) return step.body;
  const { text } = await http.send({ path: step.object });
  const version = String(pick(parsed(text), "metadata.resourceVersion") ?? "1");
  return mapStrings(step.body, (held) => (held === "{rv}" ? version : held));
}

/** A server that walks through maps in random order reports several errors in random order. */
function inOrder(body: unknown): unknown {
  if (!isMembers(body)) return body;
  const conditions = pick(body, "status.conditions");
  if (body.kind === "CustomResourceDefinition" && Array.isArray(conditions))
    return {
      ...body,
      // Several controllers add to them.
      status: { ...(body.status as Members), conditions: conditions.toSorted(byType) },
    };
  const { message, details, ...rest } = body;
  if (body.kind !== "Status" || typeof message !== "string") return body;
  const causes = pick(details, "causes");
  return {
    ...rest,
    message: declared(message)
      .split(/, |[[\]\n]/)
      .sort(),
    details: Array.isArray(causes)
      ? { ...(details as Members), causes: causes.toSorted(compareStable) }
      : details,
  };
}

const byType = (a: Members, b: Members): number => compareText(String(a.type), String(b.type));

/** Which errors are found before a field that a schema does not have depends on that order, too. */
const declared = (message: string): string =>
  message.includes("field not declared in schema")
    ? message.replace(/(failed to create typed patch object \(.*?\): ).*/s, "$1field not declared")
    : message;

/** Equal values may differ in the order of their members, which clients see, too. */
function orderDifference(recorded: unknown, now: unknown): string | undefined {
  const [a, b] = [namesOf(recorded), namesOf(now)];
  const at = a.findIndex((name, i) => name !== b[i]);
  return at < 0 ? undefined : `the order of members differs: ${a[at]} is ${b[at]}`;
}

function namesOf(value: unknown): readonly string[] {
  const names: string[] = [];
  JSON.stringify(value, (name, held: unknown) => {
    // The order of managers depends on the clock.
    if (name === "managedFields") return undefined;
    names.push(name);
    return held;
  });
  return names;
}
