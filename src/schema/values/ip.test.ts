import { expect, test } from "vitest";
import {
  contains,
  formatCidr,
  formatIp,
  getWarningsForCidr,
  getWarningsForIp,
  isValidCidr,
  isValidCidrForLegacyField,
  isValidInterfaceAddress,
  isValidIp,
  isValidIpForLegacyField,
  masked,
  parseCidr,
  parseCidrSloppy,
  parseIp,
  parseIpSloppy,
} from "./ip.ts";

test.each([
  ["1.2.3.4", "1.2.3.4"],
  ["255.255.255.255", "255.255.255.255"],
  ["0.0.0.0", "0.0.0.0"],
  ["::", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["0001:002:03:4::", "1:2:3:4::"],
  ["1234::ABCD", "1234::abcd"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
  ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
  ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ["fe80::1%eth0", "fe80::1%eth0"],
])("parseIp: %s is written %s", (text, want) => {
  const ip = parseIp(text);
  expect(ip && formatIp(ip)).toBe(want);
});

test("parseIp: refuses what is no address", () => {
  const bad = [
    ...["", "aaaa", "1.2.3", "1.2.3.4.5", "1.2.3.400", "-1.0.0.0", "1.2.3.4:80", "1.2.3.4%eth0"],
    ...[":", ":::", "1:", ":1", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::g", "::1%"],
    ...[
      "1:2:3:4:5:6:7::8",
      "2001:db8::10005",
      "[::1]",
      "1.2.3.4::",
      "::1.2.3",
      "01.2.3.4",
      "::00001",
    ],
  ];
  expect(bad.filter((text) => parseIp(text) !== undefined)).toEqual([]);
});

test("parseIpSloppy: leading zeros count for nothing, and zones do not exist", () => {
  const written = ["010.002.3.004", "::00001", "::ffff:01.2.3.4", "fe80::1%eth0"].map((text) => {
    const ip = parseIpSloppy(text);
    return ip && formatIp(ip);
  });
  expect(written).toEqual(["10.2.3.4", "::1", "::ffff:1.2.3.4", undefined]);
});

const noIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

test.each([
  { value: "1.2.3.4", now: [], strict: [], lenient: [] },
  { value: "0:0:0:0:0:0:0:0", now: ['must be in canonical form ("::")'], strict: [], lenient: [] },
  {
    value: "1.1.1.01",
    now: ["must not have leading 0s"],
    strict: ["must not have leading 0s"],
    lenient: [],
  },
  {
    value: "::ffff:1.1.1.1",
    now: ["must not be an IPv4-mapped IPv6 address"],
    strict: ["must not be an IPv4-mapped IPv6 address"],
    lenient: [],
  },
  { value: "1234::abcd%eth0", now: [noIp], strict: [noIp], lenient: [noIp] },
  { value: "1.2.3.0/24", now: [noIp], strict: [noIp], lenient: [noIp] },
])("isValidIp: $value by three rules", ({ value, ...want }) => {
  const got = {
    now: isValidIp(value),
    strict: isValidIpForLegacyField(value, { strict: true }),
    lenient: isValidIpForLegacyField(value, { strict: false }),
  };
  expect(got).toEqual(want);
});

test("isValidIpForLegacyField: an old value stays valid", () => {
  expect(isValidIpForLegacyField("01.2.3.4", { strict: true, validOld: ["01.2.3.4"] })).toEqual([]);
});

const noCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const zeros = "must not have leading 0s in IP or prefix length";
const hostBits = "must not have bits set beyond the prefix length";

test.each([
  { value: "1.0.0.0/8", now: [], strict: [], lenient: [] },
  { value: "::1/128", now: [], strict: [], lenient: [] },
  { value: "a:B::/64", now: ['must be in canonical form ("a:b::/64")'], strict: [], lenient: [] },
  { value: "1.1.01.0/24", now: [zeros], strict: [zeros], lenient: [] },
  { value: "1.0.0.0/08", now: [zeros], strict: [zeros], lenient: [] },
  {
    value: "::ffff:1.2.3.0/120",
    now: ["must not have an IPv4-mapped IPv6 address"],
    strict: ["must not have an IPv4-mapped IPv6 address"],
    lenient: [],
  },
  { value: "1.2.3.4/24", now: [hostBits], strict: [hostBits], lenient: [] },
  { value: "1.2.3.4", now: [noCidr], strict: [noCidr], lenient: [noCidr] },
  { value: "1.2.3.0/33", now: [noCidr], strict: [noCidr], lenient: [noCidr] },
  { value: "1.2.3.0/-1", now: [noCidr], strict: [noCidr], lenient: [noCidr] },
  { value: "::/129", now: [noCidr], strict: [noCidr], lenient: [noCidr] },
  { value: "fe80::%a/64", now: [noCidr], strict: [noCidr], lenient: [noCidr] },
])("isValidCidr: $value by three rules", ({ value, ...want }) => {
  const got = {
    now: isValidCidr(value),
    strict: isValidCidrForLegacyField(value, { strict: true }),
    lenient: isValidCidrForLegacyField(value, { strict: false }),
  };
  expect(got).toEqual(want);
});

test.each([
  ["1.2.3.4/24", []],
  ["2001:db8::1/64", []],
  ["::ffff:192.168.0.1/120", ['must be in canonical form ("192.168.0.1/24")']],
  ["01.2.3.4/024", ['must be in canonical form ("1.2.3.4/24")']],
  ["1.2.3.4", ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"]],
])("isValidInterfaceAddress: %s", (value, want) => {
  expect(isValidInterfaceAddress(value)).toEqual(want);
});

test.each([
  [getWarningsForIp("a", "192.12.2.2"), []],
  [
    getWarningsForIp("spec.ip", "192.012.2.2"),
    ['spec.ip: non-standard IP address "192.012.2.2" is invalid: use "192.12.2.2"'],
  ],
  [
    getWarningsForIp("a", "::ffff:192.12.2.2"),
    ['a: non-standard IP address "::ffff:192.12.2.2" is invalid: use "192.12.2.2"'],
  ],
  [
    getWarningsForIp("a", "2001:db8:0:0::2"),
    ['a: IPv6 address "2001:db8:0:0::2" should be in RFC 5952 canonical format ("2001:db8::2")'],
  ],
  [getWarningsForCidr("a", "192.12.2.0/24"), []],
  [
    getWarningsForCidr("a", "192.12.2.8/24"),
    [
      'a: CIDR value "192.12.2.8/24" is ambiguous in this context (should be "192.12.2.0/24" or "192.12.2.8/32"?)',
    ],
  ],
  [
    getWarningsForCidr("a", "::ffff:192.12.2.1/120"),
    [
      'a: CIDR value "::ffff:192.12.2.1/120" is ambiguous in this context (should be "192.12.2.0/24" or "192.12.2.1/128"?)',
      'a: non-standard CIDR value "::ffff:192.12.2.1/120" is invalid: use "192.12.2.0/24"',
    ],
  ],
  [
    getWarningsForCidr("a", "192.12.2.0/024"),
    ['a: non-standard CIDR value "192.12.2.0/024" is invalid: use "192.12.2.0/24"'],
  ],
  [
    getWarningsForCidr("a", "2001:DB8::/64"),
    ['a: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")'],
  ],
])("getWarnings: case %#", (got, want) => {
  expect(got).toEqual(want);
});

test("masked, contains: a network is known by its leading bits", () => {
  const cidr = parseCidr("10.1.2.3/20");
  const six = parseCidrSloppy("2001:db8::1/0");
  const ip = parseIp("10.1.15.9");
  const other = parseIp("10.1.16.0");
  if (!cidr || !six || !ip || !other) throw new Error("does not parse");
  expect([
    formatCidr(masked(cidr)),
    contains(cidr, ip),
    contains(cidr, other),
    contains(six, ip),
    formatCidr(masked(six)),
  ]).toEqual(["10.1.0.0/20", true, false, false, "::/0"]);
});
