import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { JWTAuthenticator } from "./authentication-configuration.ts";
import { jwtOptions } from "./issuer.test-support.ts";
import { userOfClaims } from "./user-of-claims.ts";

const issuer = { url: "https://issuer.test", audiences: ["web"] };
const sub = { claim: "sub", prefix: "" };
const name = (expression: string): JWTAuthenticator => ({
  issuer,
  claimMappings: { username: { expression } },
});
const mapping = (mappings: object, rest: object = {}): JWTAuthenticator => ({
  issuer,
  claimMappings: { username: sub, ...mappings },
  ...rest,
});

const jane = { sub: "jane" };

each<[what: string, configuration: JWTAuthenticator, claims: object, outcome: unknown]>([
  ["a claim", mapping({}), jane, { name: "jane", groups: [] }],
  [
    "an address that is verified",
    mapping({ username: { claim: "email", prefix: "p:" } }),
    { email: "a@b", email_verified: true },
    { name: "p:a@b", groups: [] },
  ],
  [
    "an address of which nothing is said",
    mapping({ username: { claim: "email", prefix: "" } }),
    { email: "a@b" },
    { name: "a@b", groups: [] },
  ],
  [
    "an address that is not verified",
    mapping({ username: { claim: "email", prefix: "" } }),
    { email: "a@b", email_verified: false },
    "oidc: email not verified",
  ],
  [
    "an address that is verified in words",
    mapping({ username: { claim: "email", prefix: "" } }),
    { email: "a@b", email_verified: "yes" },
    "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
  ],
  [
    "an expression",
    name("claims.sub + '@' + claims.tenant"),
    { ...jane, tenant: "t" },
    { name: "jane@t", groups: [] },
  ],
  [
    "a claim with a dot in its name",
    name("claims.user__dot__name"),
    { "user.name": "jane" },
    { name: "jane", groups: [] },
  ],
  [
    "a nested claim with a dash in its name",
    name("claims.a.b__dash__c[0].d"),
    { a: { "b-c": [{ d: "jane" }] } },
    { name: "jane", groups: [] },
  ],
  [
    "an expression that is empty",
    name("''"),
    jane,
    "oidc: empty username via CEL expression is not allowed",
  ],
  [
    "an expression that is no text: numbers are doubles",
    name("claims.n == 1.0 ? claims.n : 'x'"),
    { n: 1 },
    "oidc: error evaluating username claim expression: username claim expression must return a string",
  ],
  [
    "a claim that is not there",
    name("claims.name"),
    jane,
    "oidc: error evaluating username claim expression: expression 'claims.name' resulted in error: no such key: name",
  ],
  [
    "an expression that costs too much",
    name(
      "dyn(claims.l).all(b, dyn(claims.l).all(c, dyn(claims.l).all(d, dyn(claims.l).all(e, true)))) ? 'x' : 'y'",
    ),
    { l: Array.from({ length: 100 }, () => 1) },
    expect.stringContaining("operation cancelled: actual cost limit exceeded"),
  ],
  [
    "groups with a prefix",
    mapping({ groups: { claim: "g", prefix: "p:" } }),
    { ...jane, g: ["a", "b"] },
    { name: "jane", groups: ["p:a", "p:b"] },
  ],
  [
    "a single group",
    mapping({ groups: { claim: "g", prefix: "p:" } }),
    { ...jane, g: "a" },
    { name: "jane", groups: ["p:a"] },
  ],
  [
    "no groups",
    mapping({ groups: { claim: "g", prefix: "p:" } }),
    jane,
    { name: "jane", groups: [] },
  ],
  [
    "groups that are none",
    mapping({ groups: { claim: "g", prefix: "p:" } }),
    { ...jane, g: { a: 1 } },
    'oidc: parse groups claim "g": json: cannot unmarshal object into Go value of type string',
  ],
  [
    "groups of an expression, without the empty ones",
    mapping({ groups: { expression: "claims.roles.split(',') + ['']" } }),
    { ...jane, roles: "a,b" },
    { name: "jane", groups: ["a", "b"] },
  ],
  [
    "groups of an expression that are none",
    mapping({ groups: { expression: "claims.roles" } }),
    { ...jane, roles: [1] },
    "oidc: error evaluating group claim expression: expression must return a string or a list of strings",
  ],
  [
    "a UID and attributes",
    mapping({
      uid: { expression: "claims.id" },
      extra: [
        { key: "acme.io/a", valueExpression: "claims.a" },
        { key: "acme.io/none", valueExpression: "claims.?b.orValue('')" },
      ],
    }),
    { ...jane, id: "7", a: ["x"], jti: "j" },
    {
      name: "jane",
      uid: "7",
      groups: [],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=j"], "acme.io/a": ["x"] },
    },
  ],
  [
    "a UID that is missing",
    mapping({ uid: { claim: "id" } }),
    jane,
    'oidc: parse uid claim "id": claim not present',
  ],
  [
    "a required claim",
    mapping({}, { claimValidationRules: [{ claim: "hd", requiredValue: "acme" }] }),
    { ...jane, hd: "evil" },
    "oidc: required claim hd value does not match. Got = evil, want = acme",
  ],
  [
    "a required claim that is missing",
    mapping({}, { claimValidationRules: [{ claim: "hd", requiredValue: "" }] }),
    jane,
    "oidc: required claim hd not present in ID token",
  ],
  [
    "a rule about claims",
    mapping(
      {},
      {
        claimValidationRules: [
          { expression: "claims.exp - claims.iat < 10.0", message: "too long" },
        ],
      },
    ),
    { ...jane, exp: 20, iat: 1 },
    "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat < 10.0' failed: too long",
  ],
  [
    "a rule about the user",
    mapping(
      {},
      {
        userValidationRules: [
          { expression: "!user.username.startsWith('system:')", message: "reserved" },
        ],
      },
    ),
    { sub: "system:admin" },
    "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: reserved",
  ],
  [
    "a rule about groups and attributes",
    mapping(
      { groups: { claim: "g", prefix: "" }, extra: [{ key: "acme.io/a", valueExpression: "'x'" }] },
      {
        userValidationRules: [
          { expression: "user.groups.all(g, g != 'system:masters')" },
          { expression: "user.extra['acme.io/a'] == ['x'] && user.uid == ''" },
        ],
      },
    ),
    { ...jane, g: ["a"] },
    { name: "jane", groups: ["a"], extra: { "acme.io/a": ["x"] } },
  ],
])("userOfClaims: %s", (_, configuration, claims, outcome) => {
  const [checked] = jwtOptions(configuration).authenticators;
  let found: unknown;
  try {
    found = checked && userOfClaims(claims as Readonly<Record<string, unknown>>, checked);
  } catch (error) {
    found = errorMessage(error);
  }
  expect(found).toEqual(outcome);
});

test("userOfClaims: a claim that is named as what every object has is not there", () => {
  const [checked] = jwtOptions(
    mapping({ username: { claim: "constructor", prefix: "" } }),
  ).authenticators;
  expect(() => checked && userOfClaims({}, checked)).toThrow(
    'oidc: parse username claims "constructor"',
  );
});
