import { expect, test } from "vitest";
import { parseInterfaceCounters, parseInterfaces } from "./parse-interfaces.ts";

test("parseInterfaces: the pod's interface first, and no loopback", () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
  net1:       7       1    2    0    0     0          0         0        8       1    3    0    0     0       0          0
  eth0:    1426      19    0    5    0     0          0         0      516       6    1    4    0     0       0          0
`;
  expect(parseInterfaces(text)).toEqual([
    { name: "eth0", rxBytes: 1426, rxErrors: 0, txBytes: 516, txErrors: 1 },
    { name: "net1", rxBytes: 7, rxErrors: 2, txBytes: 8, txErrors: 3 },
  ]);
  const [first] = parseInterfaceCounters(text);
  expect(first).toMatchObject({ rxPackets: 19, rxDropped: 5, txPackets: 6, txDropped: 4 });
});
