import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import type { ApiResponse } from "./request.ts";
import { RequestState } from "./request-state.ts";
import { compose, type Stage } from "./stage.ts";

const ok: ApiResponse = { status: 200, headers: {}, body: undefined };
const newState = () => new RequestState(toApiRequest({ path: "/version" }), () => 0);

/** Stages that write their names as they run; a before-stage responds if its name says so. */
function recording(kinds: Readonly<Record<string, "before" | "after" | "around" | "later">>) {
  const seen: string[] = [];
  const stages = Object.entries(kinds).map(([name, kind]): Stage => {
    const outcome = name === "responds" ? ok : undefined;
    if (kind === "after")
      return {
        name,
        after: (_, response) => {
          seen.push(name);
          return response;
        },
      };
    if (kind === "around")
      return {
        name,
        around: (next) => async (request) => {
          seen.push(`${name} in`);
          try {
            return await next(request);
          } finally {
            seen.push(`${name} out`);
          }
        },
      };
    return {
      name,
      before() {
        seen.push(name);
        return kind === "later" ? Promise.resolve(outcome) : outcome;
      },
    };
  });
  return { seen, run: compose(stages) };
}

test.each<[what: string, kinds: Parameters<typeof recording>[0], seen: string]>([
  ["requests pass in order", { a: "before", b: "later", responds: "before" }, "a b responds"],
  [
    "responses pass in reverse order",
    { a: "after", b: "after", c: "before", responds: "later" },
    "c responds b a",
  ],
  [
    "stages after a response do not run",
    { a: "after", responds: "before", b: "around", c: "before" },
    "responds a",
  ],
  [
    "an around-stage wraps all later stages",
    { a: "around", b: "after", c: "around", d: "before", responds: "before" },
    "a in c in d responds c out b a out",
  ],
])("compose: %s", async (_, kinds, wanted) => {
  const { seen, run } = recording(kinds);
  expect(await run(newState())).toBe(ok);
  expect(seen.join(" ")).toBe(wanted);
});

test("compose: a request that was given up while a stage waited goes no further", async () => {
  const { seen, run } = recording({ a: "around", b: "later", responds: "before" });
  const state = newState();
  const running = run(state);
  state.isGivenUp = true;
  await expect(running).rejects.toThrow("request did not complete within the allotted timeout");
  expect(seen.join(" ")).toBe("a in b a out");
});

test("compose: a list in which no stage responds is an error", async () => {
  const { run } = recording({ a: "before" });
  await expect(run(newState())).rejects.toThrow("no stage of the pipeline responded");
});
