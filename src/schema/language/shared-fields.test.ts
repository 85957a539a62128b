import { describe, expect, test } from "vitest";
import { bytesOfFields, sharedFields, textOfFields } from "./shared-fields.ts";

describe("sharedFields", () => {
  const text = '{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}';

  test("are the same for the same text, and nobody can change them", () => {
    const fields = sharedFields(text);
    expect(sharedFields(text)).toBe(fields);
    expect(JSON.stringify(fields)).toBe(text);
    const { "f:metadata": metadata } = fields as { "f:metadata": Record<string, unknown> };
    expect(() => Object.assign(metadata, { "f:name": {} })).toThrow(TypeError);
  });
  test("know their text and its bytes", () => {
    expect(textOfFields(sharedFields(text))).toBe(text);
    expect(textOfFields({ "f:metadata": {} })).toBe(undefined);
    expect(new TextDecoder().decode(bytesOfFields(sharedFields(text)))).toBe(text);
    expect(bytesOfFields({ "f:metadata": {} })).toBe(undefined);
  });
  test("are not kept where there are too many, nor where they are large", () => {
    const first = sharedFields(text);
    for (let i = 0; i < 1000; i++) sharedFields(`{"f:n${i}":{}}`);
    expect(sharedFields(text)).not.toBe(first);
    expect(sharedFields(text)).toEqual(first);
    const large = `{"f:${"n".repeat(20_000)}":{}}`;
    expect(sharedFields(large)).not.toBe(sharedFields(large));
  });
});
