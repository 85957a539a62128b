import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRecorded } from "../../test/facts.ts";
import {
  compareAnswer,
  createFixture,
  type RecordedAnswer,
  type RecordedCase,
  runCase,
  type Step,
} from "../../test/replay.ts";
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

const cases = families
  .flatMap(readRecorded<RecordedCase>)
  .filter(({ name }) => !left.some(([pattern]) => pattern.test(name)));

describe("recorded answers of a real server", () => {
  let server: ApiServer;
  const client = { send: (step: Step) => answer(server, step) };

  beforeAll(async () => {
    // The recorded server ran without controllers, at this address and with such a key.
    server = await openServer(wallClock, new MemoryStore(wallClock), {
      aggregatesRoles: false,
      address: () => "192.0.2.2:26443",
      tokenIssuer: testTokenIssuer("RS256"),
    });
    await createFixture(client);
  });
  afterAll(() => server.close());

  test("there are enough of them", () => {
    expect(cases.length).toBeGreaterThan(2100);
  });
  test.each(cases.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    const recorded = withoutManagedFields(c);
    const answered = withoutManagedFields(await runCase(client, c));
    expect(compareAnswer(recorded, answered)).toBe(undefined);
  });
});

/** Objects that stand as text in an error have them, too. */
const withoutManagedFields = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/,\\+"managedFields\\+":\[[^\]]*\]/g, "")) as T;

const kept = ["content-type", "warning", "retry-after", "location", "www-authenticate", "allow"];

/** Sends a step to the core, and gives the answer as the recorder kept it. */
async function answer(server: ApiServer, step: Step): Promise<RecordedAnswer> {
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
