import { expect, test } from "vitest";
import { steadyShapes } from "./steady-shapes.mjs";

test.for([
  ["f({ ...pod, status })", "f({ ...null, ...pod, status })"],
  ["({...a,b:{...c}})", "({...null, ...a,b:{...null, ...c}})"],
  ["x = {\n  ...a,\n};", "x = {\n  ...null, ...a,\n};"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source that is looked at
  ["`${f({ ...a })}{ ...b }`", "`${f({ ...null, ...a })}{ ...b }`"],
  // What does not begin with a spread stays as it is.
  ["({ a, ...b })", "({ a, ...b })"],
  ["f([...a], ...b)", "f([...a], ...b)"],
  ["const { a, ...b } = c;", "const { a, ...b } = c;"],
  // So does what is no code.
  ['"{ ...a }" // { ...b }', '"{ ...a }" // { ...b }'],
  ["/{ ...a }/.test(b)", "/{ ...a }/.test(b)"],
] as const)("%s", ([source, expected]) => {
  expect(steadyShapes(source)).toBe(expected);
});
