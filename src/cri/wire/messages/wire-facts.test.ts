import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Message, MessageField } from "../../../base/protobuf-message.ts";
import { imageMethods } from "./image-methods.ts";
import { runtimeMethods } from "./runtime-methods.ts";

interface Facts {
  readonly services: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Number, type and name of each field. */
  readonly messages: Readonly<Record<string, readonly (readonly [number, string, string])[]>>;
}

const url = new URL("../../../../test/facts/cri.json", import.meta.url);
const facts = JSON.parse(readFileSync(url, "utf8")) as Facts;

/** Compares a message with upstream's and what it contains; every message once. */
function compare(name: string, declared: Message<unknown>, seen: Map<string, Message<unknown>>) {
  if (seen.has(name)) return expect(declared, name).toBe(seen.get(name));
  seen.set(name, declared);
  const fields = facts.messages[name] ?? [];
  const byName = Object.entries(declared.fields);
  expect(byName.map(([field, { tag }]) => [tag, field]).sort()).toEqual(
    fields.map(([tag, , field]) => [tag, field]).sort(),
  );
  for (const [, type, field] of fields) {
    const is = declared.fields[field] as MessageField<unknown>;
    const of = type.replace("repeated ", "");
    const place = `${name}.${field}`;
    expect(is.isRepeated, place).toBe(type !== of || of.startsWith("map<"));
    if (Object.hasOwn(facts.messages, of)) {
      const inner = is.type.inner?.();
      expect(inner, place).toBeDefined();
      if (inner) compare(of, inner, seen);
    } else if (Object.hasOwn(facts.enums, of))
      expect(enumNames(is.type.numbers ?? {}), place).toEqual(enumNames(facts.enums[of] ?? {}));
    else expect(typeNames[of], place).toContain(is.type.name);
  }
}

/** Our types of each of protobuf's. */
const typeNames: Readonly<Record<string, readonly string[]>> = {
  string: ["string"],
  bytes: ["bytes"],
  bool: ["bool"],
  double: ["double"],
  int32: ["int"],
  uint32: ["int"],
  int64: ["int", "int64"],
  uint64: ["uint64"],
  "map<string,string>": ["map"],
};

/** The names of an enum without prefixes and case, by number. */
const enumNames = (numbers: Readonly<Record<string, number>>) =>
  Object.entries(numbers)
    .sort(([, a], [, b]) => a - b)
    .map(([name, number]) => [
      name
        .replace(/^(?:PROPAGATION|SANDBOX|CONTAINER)_|_EVENT$|^RUNTIME_DEFAULT$/g, "")
        .replace("PLUS", "+")
        .replace("MINUS", "-")
        .replaceAll("_", "")
        .toLowerCase(),
      number,
    ]);

test("the methods, messages and enums of CRI are upstream's, and all are here", () => {
  const seen = new Map<string, Message<unknown>>();
  for (const [service, methods] of [
    ["RuntimeService", runtimeMethods],
    ["ImageService", imageMethods],
  ] as const) {
    const expected = Object.entries(facts.services[service] ?? {});
    expect(Object.values(methods).map(({ path }) => path)).toEqual(
      expected.map(([name]) => `/runtime.v1.${service}/${name}`),
    );
    for (const [i, { request, response, isStreaming }] of Object.values(methods).entries()) {
      const [name, [requestName, responseName]] = expected[i] ?? ["", ["", ""]];
      compare(requestName, request as Message<unknown>, seen);
      compare(responseName.replace("stream ", ""), response as Message<unknown>, seen);
      expect(isStreaming, name).toBe(responseName.startsWith("stream "));
    }
  }
  expect([...seen.keys()].sort()).toEqual(Object.keys(facts.messages).sort());
});
