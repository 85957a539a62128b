import { expect, test } from "vitest";
import { defaultDevices } from "./uplink-mtu.ts";

test("defaultDevices: the interfaces of the default routes of both families", () => {
  const ipv4 = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
tun0\t00000000\t010200C0\t0003\t0\t0\t0\t00000080\t0\t0\t0
eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
`;
  const zero = "0".repeat(32);
  const ipv6 = `${zero} 00 ${zero} 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth2
${zero} 00 ${zero} 00 ${zero} ffffffff 00000001 00000000 00200200       lo
fd000000000000000000000000000000 40 ${zero} 00 ${zero} 00000100 00000001 00000000 00000001     eth3
`;
  expect(defaultDevices(ipv4, ipv6)).toEqual(["eth0", "eth2"]);
  expect(defaultDevices("", "")).toEqual([]);
});
