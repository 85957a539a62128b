import { expect, test } from "vitest";
import { boolType, nullType, stringType } from "../../../cel/checking/cel-type.ts";
import { createAdmissionCompiler, type ExpressionScope } from "./admission-expression.ts";
import { MutatingAdmissionPolicy } from "./mutating-admission-policy.ts";
import { creationErrors } from "./outcome.test-support.ts";
import { ValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

const everything: ExpressionScope = { hasParams: true, hasAuthorizer: true, hasPatchTypes: true };

/** What is wrong with an expression that must be true or false, on one line. */
function faultOf(expression: string, scope: Partial<ExpressionScope> = {}): string | undefined {
  const compiler = createAdmissionCompiler({ hasVariables: false });
  const compiled = compiler.compile(expression, [boolType], { ...everything, ...scope });
  if ("program" in compiled) return undefined;
  return Object.values(compiled).join("").split("\n")[0]?.replace("ERROR: <input>:", "");
}

const compiles = { program: expect.anything() };

const undeclared = (name: string) =>
  `compilation failed: 1:1: undeclared reference to '${name}' (in container '')`;

test.each<[rule: string, expression: string, scope: Partial<ExpressionScope>, fault?: string]>([
  ["the object can be anything", "object.spec.replicas > oldObject.spec.replicas", {}],
  ["the request is known", "request.operation == 'CREATE' && request.kind.kind == 'Pod'", {}],
  [
    "who asks is known",
    "'a' in request.userInfo.groups && request.userInfo.extra['k'][0] == 'v'",
    {},
  ],
  ["options can be anything", "request.options.x == 1", {}],
  [
    "a field that requests have not",
    "request.nope",
    {},
    "compilation failed: 1:8: undefined field 'nope'",
  ],
  ["the namespace is known", "namespaceObject.metadata.labels['a'] == 'b'", {}],
  [
    "its times are times",
    "namespaceObject.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
    {},
  ],
  [
    "a field that namespaces have not",
    "has(namespaceObject.metadata.uid)",
    {},
    "compilation failed: 1:4: undefined field 'uid'",
  ],
  ["parameters", "params.x == 1", {}],
  ["parameters where there are none", "params.x == 1", { hasParams: false }, undeclared("params")],
  ["authorization", "authorizer.path('/').check('get').allowed()", {}],
  ["authorization of the request", "authorizer.requestResource.check('delete').allowed()", {}],
  [
    "authorization where there is none",
    "authorizer.path('/').check('get').allowed()",
    { hasAuthorizer: false },
    undeclared("authorizer"),
  ],
  ["variables where there are none", "variables.x", {}, undeclared("variables")],
  ["objects to be applied", "Object{spec: Object.spec{replicas: 1}}.spec == null", {}],
  ["operations of a patch", "JSONPatch{op: 'add', path: '/a', value: 1}.op == 'add'", {}],
  [
    "an operation of a patch with another field",
    "JSONPatch{nope: 1}.op == ''",
    {},
    "compilation failed: 1:15: expected type of field 'nope' is '' but provided type is 'int'",
  ],
  [
    "an operation of a patch with a wrong type",
    "JSONPatch{op: 1}.op == ''",
    {},
    "compilation failed: 1:13: expected type of field 'op' is 'string' but provided type is 'int'",
  ],
  ["keys in paths", "jsonpatch.escapeKey('a/b') == 'a~1b'", {}],
  [
    "no changes where nothing is changed",
    "Object{} == null",
    { hasPatchTypes: false },
    "compilation failed: 1:7: undeclared reference to 'Object' (in container '')",
  ],
  ["something that is no bool", "'x'", {}, "must evaluate to bool but got string"],
  ["anything is no bool", "object.x", {}, "must evaluate to bool but got dyn"],
  [
    "a constant that cannot be converted",
    "int('a') == 1",
    {},
    "program instantiation failed: type conversion error from 'string' to 'int'",
  ],
])("createAdmissionCompiler: %s", (_, expression, scope, fault) => {
  expect(faultOf(expression, scope)).toBe(fault);
});

test("createAdmissionCompiler: one of several types", () => {
  const { compile } = createAdmissionCompiler({ hasVariables: false });
  const types = [stringType, nullType];
  expect(compile("null", types, everything)).toEqual(compiles);
  expect(compile("'a'", types, everything)).toEqual(compiles);
  expect(compile("1", types, everything)).toEqual({
    invalid: "must evaluate to one of [string null_type] but got int",
  });
});

test("createAdmissionCompiler: a variable has the type of its expression for those that follow", () => {
  const { compile, addVariable } = createAdmissionCompiler({ hasVariables: true });
  expect(compile("variables.a == 1", [boolType], everything)).toEqual({
    invalid: expect.stringContaining("1:10: undefined field 'a'"),
  });
  expect(addVariable("a", "1", everything)).toEqual(compiles);
  expect(addVariable("b", "{'x': [variables.a]}", everything)).toEqual(compiles);
  expect(addVariable("c", "nope", everything)).not.toEqual(compiles);
  expect(compile("variables.b['x'][0] == variables.a", [boolType], everything)).toEqual(compiles);
  expect(compile("variables.a == 'x'", [boolType], everything)).toEqual({
    invalid: expect.stringContaining("applied to '(int, string)'"),
  });
  // What does not compile could be anything.
  expect(compile("variables.c == 'x' && variables.c.y > 1", [boolType], everything)).toEqual(
    compiles,
  );
});

const rule = { operations: ["CREATE"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
const matchConstraints = { resourceRules: [rule] };

test("ValidatingAdmissionPolicy: every expression is compiled, in order", () => {
  const spec = {
    matchConstraints,
    matchConditions: [{ name: "c", expression: " nope " }],
    variables: [{ name: "v", expression: "params.x" }],
    validations: [{ expression: "variables.v", messageExpression: "authorizer.path('/')" }],
    auditAnnotations: [{ key: "k", valueExpression: " 1 " }],
  };
  const errors = creationErrors(ValidatingAdmissionPolicy, { spec });
  expect(errors.map((error) => error.split("\n")[0])).toEqual([
    `spec.matchConditions[0].expression: Invalid value: "nope": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')`,
    `spec.variables[0].expression: Invalid value: "params.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')`,
    `spec.validations[0].expression: Invalid value: "variables.v": must evaluate to bool but got dyn`,
    `spec.validations[0].messageExpression: Invalid value: "authorizer.path('/')": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')`,
    `spec.auditAnnotations[0].valueExpression: Invalid value: " 1 ": must evaluate to one of [string null_type] but got int`,
  ]);
});

test("MutatingAdmissionPolicy: a change is of the type that its kind asks for", () => {
  const spec = {
    matchConstraints,
    reinvocationPolicy: "Never",
    variables: [{ name: "n", expression: "1" }],
    mutations: [
      { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object.spec{}" } },
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{spec: Object.spec{replicas: variables.n}}" },
      },
      {
        patchType: "JSONPatch",
        jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/a'}]" },
      },
      { patchType: "JSONPatch", jsonPatch: { expression: "[]" } },
    ],
  };
  expect(creationErrors(MutatingAdmissionPolicy, { spec })).toEqual([
    `spec.mutations[0].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec`,
    `spec.mutations[3].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)`,
  ]);
});
