import { afterEach, expect, test, vi } from "vitest";
import { literal, replaceable, Source } from "./generate.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("replaceable: what is used seldom is interpreted, what is used often generated, once", () => {
  const used: string[] = [];
  let generated = 0;
  const double = replaceable(
    (n: number) => {
      used.push("interpreted");
      return n * 2;
    },
    () => {
      generated++;
      return (n: number) => {
        used.push("generated");
        return n * 2;
      };
    },
  );
  for (let i = 0; i < 1000; i++) expect(double.run(i)).toBe(i * 2);
  expect(used[0]).toBe("interpreted");
  expect(used.at(-1)).toBe("generated");
  expect(generated).toBe(1);
});

test("replaceable: where nothing is generated, it is interpreted on", () => {
  const half = replaceable(
    (n: number) => n / 2,
    () => undefined,
  );
  for (let i = 0; i < 1000; i++) expect(half.run(i)).toBe(i / 2);
});

test("Source: a function uses values by their names, the same by one", () => {
  const source = new Source();
  const add = source.use((a: number, b: number) => a + b, "add-up");
  const seven = source.use(7, "seven");
  expect(source.use(7, "again")).toBe(seven);
  const f = source.toFunction<(n: number) => number>(`(n) => ${add}(n, ${seven})`);
  expect(f?.(1)).toBe(8);
});

test("Source: there is no function where none may be made", () => {
  vi.stubGlobal("Function", function refused() {
    throw new EvalError("refused by the policy of the page");
  });
  expect(new Source().toFunction("() => 1")).toBe(undefined);
});

test("literal: a text stays what it is", () => {
  for (const text of ["", 'a"b', "\u2028\\\n", "`"])
    expect(new Source().toFunction<() => string>(`() => ${literal(text)}`)?.()).toBe(text);
});
