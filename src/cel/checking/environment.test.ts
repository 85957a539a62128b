import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { showType, structType } from "./cel-type.ts";
import { baseEnvironment, bindings, extendEnvironment } from "./environment.ts";

const environment = extendEnvironment(baseEnvironment(), {
  variables: { authorizer: structType("kubernetes.authorization.Authorizer") },
});

/** The type of an expression, or the first line of its first error. */
function typeOf(text: string): string {
  const compiled = compile(environment, text);
  if (!("error" in compiled)) return showType(compiled.type);
  return (compiled.error.split("\n")[0] ?? "").replace("ERROR: <input>:", "");
}

test.each<[library: string, types: Readonly<Record<string, string>>]>([
  [
    "the language",
    {
      "size('a') + size(b'a') + size([1]) + size({1: 2})": "int",
      "'a'.size() + b'a'.size() + [1].size() + {1: 2}.size()": "int",
      "bool('true')": "bool",
      "bytes('a')": "bytes",
      "double(1) + double(1u) + double('1')": "double",
      "duration('1s') + duration('1s')": "duration",
      "timestamp('2020-01-01T00:00:00Z') - duration('1s')": "timestamp",
      "timestamp('2020-01-01T00:00:00Z') - timestamp('2020-01-01T00:00:00Z')": "duration",
      "int(1.5) + int(1u) + int('1') + int(timestamp(0)) + int(duration('1s'))": "int",
      "uint(1) + uint(1.5) + uint('1')": "uint",
      "string(b'a') + string(1u) + string(duration('1s')) + string(timestamp(0))": "string",
      "'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')": "bool",
      "matches('a', 'b') || 'a'.matches('b')": "bool",
      "timestamp(0).getFullYear() + timestamp(0).getMonth('UTC') + timestamp(0).getDate() + timestamp(0).getDayOfWeek()":
        "int",
      "duration('1h').getHours() + duration('1h').getMinutes() + duration('1h').getSeconds() + duration('1h').getMilliseconds()":
        "int",
      "timestamp(0).getDayOfMonth() + timestamp(0).getDayOfYear() + timestamp(0).getHours('UTC')":
        "int",
    },
  ],
  [
    "values that may be missing",
    {
      "optional.none()": "optional_type(dyn)",
      "optional.ofNonZeroValue('')": "optional_type(string)",
      "optional.of(1).hasValue()": "bool",
      "optional.of(1).or(optional.none())": "optional_type(int)",
      "[1].first()": "optional_type(int)",
      "[1].last()": "optional_type(int)",
      "optional.unwrap([optional.of(1)])": "list(int)",
      "[optional.of('a')].unwrapOpt()": "list(string)",
      "optional.of([1])[0]": "optional_type(int)",
      "optional.of({'a': 1})[?'a']": "optional_type(int)",
    },
  ],
  [
    "strings",
    {
      "'abc'.charAt(1)": "string",
      "'abc'.indexOf('b') + 'abc'.indexOf('b', 1)": "int",
      "'abc'.lastIndexOf('b') + 'abc'.lastIndexOf('b', 2)": "int",
      "'ABC'.lowerAscii() + 'abc'.upperAscii()": "string",
      "'abc'.replace('a', 'b') + 'abc'.replace('a', 'b', 1)": "string",
      "'a,b'.split(',') + 'a,b'.split(',', 1)": "list(string)",
      "'abc'.substring(1) + 'abc'.substring(1, 2)": "string",
      "' a '.trim()": "string",
      "'%s'.format(['a'])": "string",
      "strings.quote('a')": "string",
      "['a', 'b'].join() + ['a', 'b'].join(',')": "string",
    },
  ],
  [
    "strings of later versions",
    {
      "'abc'.reverse()": "1:14: found no matching overload for 'reverse' applied to 'string.()'",
    },
  ],
  [
    "sets",
    {
      "sets.contains([1], [1]) && sets.equivalent([1], [1]) && sets.intersects([1], [1])": "bool",
      "sets.contains([1], ['a'])":
        "1:14: found no matching overload for 'sets.contains' applied to '(list(int), list(string))'",
    },
  ],
  [
    "lists",
    {
      "[1, 2].slice(0, 1)": "list(int)",
      "[[1], [2]].flatten()": "list(int)",
      "[[1], [2]].flatten(2)": "list(dyn)",
      "lists.range(3)": "list(int)",
      "[1].reverse()": "list(int)",
      "[1, 1].distinct()": "list(int)",
      "['b', 'a'].sort()": "list(string)",
      "[1, 2].sortBy(e, -e)": "list(int)",
      "[[1]].sort()": "1:11: found no matching overload for 'sort' applied to 'list(list(int)).()'",
      "[1].isSorted() && ['a'].isSorted()": "bool",
      "[1, 2].sum()": "int",
      "[1.5].max()": "double",
      "['a'].min()": "string",
      "['a'].sum()": "1:10: found no matching overload for 'sum' applied to 'list(string).()'",
      "[1].indexOf(1) + [1].lastIndexOf(1)": "int",
      "['a'].indexOf(1)":
        "1:14: found no matching overload for 'indexOf' applied to 'list(string).(int)'",
    },
  ],
  [
    "regular expressions",
    {
      "'abc'.find('b')": "string",
      "'abc'.findAll('b')": "list(string)",
      "'abc'.findAll('b', 1)": "list(string)",
    },
  ],
  [
    "URLs",
    {
      "url('https://a/b')": "kubernetes.URL",
      "isURL('a')": "bool",
      "url('https://a/b').getScheme() + url('https://a/b').getHost() + url('https://a/b').getHostname() + url('https://a/b').getPort() + url('https://a/b').getEscapedPath()":
        "string",
      "url('https://a/b').getQuery()": "map(string, list(string))",
    },
  ],
  [
    "addresses",
    {
      "ip('1.2.3.4')": "net.IP",
      "isIP('a') && ip.isCanonical('1.2.3.4')": "bool",
      "ip('::1').family()": "int",
      "ip('::1').isLoopback() || ip('::1').isUnspecified() || ip('::1').isGlobalUnicast() || ip('::1').isLinkLocalMulticast() || ip('::1').isLinkLocalUnicast()":
        "bool",
      "string(ip('::1'))": "string",
      "cidr('10.0.0.0/8')": "net.CIDR",
      "isCIDR('a')": "bool",
      "cidr('10.0.0.0/8').containsIP('10.0.0.1') && cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))":
        "bool",
      "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/9') && cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/9'))":
        "bool",
      "cidr('10.0.0.0/8').ip()": "net.IP",
      "cidr('10.0.0.0/8').prefixLength()": "int",
      "cidr('10.0.0.0/8').masked()": "net.CIDR",
      "string(cidr('10.0.0.0/8'))": "string",
      "net.IP": "type(net.IP)",
    },
  ],
  [
    "quantities",
    {
      "quantity('1Gi')": "kubernetes.Quantity",
      "isQuantity('a')": "bool",
      "sign(quantity('1'))": "int",
      "quantity('1').sign()":
        "1:19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'",
      "quantity('1').isGreaterThan(quantity('2')) || quantity('1').isLessThan(quantity('2'))":
        "bool",
      "quantity('1').compareTo(quantity('2'))": "int",
      "quantity('1').asApproximateFloat()": "double",
      "quantity('1').asInteger()": "int",
      "quantity('1').isInteger()": "bool",
      "quantity('1').add(quantity('2')).add(1).sub(quantity('1')).sub(2)": "kubernetes.Quantity",
      "quantity('1') < quantity('2')":
        "1:15: found no matching overload for '_<_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
    },
  ],
  [
    "versions",
    {
      "semver('1.2.3')": "kubernetes.Semver",
      "semver('v1.2', true)": "kubernetes.Semver",
      "isSemver('1.2.3') && isSemver('v1.2', true)": "bool",
      "semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()": "int",
      "semver('1.2.3').isGreaterThan(semver('1.2.4')) || semver('1.2.3').isLessThan(semver('1.2.4'))":
        "bool",
      "semver('1.2.3').compareTo(semver('1.2.4'))": "int",
      "semver('1.2.3').compareTo(quantity('1'))":
        "1:26: found no matching overload for 'compareTo' applied to 'kubernetes.Semver.(kubernetes.Quantity)'",
    },
  ],
  [
    "formats",
    {
      "format.dns1123Label()": "kubernetes.NamedFormat",
      "format.named('uri')": "optional_type(kubernetes.NamedFormat)",
      "format.named('uri').value().validate('a')": "optional_type(list(string))",
      "format.dns1123Subdomain() == format.labelValue()": "bool",
      "format.nope()": "1:1: undeclared reference to 'format' (in container '')",
    },
  ],
  [
    "authorization",
    {
      "authorizer.path('/a').check('get')": "kubernetes.authorization.Decision",
      "authorizer.group('').resource('pods').namespace('a').name('b').subresource('status').check('get').allowed()":
        "bool",
      "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c=d').check('list').reason()":
        "string",
      "authorizer.serviceAccount('a', 'b').path('/').check('get').errored()": "bool",
      "authorizer.path('/a').check('get').error()": "string",
      "authorizer.resource('pods')":
        "1:20: found no matching overload for 'resource' applied to 'kubernetes.authorization.Authorizer.(string)'",
    },
  ],
  [
    "what Kubernetes leaves out",
    {
      "math.greatest(1, 2)": "1:1: undeclared reference to 'math' (in container '')",
      "cel.bind(x, 1, x)": "1:1: undeclared reference to 'cel' (in container '')",
      "base64.encode(b'a')": "1:1: undeclared reference to 'base64' (in container '')",
      "jsonpatch.escapeKey('a')": "1:1: undeclared reference to 'jsonpatch' (in container '')",
    },
  ],
])("baseEnvironment: %s", (_, types) => {
  const found = Object.keys(types).map((text) => [text, typeOf(text)]);
  expect(Object.fromEntries(found)).toEqual(types);
});

test("bindings: a value gets a name", () => {
  const bound = compile(extendEnvironment(environment, bindings), "cel.bind(x, 1, x + x)");
  expect("error" in bound ? bound.error : showType(bound.type)).toBe("int");
  const wrong = compile(extendEnvironment(environment, bindings), "cel.bind(1, 1, 1)");
  expect("error" in wrong && wrong.error).toContain(
    "1:10: cel.bind() variable names must be simple identifiers",
  );
});
