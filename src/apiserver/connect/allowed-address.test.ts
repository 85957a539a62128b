import { expect, test } from "vitest";
import { allowedAddress } from "./allowed-address.ts";

test.each(["10.0.0.1", "192.168.0.1", "8.8.8.8", "fd00::1", "2001:db8::1", "::ffff:10.0.0.1"])(
  "allowedAddress: %s is",
  (address) => {
    expect(() => allowedAddress(address)).not.toThrow();
  },
);

test.each([
  ...["", "host", "127.0.0.1", "127.9.9.9", "0.0.0.0", "255.255.255.255", "169.254.169.254"],
  ...["224.0.0.1", "239.1.2.3", "::", "::1", "fe80::1", "fe80::1%eth0", "febf::1", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:169.254.169.254"],
])("allowedAddress: %j is not", (address) => {
  expect(() => allowedAddress(address)).toThrow("address not allowed");
});
