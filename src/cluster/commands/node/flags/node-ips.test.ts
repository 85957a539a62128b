import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { readNodeIps } from "./node-ips.ts";

const pair = "must contain either a single IP or a dual-stack pair of IPs";

each<[text: string, ips: readonly string[], invalid: readonly string[], problem?: string]>([
  ["", [], []],
  ["192.0.2.1", ["192.0.2.1"], []],
  ["::", ["::"], []],
  [" 192.0.2.1 , 2001:DB8::1", ["192.0.2.1", "2001:db8::1"], []],
  ["node,192.0.2.1", ["192.0.2.1"], ["node"]],
  ["192.0.2.1,192.0.2.2", ["192.0.2.1", "192.0.2.2"], [], pair],
  ["192.0.2.1,::1,::2", ["192.0.2.1", "::1", "::2"], [], pair],
  [
    "0.0.0.0,2001:db8::1",
    ["0.0.0.0", "2001:db8::1"],
    [],
    "dual-stack node IP cannot include '0.0.0.0' or '::'",
  ],
])("readNodeIps: %j", (text, ips, invalid, problem) => {
  expect(readNodeIps(text)).toEqual({ ips, invalid, ...(problem && { problem }) });
});
