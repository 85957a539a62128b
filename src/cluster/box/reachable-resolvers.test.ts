import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { reachableResolvers } from "./reachable-resolvers.ts";

const stub = "# stub\nnameserver 127.0.0.53\noptions edns0\nsearch lan\n";

each<[name: string, texts: readonly string[], expected: string]>([
  ["servers elsewhere", ["nameserver 10.0.0.1\n", ""], "nameserver 10.0.0.1\n"],
  ["a stub of systemd", [stub, "nameserver 10.0.0.1\n"], "nameserver 10.0.0.1\n"],
  [
    "one of several",
    ["nameserver ::1\nnameserver 10.0.0.1\nsearch lan\n"],
    "nameserver 10.0.0.1\nsearch lan\n",
  ],
  ["none", [stub, ""], "# stub\noptions edns0\nsearch lan\n"],
  ["no file", ["", ""], ""],
])("reachableResolvers: %s", (_, texts, expected) => {
  expect(reachableResolvers(texts)).toBe(expected);
});
