import { difference } from "../difference.ts";
import { compareText, isMembers, type Members } from "../values.ts";
import type { RecordedAnswer, RecordedCase } from "./recorded-case.ts";
import type { Replayed } from "./run-case.ts";

export interface CompareOptions {
  /** Members of this name are left out of the comparison. */
  readonly without?: string | undefined;
}

/** The first difference between a case's answer and the recorded one; undefined when equal. */
export function compareAnswer(
  recorded: RecordedCase,
  answer: Replayed,
  options: CompareOptions = {},
): string | undefined {
  if ("setupError" in answer) return answer.setupError;
  const masks = new Masks(recorded, options.without);
  return difference(masks.answer(recorded.response), masks.answer(answer));
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const ageColumns = new Set(["Age", "Last Seen", "First Seen", "Duration"]);
const buildMembers = new Set([
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
]);
/** Where messages and texts name a resource version. */
const revisions: readonly RegExp[] = [
  /(in object meta: )\d+/g,
  /(in record \()\d+/g,
  /(resourceVersion\\*"?: ?\\*")\d+/g,
  /(resource version: \d+, current: )\d+/g,
  /(too old resource version: \d+ \()\d+/g,
];

/** Replaces what differs from run to run with words in angle brackets. */
class Masks {
  readonly #inputs: string;
  readonly #prefixes: readonly (readonly [prefix: string, generated: RegExp])[];
  readonly #isVersion: boolean;
  readonly #without: string | undefined;

  constructor({ setup = [], request }: RecordedCase, without: string | undefined) {
    this.#inputs = JSON.stringify([setup, request]);
    this.#prefixes = generateNames([setup, request]).map((prefix) => [
      prefix,
      new RegExp(`${prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}[a-z0-9]{5}\\b`, "g"),
    ]);
    this.#isVersion = request.path === "/version";
    this.#without = without;
  }

  answer({ status, headers = {}, body }: RecordedAnswer): object {
    return { status, headers: this.#value(headers), body: this.#value(body) };
  }

  /** Values that the case itself sent are compared as they are. */
  #isOwn(text: string): boolean {
    return this.#inputs.includes(text);
  }

  #value(value: unknown, name = ""): unknown {
    if (typeof value === "string") return this.#string(value, name);
    if (typeof value === "number" && (name === "nodePort" || name === "healthCheckNodePort"))
      return this.#isOwn(String(value)) ? value : "<port>";
    if (Array.isArray(value)) {
      const items = name === "managedFields" ? value.toSorted(byManager) : value;
      return items.map((item) => this.#value(item, name));
    }
    if (!isMembers(value)) return value;
    if (value.kind === "Table" && Array.isArray(value.columnDefinitions)) return this.#table(value);
    return this.#members(value);
  }

  #members(value: Members): Members {
    const entries = Object.entries(value).filter(([name]) => name !== this.#without);
    return Object.fromEntries(
      entries.map(([name, held]) => [this.#text(name), this.#value(held, name)]),
    );
  }

  #string(text: string, name: string): string {
    if (name === "resourceVersion" && /^\d+$/.test(text)) return "<rv>";
    if (name === "continue" && text !== "") return "<continue>";
    if (name === "token" && text.length > 40) return "<token>";
    if (name === "serverAddress") return "<address>";
    const isAddress = name === "clusterIP" || name === "clusterIPs";
    if (isAddress && /^[0-9a-f.:]+$/.test(text) && !this.#isOwn(`"${text}"`)) return "<ip>";
    if (this.#isVersion && buildMembers.has(name)) return `<${name}>`;
    return this.#text(text);
  }

  #text(text: string): string {
    let masked = text
      .replaceAll(uuid, (found) => (this.#isOwn(found) ? found : "<uid>"))
      .replaceAll(time, (found) => (this.#isOwn(found) ? found : "<time>"))
      .replaceAll(/kube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<suffix>")
      .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "<credential>");
    for (const revision of revisions) masked = masked.replaceAll(revision, "$1<rv>");
    for (const [prefix, generated] of this.#prefixes)
      masked = masked.replaceAll(generated, () => `${prefix}<suffix>`);
    return masked;
  }

  #table(table: Members): Members {
    const columns = table.columnDefinitions as readonly {
      readonly name?: string;
      readonly type?: string;
    }[];
    const rows = table.rows as readonly Members[] | undefined;
    const cells = (row: Members) =>
      (row.cells as readonly unknown[] | undefined)?.map((cell, i) =>
        this.#cell(cell, columns[i]?.type === "date" ? "Age" : (columns[i]?.name ?? "")),
      );
    const { rows: _, ...rest } = table;
    return {
      ...Object.fromEntries(
        Object.entries(rest).map(([name, held]) => [name, this.#value(held, name)]),
      ),
      rows: rows?.map((row) => ({ ...this.#members(row), cells: cells(row) })),
    };
  }

  #cell(cell: unknown, column: string): unknown {
    const text = String(cell);
    if (typeof cell === "string" && ageColumns.has(column) && /^(\d+[smhdy])+$/.test(cell))
      return "<age>";
    if (column === "Cluster-IP" && /^[0-9.]+$/.test(text) && !this.#isOwn(text)) return "<ip>";
    if (column === "Port(s)")
      return text.replaceAll(/:(\d+)\//g, (found, port: string) =>
        this.#isOwn(port) ? found : ":<port>/",
      );
    return this.#value(cell);
  }
}

/** An order of managedFields that does not depend on the clock. */
function byManager(a: unknown, b: unknown): number {
  const key = (entry: unknown) => {
    const { operation, manager, subresource, apiVersion } = entry as Members;
    return [operation, manager, subresource, apiVersion].join("/");
  };
  return compareText(key(a), key(b));
}

/** Every generateName in a value. */
function generateNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(generateNames);
  if (!isMembers(value)) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    name === "generateName" && typeof held === "string" && held !== ""
      ? [held]
      : generateNames(held),
  );
}
