import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { formatDns } from "./resolv-conf.ts";

each<[Parameters<typeof formatDns>[0], string]>([
  [{ servers: [], searches: [], options: [] }, ""],
  [
    { servers: ["10.0.0.10", "10.0.0.11"], searches: ["a.b", "c"], options: ["ndots:5"] },
    "search a.b c\nnameserver 10.0.0.10\nnameserver 10.0.0.11\noptions ndots:5\n",
  ],
])("formatDns: %j", (dns, text) => {
  expect(formatDns(dns)).toBe(text);
});
