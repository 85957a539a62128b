import { expect, test } from "vitest";
import { ipBytes } from "./x509-ip.ts";

test.each([
  ["10.0.0.1", "0a000001"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["2001:db8::8a2e:7334", "20010db80000000000000000" + "8a2e7334"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["fe80::", "fe800000000000000000000000000000"],
  ["::ffff:192.0.2.1", "00000000000000000000ffffc0000201"],
])("ipBytes: %s", (address, wanted) => {
  expect(Buffer.from(ipBytes(address)).toString("hex")).toEqual(wanted);
});

test.each(["", "localhost", "1.2.3", "fe80::1%eth0", "12345::"])("ipBytes: rejects %j", (text) => {
  expect(() => ipBytes(text)).toThrow("not an IP address");
});
