import { expect, test } from "vitest";
import {
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isDomainPrefixedKey,
  isDomainPrefixedPath,
  isEnvVarName,
  isFullyQualifiedDomainName,
  isFullyQualifiedName,
  isHttpHeaderName,
  isInRange,
  isLongNameCaseless,
  isQualifiedName,
  isRelaxedEnvVarName,
  isShortName,
  isValidLabelValue,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
  isValidUserId,
  isWildcardDns1123Subdomain,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  pathSegmentName,
} from "./names.ts";

const a = (count: number) => "a".repeat(count);

/** Which of the values a check takes. */
function accepted(check: (value: string) => readonly unknown[], values: readonly string[]) {
  return values.filter((value) => check(value).length === 0);
}

test.each([
  {
    check: isDns1123Label,
    good: ["a", "ab", "a1", "a--1--2--b", "0", "01", "1-1", "a".repeat(63)],
    bad: ["", "A", "aBc", "-", "a-", "-a", "_a", "a.b", "a b", "ü", "a\n", "a".repeat(64)],
  },
  {
    check: isDns1123Subdomain,
    good: ["a", "0.0", "a.b-c.1", "a--b.c", "a".repeat(253)],
    bad: ["", "A", "a.", ".a", "a..b", "a-.b", "a.-b", "a_b", "a.B", "a".repeat(254)],
  },
  {
    check: isDns1123SubdomainWithUnderscore,
    good: ["_a.b", "a_b.c", "a"],
    bad: ["__a", "a_", "", "A"],
  },
  {
    check: isDns1035Label,
    good: ["a", "a-1", "a1b"],
    bad: ["", "1", "1a", "a-", "-a", "a.b", "A", "a".repeat(64)],
  },
  {
    check: isWildcardDns1123Subdomain,
    good: ["*.example.com", "*.a"],
    bad: ["*", "*.", "*.*.bar.com", "f*.bar.com", "*bar.com", "example.com"],
  },
  {
    check: isQualifiedName,
    good: ["simple", "now-with-dashes", "1.2.3.4/5678", "Uppercase_Is.OK-1", "a.b/C", a(63)],
    bad: ["", "-a", "a/", "/a", "a/b/c", "A/b", "only/slash/", "a b", "ü", a(64), `${a(254)}/b`],
  },
  {
    check: isValidLabelValue,
    good: ["", "a", "A_b.c-1", a(63)],
    bad: ["-a", "a-", "a b", "a/b", "ü", a(64)],
  },
  {
    check: isConfigMapKey,
    good: ["a", ".a", "A_B-c.d", "...a".slice(2), a(253)],
    bad: ["", ".", "..", "..a", "a/b", "a b", a(254)],
  },
  {
    check: isEnvVarName,
    good: ["a", "A.b-c_1", "_", "-", ".a"],
    bad: ["", "1a", ".", "..", "..a", "a=b", "a b"],
  },
  { check: isRelaxedEnvVarName, good: ["1a", "a b", "!~", ".."], bad: ["", "a=b", "ü", "a\t"] },
  { check: isCIdentifier, good: ["a", "_", "A_1"], bad: ["", "1a", "a-b", "a.b"] },
  { check: isHttpHeaderName, good: ["Accept-Encoding", "X1"], bad: ["", "a:b", "a_b", "a b"] },
  { check: isValidPercent, good: ["0%", "9999%"], bad: ["", "%", "1", "-1%", "1.5%", "1%%"] },
  {
    check: isValidPortName,
    good: ["telnet", "re-mail-ck", "pop3", "a", "a-1"],
    bad: ["", "1", "-a", "a-", "a--b", "A", "a".repeat(16), "a_b"],
  },
  { check: isShortName, good: ["a"], bad: ["a.b", ""] },
  { check: isLongNameCaseless, good: ["Example.COM"], bad: ["a_b", ""] },
  {
    check: isFullyQualifiedName,
    good: ["dev.k8s.io", "a.b.c"],
    bad: ["", "k8s.io", "a.b.c.", "a..c"],
  },
  {
    check: isFullyQualifiedDomainName,
    good: ["k8s.io", "k8s.io.", "a.b.c"],
    bad: ["", "a", ".", "a..", `${a(64)}.b`],
  },
  {
    check: isDomainPrefixedPath,
    good: ["a/b", "acme.io/foo/bar", "a/b:c%20~"],
    bad: ["", "a", "a/", "/a", "A/b", "a/b c", "a/ü"],
  },
  { check: isDomainPrefixedKey, good: ["a/b"], bad: ["", "a", "a/b/c", "A/b"] },
])("$check.name: takes the good and refuses the bad", ({ check, good, bad }) => {
  expect(accepted(check, [...good, ...bad])).toEqual(good);
});

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test.each([
  [isDns1123Label("A"), [labelText]],
  [isDns1123Label("a.b"), ["must not contain dots"]],
  [isDns1123Label(`${a(64)}_`), ["must be no more than 63 characters", labelText]],
  [isShortName(a(64)), ["must be no more than 63 bytes"]],
  [isDns1123Label("ü".repeat(32)), ["must be no more than 63 characters", labelText]],
  [isDns1123Label("ü".repeat(31)), [labelText]],
  [isDns1123Label("日".repeat(21)), [labelText]],
  [isDns1123Label("😀".repeat(16)), ["must be no more than 63 characters", labelText]],
  [isQualifiedName(""), ["name part must be non-empty", `name part ${keyText}`]],
  [
    isQualifiedName("/"),
    ["prefix part must be non-empty", "name part must be non-empty", `name part ${keyText}`],
  ],
  [isQualifiedName(`${a(254)}/b`), ["prefix part must be no more than 253 bytes"]],
  [isQualifiedName("A/b"), [`prefix part ${subdomainText}`]],
  [
    isQualifiedName("a/b/c"),
    [
      `a valid label key ${keyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
  [isValidLabelValue(a(64)), ["must be no more than 63 bytes"]],
  [isConfigMapKey(".."), ["must not be '..'"]],
  [isEnvVarName("..a"), ["must not start with '..'"]],
  [isRelaxedEnvVarName(""), ["environment variable name must be non-empty"]],
  [
    isValidPortName("--"),
    [
      "must contain at least one letter (a-z)",
      "must not contain consecutive hyphens",
      "must not begin or end with a hyphen",
    ],
  ],
  [isValidPortNum(0), ["must be between 1 and 65535, inclusive"]],
  [isValidUserId(2147483647), []],
  [isValidUserId(2147483648), ["must be between 0 and 2147483647, inclusive"]],
  [isInRange(-1, 0, 5), ["must be between 0 and 5, inclusive"]],
  [pathSegmentName("."), ["may not be '.'"]],
  [pathSegmentName(".", true), []],
  [pathSegmentName("a/%"), ["may not contain '/'", "may not contain '%'"]],
  [nameIsDnsSubdomain("a.b-", true), []],
  [nameIsDnsSubdomain("a.b-"), [subdomainText]],
  [nameIsDnsSubdomain("-", true), [subdomainText]],
  [nameIsDnsSubdomain("ü-", true), [subdomainText]],
  [nameIsDnsSubdomain("a--", true), []],
  [nameIsDnsLabel(`${a(63)}-`, true), []],
  [nameIsDnsLabel(`${a(64)}-`, true), ["must be no more than 63 characters"]],
  [isFullyQualifiedName(""), [{ type: "Required", value: "", detail: "" }]],
  [
    isFullyQualifiedDomainName("a."),
    [
      {
        type: "Invalid",
        value: "a",
        detail: "should be a domain with at least two segments separated by dots",
      },
    ],
  ],
  [
    isDomainPrefixedPath("a/b c"),
    [
      {
        type: "Invalid",
        value: "b c",
        detail: "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      },
    ],
  ],
])("names: messages are Kubernetes' own, case %#", (got, want) => {
  expect(got).toEqual(want);
});
