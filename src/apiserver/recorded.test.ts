import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires, sharedFacts } from "../../test/requires.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { testTokenIssuer } from "./authentication/token-issuer.test-support.ts";
import { openServer, send, wallClock } from "./in-process.test-support.ts";
import type { ApiServer } from "./server.ts";

/** The cases of these families are replayed. */
const families = ["apply", "defaulted", "invalid", "patches", "rbac", "rest"];

/** What is left to later work, and why. */
const left: readonly (readonly [cases: RegExp, reason: string])[] = [
  [/^rest\/admission\/policy/, "admission policies"],
  [/^rest\/custom\/transition rule$/, "rules that are expressions"],
  [/^rest\/raw\/(\/$|\/readyz\?verbose)/, "documents that list checks that are not served yet"],
];

interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface Case {
  readonly name: string;
  readonly setup?: readonly Step[];
  readonly request: Step;
  readonly response: { readonly status: number };
}
interface Replay {
  fixture(client: object): Promise<void>;
  runCase(client: object, c: Case): Promise<object>;
  compare(c: Case, answer: object): string | undefined;
}

const reason = requires("shared facts");
const cases = reason === undefined ? readCases() : [];

describeWith(reason)("recorded answers of a real server", () => {
  let server: ApiServer;
  let replay: Replay;
  const client = { send: (step: Step & { body?: unknown }) => answer(server, step) };

  beforeAll(async () => {
    const library = join(sharedFacts, "..", "tools", "replay", "lib.mjs");
    replay = (await import(pathToFileURL(library).href)) as Replay;
    // The recorded server ran without controllers, at this address and with such a key.
    server = await openServer(wallClock, new MemoryStore(wallClock), {
      aggregatesRoles: false,
      address: () => "192.0.2.2:26443",
      tokenIssuer: testTokenIssuer("RS256"),
    });
    await replay.fixture(client);
  });
  afterAll(() => server.close());

  test("there are enough of them", () => {
    expect(cases.length).toBeGreaterThan(2100);
  });
  test.each(cases.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    const recorded = withoutManagedFields(c);
    const answered = withoutManagedFields(await replay.runCase(client, c));
    expect(replay.compare(recorded, answered)).toBe(undefined);
  });
});

/** Objects that stand as text in an error have them, too. */
const withoutManagedFields = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/,\\+"managedFields\\+":\[[^\]]*\]/g, "")) as T;

function readCases(): Case[] {
  return families
    .flatMap((family) => {
      const folder = join(sharedFacts, "recorded", family);
      return readdirSync(folder).flatMap(
        (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Case[],
      );
    })
    .filter(({ name }) => !left.some(([pattern]) => pattern.test(name)));
}

const kept = ["content-type", "warning", "retry-after", "location", "www-authenticate", "allow"];

/** Sends a step to the core, and gives the answer as the recorder kept it. */
async function answer(server: ApiServer, step: Step & { body?: unknown }): Promise<object> {
  const headers = { "user-agent": "recorder/1", ...step.headers };
  const { status, headers: sent, text } = await send(server, { ...step, headers });
  const shown = Object.entries(sent).filter(([name]) => kept.includes(name));
  return {
    status,
    headers: Object.fromEntries(shown.map(([name, value]) => [name, single(value)])),
    body: step.method === "HEAD" ? "" : parsed(text),
  };
}

const single = (value: string | readonly string[]): unknown =>
  typeof value !== "string" && value.length === 1 ? value[0] : value;

function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
