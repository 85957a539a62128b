import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { version } from "./custom.test-support.ts";
import { customColumns } from "./custom-columns.ts";

const now = Date.UTC(2026, 0, 1);
const object = {
  metadata: { name: "a", creationTimestamp: "2025-12-31T23:59:00Z" },
  spec: {
    n: 3,
    f: 2.7,
    t: "text",
    b: true,
    list: ["x", "y"],
    o: { k: "<v>" },
    none: null,
    date: "2025-12-31T00:00:00Z",
  },
};

each<[type: string, path: string, cell: unknown]>([
  ["string", ".spec.t", "text"],
  ["string", ".spec.n", "3"],
  ["string", ".spec.list", '["x","y"]'],
  ["string", ".spec.o", '{"k":"\\u003cv\\u003e"}'],
  ["string", ".spec.list[*]", "x"],
  ["string", ".spec.none", "null"],
  ["string", ".spec.absent", null],
  ["string", ".spec.n[0]", null],
  ["integer", ".spec.n", 3],
  ["integer", ".spec.f", 2],
  ["integer", ".spec.t", null],
  ["number", ".spec.f", 2.7],
  ["boolean", ".spec.b", true],
  ["boolean", ".spec.t", null],
  ["date", ".spec.date", "24h"],
  ["date", ".spec.t", "<invalid>"],
  ["date", ".spec.n", null],
])("customColumns: a %s at %s", (type, jsonPath, cell) => {
  const column = { name: "C", type, jsonPath };
  const [, own] = customColumns(version({ additionalPrinterColumns: [column] }) as never);
  expect(own?.cell(object as never, { now })).toEqual(cell);
});

test("customColumns: the age where none are defined", () => {
  const columns = customColumns(version({}) as never);
  expect(
    columns.map((column) => [column.name, column.type, column.cell(object as never, { now })]),
  ).toEqual([
    ["Name", "string", "a"],
    ["Age", "date", "60s"],
  ]);
});

test("customColumns: a path that is none ends the table", () => {
  const column = (name: string, jsonPath: string) => ({ name, type: "string", jsonPath });
  const given = [column("A", ".a"), column("B", ".b["), column("C", ".c")];
  const columns = customColumns(version({ additionalPrinterColumns: given }) as never);
  expect(columns.map(({ name }) => name)).toEqual(["Name", "A"]);
});
