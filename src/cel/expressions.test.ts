import { expect, test } from "vitest";
import { readFact } from "../../test/facts.ts";
import { formatDuration } from "../schema/values/duration.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
  uintType,
} from "./checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "./checking/environment.ts";
import { compile } from "./compile.ts";
import { estimateCost } from "./cost/cost.ts";
import { plan } from "./evaluation/program.ts";
import { AuthorizerValue } from "./values/authorizer-value.ts";
import { formatTimestamp } from "./values/calendar.ts";
import { CelUrl } from "./values/cel-url.ts";
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  typeNameOf,
} from "./values/cel-value.ts";
import { fromJson } from "./values/json-value.ts";
import { CelCidr, CelIp, CelQuantity, CelVersion } from "./values/kubernetes-values.ts";
import { elementsOf } from "./values/list.ts";
import { entriesOf } from "./values/map.ts";

/** An expression, and what v1.36.4 says of it. */
interface Fact {
  readonly group: string;
  readonly expression: string;
  /** Why it does not compile. */
  readonly problem?: string;
  /** Why it compiles and cannot be planned. */
  readonly plan?: string;
  /** The least and the most that it may cost. */
  readonly estimate?: readonly [min: string, max: string];
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
}

const environment = extendEnvironment(baseEnvironment(), {
  variables: {
    b: boolType,
    i: intType,
    u: uintType,
    d: doubleType,
    s: stringType,
    e: stringType,
    by: bytesType,
    l: listType(stringType),
    li: listType(intType),
    m: mapType(stringType, intType),
    o: dynType,
    t: timestampType,
    du: durationType,
    authorizer: structType("kubernetes.authorization.Authorizer"),
  },
});
const variables: Readonly<Record<string, CelValue>> = {
  b: true,
  i: 7n,
  u: new CelUint(9n),
  d: 2.5,
  s: "hello world",
  e: "",
  by: new TextEncoder().encode("abc"),
  l: fromJson(["a", "bb", "ccc"]),
  li: fromJson([3, 1, 2]),
  m: fromJson({ x: 1, y: 2 }),
  o: fromJson({ name: "n", list: [1, 2, 3], map: { a: { b: 1 } }, f: 1.5, nul: null }),
  t: new CelTimestamp(BigInt(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000), 0),
  du: new CelDuration(90_000_000_000n),
  authorizer: new AuthorizerValue(({ verb }) => ({
    isAllowed: verb === "get",
    reason: verb === "get" ? "" : "only get",
  })),
};
/** How large variables are at most; of others nothing is known. */
const sizes: Readonly<Record<string, number>> = {
  ...{ s: 100, l: 10, "l.@items": 20, li: 12, m: 5, "m.@keys": 30 },
};

const facts = readFact<Fact[]>("cel-expressions.json");
test("expressions: all are there", () => {
  expect(facts).toHaveLength(580);
});

const groups = [...new Set(facts.map(({ group }) => group))];

test.each(groups)("expressions: results, errors and costs are as recorded: %s", (group) => {
  const own = facts.filter((fact) => fact.group === group);
  expect(own.map(({ expression }) => rounded(evaluated(group, expression)))).toEqual(
    own.map(rounded),
  );
});

/** Beyond 2^53, estimates only matter as larger than any limit: fifteen digits of them are compared. */
function rounded({ estimate, ...fact }: Fact): Fact {
  const count = (text: string) => (text.length > 15 ? Number(text).toPrecision(15) : text);
  return { ...fact, ...(estimate && { estimate: [count(estimate[0]), count(estimate[1])] }) };
}

function evaluated(group: string, expression: string): Fact {
  const checked = compile(environment, expression);
  if ("error" in checked) return { group, expression, problem: checked.error };
  const program = plan(checked);
  if ("error" in program) return { group, expression, plan: program.error };
  const { min, max } = estimateCost(checked, {
    sizeOf: (path) => {
      const size = sizes[path.join(".")];
      return size === undefined ? undefined : { min: 0, max: size };
    },
  });
  const result = program.evaluate((name) => variables[name]);
  return {
    group,
    expression,
    estimate: [String(BigInt(min)), String(BigInt(max))],
    ...("value" in result ? { value: shown(result.value) } : { error: result.error }),
    cost: result.cost,
  };
}

/** A value as the facts write it: its type where JSON does not tell it, and its members in order. */
function shown(value: CelValue): string {
  switch (typeof value) {
    case "bigint":
    case "boolean":
      return String(value);
    case "string":
      return JSON.stringify(value);
    case "number":
      return `double ${Number.isFinite(value) ? shownDouble(value) : shownInfinity(value)}`;
  }
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("base64")}`;
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDuration) return `duration ${formatDuration(value.nanos)}`;
  if (value instanceof CelTimestamp) return `timestamp ${formatTimestamp(value)}`;
  if (value instanceof CelTypeValue) return `type ${value.name}`;
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none" : `optional ${shown(value.value)}`;
  if (value instanceof CelList) return `[${elementsOf(value).map(shown).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${entriesOf(value)
      .map(([key, held]) => `${shown(key)}: ${shown(held)}`)
      .sort()
      .join(", ")}}`;
  const type = typeNameOf(value);
  const hasText = [CelQuantity, CelVersion, CelIp, CelCidr, CelUrl].some(
    (held) => value instanceof held,
  );
  return hasText ? `${type} ${value.toString()}` : type;
}

const shownDouble = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
const shownInfinity = (value: number): string =>
  Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
