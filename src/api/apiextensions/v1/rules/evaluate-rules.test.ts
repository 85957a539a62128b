import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { At } from "../../../../schema/language/report.ts";
import { Correlated } from "../../../../schema/structural/correlated.ts";
import type { JSONSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { evaluateRules } from "./evaluate-rules.ts";
import { ruleTree } from "./rule-tree.ts";

type Rule = string | Partial<ValidationRule>;
const rules = (...all: readonly Rule[]) => ({
  "x-kubernetes-validations": all.map((rule) =>
    typeof rule === "string" ? { rule } : rule,
  ) as readonly ValidationRule[],
});
const integer: JSONSchemaProps = { type: "integer" };
const text: JSONSchemaProps = { type: "string" };

/** The schema of objects with a spec of these properties. */
const ofSpec = (
  properties: Readonly<Record<string, JSONSchemaProps>>,
  ...all: readonly Rule[]
): JSONSchemaProps => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...rules(...all) } },
});

interface Outcome {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly left: number;
}

function evaluate(
  schema: JSONSchemaProps,
  value: object,
  { old, budget = 10_000_000 }: { readonly old?: object; readonly budget?: number } = {},
): Outcome {
  const tree = ruleTree(schema, { isResource: true });
  if (!tree) throw new Error("the schema has no rules");
  const at = At.root();
  const correlated = old && new Correlated(value, old, schema);
  const left = evaluateRules(tree, { value, old, correlated }, { at, budget });
  const errors = at.errors.map(({ field, message }) => `${field}: ${message}`);
  return { errors, warnings: at.warnings, left };
}

each<[what: string, schema: JSONSchemaProps, value: object, errors: readonly string[]]>([
  ["one that holds", ofSpec({ n: integer }, "self.n > 0"), { spec: { n: 1 } }, []],
  [
    "one that does not",
    ofSpec({ n: integer }, "self.n > 0"),
    { spec: { n: 0 } },
    ["spec: Invalid value: failed rule: self.n > 0"],
  ],
  ["of a part that is absent", ofSpec({ n: { ...integer, ...rules("false") } }), { spec: {} }, []],
  [
    "of a part that is null",
    ofSpec({ n: { ...integer, nullable: true, ...rules("false") } }),
    { spec: { n: null } },
    [],
  ],
  [
    "of a whole object",
    { type: "object", ...rules("self.metadata.name == 'a' && self.kind == 'K'") },
    { kind: "K", metadata: { name: "b" } },
    ["<nil>: Invalid value: failed rule: self.metadata.name == 'a' && self.kind == 'K'"],
  ],
  [
    "of items, of members, and of a name that expressions cannot write",
    ofSpec({
      l: { type: "array", items: { ...integer, ...rules("self > 0") } },
      m: { type: "object", additionalProperties: { ...text, ...rules("self != ''") } },
      ä: { ...text, ...rules({ rule: "self == 'x'", message: " no x " }) },
    }),
    { spec: { l: [1, 0], m: { "a.b": "" }, ä: "y" } },
    [
      "spec.l[1]: Invalid value: 0: failed rule: self > 0",
      "spec.m[a.b]: Invalid value: \"\": failed rule: self != ''",
      'spec.ä: Invalid value: "y": no x',
    ],
  ],
  [
    "with reasons and paths",
    ofSpec(
      { n: integer, m: { type: "object", additionalProperties: integer } },
      { rule: "false", reason: "FieldValueRequired", fieldPath: ".n" },
      { rule: "false", reason: "FieldValueForbidden", fieldPath: ".m['a.b']" },
      { rule: "false", reason: "FieldValueDuplicate" },
    ),
    { spec: {} },
    [
      "spec.n: Required value: failed rule: false",
      "spec.m[a.b]: Forbidden: failed rule: false",
      "spec: Duplicate value",
    ],
  ],
  [
    "a path that begins with a key",
    ofSpec({
      m: {
        type: "object",
        additionalProperties: integer,
        ...rules({ rule: "false", fieldPath: ".a" }),
      },
    }),
    { spec: { m: {} } },
    ["spec.m.[a]: Invalid value: failed rule: false"],
  ],
  [
    "messages that cannot be shown",
    ofSpec(
      {},
      { rule: "false", messageExpression: "''" },
      { rule: "false", messageExpression: "'a\\nb'", message: "two lines" },
      { rule: "false", messageExpression: "[''][3]", message: "an error" },
      { rule: "false", messageExpression: "' shown '" },
    ),
    { spec: {} },
    [
      "spec: Invalid value: failed rule: false",
      "spec: Invalid value: two lines",
      "spec: Invalid value: an error",
      "spec: Invalid value: shown",
    ],
  ],
  [
    "errors",
    ofSpec(
      { x: { "x-kubernetes-int-or-string": true }, n: integer },
      { rule: "self.x + 1 > 0", message: "add" },
      "1 / self.n > 0",
      "self.nope == 1",
    ),
    { spec: { x: "a", n: 0 } },
    [
      `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: add`,
      'spec: Invalid value: "object": division by zero evaluating rule: 1 / self.n > 0',
      expect.stringContaining(
        'spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field',
      ),
    ],
  ],
])("evaluateRules: %s", (_, schema, value, errors) => {
  expect(evaluate(schema, value).errors).toEqual(errors);
});

const changing = ofSpec({
  n: { ...integer, ...rules("self >= oldSelf") },
  maybe: {
    ...integer,
    ...rules({ rule: "!oldSelf.hasValue() || self > oldSelf.value()", optionalOldSelf: true }),
  },
  keyed: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: {
      type: "object",
      properties: { k: text, v: { ...integer, ...rules("self >= oldSelf") } },
    },
  },
  plain: { type: "array", items: { ...integer, ...rules("self == oldSelf") } },
});
each<[what: string, old: object | undefined, value: object, errors: readonly string[]]>([
  ["nothing was before", undefined, { n: 1, maybe: 1, plain: [1] }, []],
  ["a value that was absent", {}, { n: 1, maybe: 1 }, []],
  [
    "values that fall",
    { n: 2, maybe: 2 },
    { n: 1, maybe: 1 },
    [
      "spec.n: Invalid value: 1: failed rule: self >= oldSelf",
      "spec.maybe: Invalid value: 1: failed rule: !oldSelf.hasValue() || self > oldSelf.value()",
    ],
  ],
  [
    "items by their keys",
    {
      keyed: [
        { k: "a", v: 2 },
        { k: "b", v: 2 },
      ],
    },
    {
      keyed: [
        { k: "b", v: 3 },
        { k: "a", v: 1 },
        { k: "c", v: 0 },
      ],
    },
    ["spec.keyed[1].v: Invalid value: 1: failed rule: self >= oldSelf"],
  ],
  ["items of other lists are always new", { plain: [1] }, { plain: [2] }, []],
])("evaluateRules: transitions: %s", (_, old, value, errors) => {
  const before = old && { old: { spec: old } };
  expect(evaluate(changing, { spec: value }, before).errors).toEqual(errors);
});

const ratcheting: JSONSchemaProps = {
  type: "object",
  properties: {
    kind: { ...text, ...rules("self == 'x'") },
    spec: {
      type: "object",
      properties: {
        n: { ...integer, ...rules("self > 10") },
        l: { type: "array", items: { ...integer, ...rules("self > 10") } },
        other: integer,
      },
      ...rules("!has(self.n) || self.n > 5"),
    },
  },
};

test("evaluateRules: what did not change is only warned of", () => {
  const old = { kind: "K", spec: { n: 1, l: [1], other: 1 } };
  const same = evaluate(ratcheting, old, { old });
  expect(same).toMatchObject({
    errors: [`kind: Invalid value: "K": failed rule: self == 'x'`],
    warnings: [
      "spec: Invalid value: failed rule: !has(self.n) || self.n > 5",
      "spec.n: Invalid value: 1: failed rule: self > 10",
      "spec.l[0]: Invalid value: 1: failed rule: self > 10",
    ],
  });
  const changed = evaluate(ratcheting, { kind: "K", spec: { n: 1, l: [1, 2], other: 2 } }, { old });
  expect(changed).toMatchObject({
    errors: [
      expect.stringContaining("kind: "),
      "spec: Invalid value: failed rule: !has(self.n) || self.n > 5",
      "spec.l[0]: Invalid value: 1: failed rule: self > 10",
      "spec.l[1]: Invalid value: 2: failed rule: self > 10",
    ],
    warnings: ["spec.n: Invalid value: 1: failed rule: self > 10"],
  });
});

const exhausted =
  "validation failed due to running out of cost budget, no further validation rules will be run";
test("evaluateRules: all rules share a budget", () => {
  const schema = ofSpec(
    { n: { ...integer, ...rules("false") } },
    "self.n > 0",
    "self.n > 0",
    "false",
  );
  expect(evaluate(schema, { spec: { n: 1 } }).left).toBe(10_000_000 - 6);
  expect(evaluate(schema, { spec: { n: 1 } }, { budget: 5 })).toEqual({
    errors: [`spec: Invalid value: "object": ${exhausted}`],
    warnings: [],
    left: -1,
  });
  expect(evaluate(schema, { spec: { n: 1 } }, { budget: 6 }).errors).toEqual([
    "spec: Invalid value: failed rule: false",
    `spec.n: Invalid value: "integer": ${exhausted}`,
  ]);
});

test("evaluateRules: a call that costs too much ends it all", () => {
  const schema = ofSpec(
    { l: { type: "array", items: integer } },
    { rule: "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))", message: "costly" },
    "false",
  );
  const value = { spec: { l: Array.from({ length: 200 }, (_, i) => i) } };
  expect(evaluate(schema, value).errors).toEqual([
    `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: costly`,
  ]);
});

test("evaluateRules: what has no type cannot have rules", () => {
  const items = { "x-kubernetes-preserve-unknown-fields": true, ...rules("true") };
  const tree = ruleTree({ type: "array", items }, { isResource: false });
  const at = At.root().child("default");
  if (tree) evaluateRules(tree, { value: [1] }, { at });
  expect(at.errors).toMatchObject([
    {
      field: "default[0]",
      message:
        'Invalid value: "": rule compiler initialization error: failed to convert to declType for CEL validation rules',
    },
  ]);
});

test("ruleTree: a schema without rules has none", () => {
  expect(ruleTree({ type: "object", properties: { a: text } }, { isResource: true })).toBe(
    undefined,
  );
});
