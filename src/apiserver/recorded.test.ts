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
const families = ["apply", "cel", "defaulted", "invalid", "patches", "rbac", "rest"];

/** What is left to later work, and why. */
const left: readonly (readonly [cases: RegExp, reason: string])[] = [
  [/^cel\/custom\/scale as Table$/, "a description of a column, which is in our words"],
  [
    /^cel\/mutations-at-work\/two policies in order of names$/,
    "upstream runs policies in any order; here they run in that of their names",
  ],
];

/** The health checks of parts that this server does not have, and what they are. */
const otherChecks: readonly (readonly [name: string, part: string])[] = [
  ["loopback-serving-certificate", "a socket on which a server calls itself"],
  [
    "poststarthook/peer-endpoint-reconciler-controller",
    "requests that peers of other versions serve",
  ],
];

const cases = families
  .flatMap(readRecorded<RecordedCase>)
  .filter(({ name }) => !left.some(([pattern]) => pattern.test(name)))
  .map(withoutOtherChecks);

/** The case of a document that lists health checks, without those checks. */
function withoutOtherChecks(recorded: RecordedCase): RecordedCase {
  const { name, response } = recorded;
  if (!/^rest\/raw\/(\/$|\/readyz\?verbose)/.test(name)) return recorded;
  const isOther = (text: string) =>
    otherChecks.some(([check]) => text.includes(`${check} `) || text.endsWith(check));
  const { body } = response;
  if (typeof body === "string") {
    const lines = body.split("\n").filter((line) => !isOther(line));
    return { ...recorded, response: { ...response, body: lines.join("\n") } };
  }
  const { paths } = body as { readonly paths: readonly string[] };
  return {
    ...recorded,
    response: { ...response, body: { paths: paths.filter((path) => !isOther(path)) } },
  };
}

describe("recorded answers of a real server", () => {
  let server: ApiServer;
  const client = { send: (step: Step) => answer(server, step) };

  beforeAll(async () => {
    // The recorded server ran without controllers, at this address and with such a key.
    server = await openServer(wallClock, new MemoryStore(wallClock), {
      aggregatesRoles: false,
      address: () => "192.0.2.2:26443",
      tokenIssuer: testTokenIssuer("RS256"),
      aggregation: { proxyClient: { cert: "", key: "" } },
      flags: {},
      priorityAndFairness: true,
    });
    await createFixture(client);
  });
  afterAll(() => server.close());

  test("there are enough of them", () => {
    expect(cases.length).toBeGreaterThan(2500);
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
