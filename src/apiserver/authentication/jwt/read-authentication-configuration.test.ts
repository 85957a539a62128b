import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { noNetwork } from "../../../base/network.ts";
import type { SelectedEgress } from "../../connect/egress.ts";
import type { AuthenticationConfiguration } from "./authentication-configuration.ts";
import {
  checkAuthentication,
  readAuthenticationConfiguration,
} from "./read-authentication-configuration.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";

each<[what: string, text: string, error: string]>([
  ["nothing", "", "empty config data"],
  ["no kind", "jwt: []", `Object 'Kind' is missing in '{"jwt":[]}'`],
  [
    "another kind",
    "apiVersion: v1\nkind: Secret",
    'no kind "Secret" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/kubeapiserver/options/authentication.go:879"',
  ],
  ["an unknown field", `${head}jwts: []`, 'strict decoding error: unknown field "jwts"'],
  [
    "a repeated field",
    `${head}jwt: []\njwt: []`,
    'strict decoding error: yaml: unmarshal errors:\n  line 4: key "jwt" already set in map',
  ],
  [
    "half of a file",
    `${head}jwt:\n- issuer:\n    url: "https`,
    "yaml: line 5: found unexpected end of stream",
  ],
])("readAuthenticationConfiguration: %s is an error", (_, text, error) => {
  expect(() => readAuthenticationConfiguration(text)).toThrow(
    expect.objectContaining({ message: error }),
  );
});

const issuer = { url: "https://issuer.test", audiences: ["web"] };
const username = { claim: "sub", prefix: "" };
const one = (change: object = {}) => ({ issuer, claimMappings: { username }, ...change });
const mapped = (change: object) => one({ claimMappings: { username, ...change } });
const issued = (change: object) => one({ issuer: { ...issuer, ...change } });

each<[what: string, configuration: object, error: string | undefined]>([
  ["nothing at all", {}, undefined],
  ["an issuer", { jwt: [one()] }, undefined],
  [
    "no issuer",
    { jwt: [{}] },
    "[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: Required value: claim or expression is required]",
  ],
  [
    "the same issuer twice",
    { jwt: [one(), one()] },
    'jwt[1].issuer.url: Duplicate value: "https://issuer.test"',
  ],
  [
    "too many",
    { jwt: Array.from({ length: 65 }, () => one()) },
    "jwt: Too many: 65: must have at most 64 items",
  ],
  [
    "this server's own issuer",
    { jwt: [issued({ url: "https://own" })] },
    'jwt[0].issuer.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://also https://own]',
  ],
  [
    "a URL with all that it must not have",
    { jwt: [issued({ url: "http://a:b@issuer.test?x#y" })] },
    '[jwt[0].issuer.url: Invalid value: "http://a:b@issuer.test?x#y": URL scheme must be https, jwt[0].issuer.url: Invalid value: "http://a:b@issuer.test?x#y": URL must not contain a username or password, jwt[0].issuer.url: Invalid value: "http://a:b@issuer.test?x#y": URL must not contain a query, jwt[0].issuer.url: Invalid value: "http://a:b@issuer.test?x#y": URL must not contain a fragment]',
  ],
  [
    "a URL that is none",
    { jwt: [issued({ url: "https://a:b" })] },
    'jwt[0].issuer.url: Invalid value: "https://a:b": parse "https://a:b": invalid port ":b" after host',
  ],
  [
    "discovery where the issuer is anyway",
    { jwt: [issued({ discoveryURL: "https://issuer.test//" })] },
    'jwt[0].issuer.discoveryURL: Invalid value: "https://issuer.test//": discoveryURL must be different from URL',
  ],
  [
    "the same discovery twice",
    {
      jwt: ["https://a.test", "https://b.test"].map((url) =>
        issued({ url, discoveryURL: "https://d.test" }),
      ),
    },
    'jwt[1].issuer.discoveryURL: Duplicate value: "https://d.test"',
  ],
  [
    "audiences that are empty or repeated, and no policy for several",
    { jwt: [issued({ audiences: ["", "a", "a"] })] },
    '[jwt[0].issuer.audiences[0]: Required value, jwt[0].issuer.audiences[2]: Duplicate value: "a", jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences]',
  ],
  [
    "another policy",
    { jwt: [issued({ audienceMatchPolicy: "MatchAll" })] },
    'jwt[0].issuer.audienceMatchPolicy: Invalid value: "MatchAll": audienceMatchPolicy must be empty or MatchAny for single audience',
  ],
  [
    "no certificate",
    { jwt: [issued({ certificateAuthority: "x" })] },
    'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
  ],
  [
    "another network",
    { jwt: [issued({ egressSelectorType: "etcd" })] },
    'jwt[0].issuer.egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster',
  ],
  [
    "another network, where there is none to select",
    { jwt: [issued({ egressSelectorType: "cluster" })] },
    'oidc: egress lookup required with egress selector type "cluster"',
  ],
  [
    "claim rules that are odd",
    {
      jwt: [
        one({
          claimValidationRules: [
            { claim: "a", expression: "true" },
            {},
            { claim: "a", message: "m" },
            { claim: "a" },
            { expression: "true", requiredValue: "v" },
            { expression: "true" },
            { expression: "claims.a" },
          ],
        }),
      ],
    },
    '[jwt[0].claimValidationRules[0]: Invalid value: "a": claim and expression can\'t both be set, jwt[0].claimValidationRules[1]: Required value: claim or expression is required, jwt[0].claimValidationRules[2].message: Invalid value: "m": may not be specified when claim is set, jwt[0].claimValidationRules[3].claim: Duplicate value: "a", jwt[0].claimValidationRules[4].requiredValue: Invalid value: "v": may not be specified when expression is set, jwt[0].claimValidationRules[5].expression: Duplicate value: "true", jwt[0].claimValidationRules[6].expression: Invalid value: "claims.a": must evaluate to bool]',
  ],
  [
    "an expression that cannot be read",
    { jwt: [one({ claimMappings: { username: { expression: "claims." } } })] },
    "jwt[0].claimMappings.username.expression: Invalid value: \"claims.\": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | claims.\n | .......^",
  ],
  [
    "a prefix that is missing, or not used",
    {
      jwt: [
        one({
          claimMappings: { username: { claim: "sub" }, groups: { expression: "'g'", prefix: "x" } },
        }),
      ],
    },
    '[jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing, jwt[0].claimMappings.groups.prefix: Invalid value: "x": may not be specified when expression is set]',
  ],
  [
    "an address that nobody verifies",
    { jwt: [one({ claimMappings: { username: { expression: "claims.email" } } })] },
    'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  ],
  [
    "an address that a rule verifies",
    {
      jwt: [
        one({
          claimMappings: { username: { expression: "claims.email" } },
          claimValidationRules: [{ expression: "claims.?email_verified.orValue(true) == true" }],
        }),
      ],
    },
    undefined,
  ],
  [
    "a UID of two things",
    { jwt: [mapped({ uid: { claim: "a", expression: "claims.a" } })] },
    'jwt[0].claimMappings.uid: Invalid value: "": claim and expression can\'t both be set',
  ],
  [
    "attributes that are odd",
    {
      jwt: [
        mapped({
          extra: [
            { key: "", valueExpression: "'a'" },
            { key: "Acme.io/A", valueExpression: "'a'" },
            { key: "x.k8s.io/a", valueExpression: "'a'" },
            { key: "acme.io/a", valueExpression: "" },
            { key: "acme.io/a", valueExpression: "'a'" },
          ],
        }),
      ],
    },
    "[jwt[0].claimMappings.extra[0].key: Required value, jwt[0].claimMappings.extra[1].key: Invalid value: \"Acme.io\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), jwt[0].claimMappings.extra[1].key: Invalid value: \"Acme.io/A\": must be lowercase, jwt[0].claimMappings.extra[2].key: Invalid value: \"x.k8s.io/a\": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use, jwt[0].claimMappings.extra[3].valueExpression: Required value, jwt[0].claimMappings.extra[4].key: Duplicate value: \"acme.io/a\"]",
  ],
  [
    "user rules that are odd",
    {
      jwt: [
        one({
          userValidationRules: [
            {},
            { expression: "user.username" },
            { expression: "user.name == ''" },
          ],
        }),
      ],
    },
    "[jwt[0].userValidationRules[0].expression: Required value, jwt[0].userValidationRules[1].expression: Invalid value: \"user.username\": must evaluate to bool, jwt[0].userValidationRules[2].expression: Invalid value: \"user.name == ''\": compilation failed: ERROR: <input>:1:5: undefined field 'name'\n | user.name == ''\n | ....^]",
  ],
  [
    "paths for nobody",
    { anonymous: { enabled: false, conditions: [{ path: "/livez" }] } },
    'anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined',
  ],
])("checkAuthentication: %s", (_, configuration, error) => {
  let found: string | undefined;
  try {
    checkAuthentication(configuration, { disallowedIssuers: ["https://own", "https://also"] });
  } catch (fault) {
    found = errorMessage(fault);
  }
  expect(found).toBe(error);
});

test("checkAuthentication: the network of an issuer must be configured", () => {
  const jwt = [issued({ egressSelectorType: "cluster" })];
  const check = (egress: SelectedEgress) => () =>
    checkAuthentication({ jwt } as AuthenticationConfiguration, { disallowedIssuers: [], egress });
  expect(check({})).toThrow('oidc: egress lookup for "cluster" is not configured');
  expect(check({ cluster: noNetwork })).not.toThrow();
});

test("checkAuthentication: who may be anonymous does not change while a server runs", () => {
  const initial = { anonymous: { enabled: true } };
  const options = { disallowedIssuers: [], initial };
  expect(() => checkAuthentication({ ...initial, jwt: [one()] }, options)).not.toThrow();
  expect(() => checkAuthentication({}, options)).toThrow(
    "anonymous: Forbidden: changed from initial configuration file",
  );
});
