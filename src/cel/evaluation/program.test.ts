import { expect, test } from "vitest";
import { dynType, structType } from "../checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "../checking/environment.ts";
import { compile } from "../compile.ts";
import { type AuthorizationAnswer, AuthorizerValue } from "../values/authorizer-value.ts";
import { CelError, type CelValue } from "../values/cel-value.ts";
import { fromJson } from "../values/json-value.ts";
import { LazyMap } from "../values/lazy-map.ts";
import { Pending, settle } from "./pending.ts";
import { type Program, perCallLimit, plan } from "./program.ts";

const environment = extendEnvironment(baseEnvironment(), {
  variables: {
    object: dynType,
    variables: dynType,
    authorizer: structType("kubernetes.authorization.Authorizer"),
  },
});

function programOf(text: string): Program {
  const checked = compile(environment, text);
  if ("error" in checked) throw new Error(checked.error);
  const program = plan(checked);
  if ("error" in program) throw new Error(program.error);
  return program;
}

const evaluate = (text: string, variables: Readonly<Record<string, CelValue>> = {}) =>
  programOf(text).evaluate((name) => variables[name]);

test("program: evaluates again and again, and says what it cost", () => {
  const program = programOf("object.a + 1");
  expect([1, 2].map((a) => program.evaluate(() => fromJson({ a })))).toEqual([
    { value: 2n, cost: 3 },
    { value: 3n, cost: 3 },
  ]);
});

test("program: an error has a cost, too", () => {
  expect(evaluate("object.b == 1", { object: fromJson({ a: 1 }) })).toEqual({
    error: "no such key: b",
    isTooExpensive: false,
    cost: 3,
  });
});

test("program: what costs too much is given up", () => {
  const list = fromJson({ l: Array.from({ length: 1000 }, (_, i) => i) });
  const text = "object.l.all(x, object.l.all(y, x + y >= 0))";
  expect(evaluate(text, { object: list })).toEqual({
    error: "operation cancelled: actual cost limit exceeded",
    isTooExpensive: true,
    cost: perCallLimit + 1,
  });
  const { evaluate: run } = programOf("1 + 1 + 1 == 3");
  expect(run(() => undefined, { costLimit: 2 })).toMatchObject({ isTooExpensive: true, cost: 3 });
});

test("program: a variable that is an error only matters where it is used", () => {
  const variables = { object: new CelError("broken") };
  expect(evaluate("object.a == 1 || true", variables)).toMatchObject({ value: true });
  expect(evaluate("object.a == 1", variables)).toMatchObject({ error: "broken" });
  expect(evaluate("object == null", { object: null })).toMatchObject({ value: true });
  expect(evaluate("object == 1")).toMatchObject({ error: "no such attribute(s): object" });
});

test("program: null is a value, of variables and of optionals", () => {
  expect(evaluate("object == null", { object: null })).toMatchObject({ value: true });
  expect(evaluate("object.?a.value()", { object: fromJson({ a: null }) })).toMatchObject({
    value: null,
  });
});

test("program: values of a lazy map are computed once, when they are read", () => {
  const computed: string[] = [];
  const lazy = (name: string, value: CelValue) => () => {
    computed.push(name);
    return value;
  };
  const variables = new LazyMap(
    new Map([
      ["a", lazy("a", 1n)],
      ["b", lazy("b", 2n)],
    ]),
  );
  expect(evaluate("variables.a + variables.a == 2", { variables })).toMatchObject({ value: true });
  expect(computed).toEqual(["a"]);
});

test("settle: evaluates again when what was asked for is known", async () => {
  const answers: AuthorizationAnswer[] = [];
  const authorizer = new AuthorizerValue(({ verb }) => {
    const [answer] = answers;
    if (answer !== undefined) return answer;
    throw new Pending(
      Promise.resolve().then(() => answers.push({ isAllowed: verb === "get", reason: "so" })),
    );
  });
  const program = programOf("authorizer.group('').resource('pods').check('get').allowed()");
  expect(await settle(() => program.evaluate(() => authorizer))).toEqual({
    value: true,
    cost: 350_004,
  });
});
