import { isMembers, type Members } from "../values.ts";
import type { Definition, Version } from "./manifests.ts";

/**
 * Two objects of a version, made from its schema: with what is required, and with all fields down to
 * some depth. They are often invalid, as patterns and rules are not looked at.
 */
export function sampleObjects({ spec }: Definition, version: Version): readonly Members[] {
  const schema = version.schema?.openAPIV3Schema ?? {};
  return ["least", "most"].map((name, i) => {
    const { metadata: _, ...made } = sample(schema, i === 0 ? 0 : 5) as Members;
    return {
      ...made,
      apiVersion: `${spec.group}/${version.name}`,
      kind: spec.names.kind,
      metadata: { name },
    };
  });
}

/** A value of a schema; fields that are not required are left out below `depth`. */
function sample(schema: Members, depth: number): unknown {
  if (Array.isArray(schema.enum)) return schema.enum.find((value) => value !== "") ?? "";
  if (schema["x-kubernetes-int-or-string"] === true) return depth % 2 === 0 ? 5 : "50%";
  switch (schema.type) {
    case "object":
      return sampleMap(schema, depth);
    case "array":
      return [sample(isMembers(schema.items) ? schema.items : {}, depth - 1)];
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return Number(schema.minimum ?? schema.maximum ?? 1);
    case "boolean":
      return true;
    default:
      return { any: [1, "two"] };
  }
}

function sampleMap(schema: Members, depth: number): Members {
  const properties = isMembers(schema.properties) ? schema.properties : {};
  const required = (schema.required ?? []) as readonly string[];
  const kept = Object.entries(properties).filter(
    ([name, held]) =>
      required.includes(name) || (depth > 0 && isMembers(held) && !("default" in held)),
  );
  const made = Object.fromEntries(
    kept.map(([name, held]) => [name, sample(held as Members, depth - 1)]),
  );
  if (isMembers(schema.additionalProperties) && depth > 0)
    return { ...made, key: sample(schema.additionalProperties, depth - 1) };
  return made;
}

const texts: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  duration: "1h5m",
  byte: "aGVsbG8=",
  uri: "https://example.com/a",
  ipv4: "10.1.2.3",
  ipv6: "fd00::1",
  cidr: "10.0.0.0/8",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleText({ format, pattern, minLength }: Members): string {
  const text = texts[String(format)] ?? candidates.find((held) => matches(held, pattern)) ?? "text";
  return text.padEnd(Number(minLength ?? 0), "x");
}

const candidates = [
  "text",
  "5m",
  "10",
  "1h",
  "https://example.com",
  "a/b",
  "a.example.com",
  "A",
  "/",
];

function matches(text: string, pattern: unknown): boolean {
  try {
    return typeof pattern !== "string" || new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}
