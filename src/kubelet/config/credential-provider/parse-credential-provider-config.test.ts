import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { testGates } from "../feature-gates.test-support.ts";
import { parseCredentialProviderConfig } from "./parse-credential-provider-config.ts";

const { on } = testGates({});
const provider = {
  name: "ecr",
  matchImages: ["*.dkr.ecr.*.amazonaws.com", "registry.test:5000/team"],
  defaultCacheDuration: "12h",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
};
const token = {
  serviceAccountTokenAudience: "registry",
  cacheType: "Token",
  requireServiceAccount: true,
};

const file = (providers: readonly object[], version = "v1") => ({
  path: `/p/${version}.yaml`,
  text: JSON.stringify({
    kind: "CredentialProviderConfig",
    apiVersion: `kubelet.config.k8s.io/${version}`,
    providers,
  }),
});

test("parseCredentialProviderConfig: reads all versions, and keeps the order of the files", () => {
  const files = [
    file([{ ...provider, tokenAttributes: token, args: ["a"], env: [{ name: "A", value: "b" }] }]),
    file([{ ...provider, name: "b" }], "v1beta1"),
    file([{ ...provider, name: "a" }], "v1alpha1"),
  ];
  expect(parseCredentialProviderConfig(files, on)).toMatchObject({
    value: {
      providers: [
        { name: "ecr", defaultCacheDuration: "12h0m0s", tokenAttributes: token },
        { name: "b" },
        { name: "a" },
      ],
    },
  });
});

each<[text: string, problem: string]>([
  [
    "kind: CredentialProviderConfig",
    `Object 'apiVersion' is missing in '{"kind":"CredentialProviderConfig"}'`,
  ],
  [
    "kind: CredentialProviderConfig\napiVersion: kubelet.config.k8s.io/v2",
    'no kind "CredentialProviderConfig" is registered for version "kubelet.config.k8s.io/v2" in scheme "k8s.io/kubernetes/pkg/credentialprovider/plugin/plugin.go:69"',
  ],
  [
    "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1",
    'failed to decode "KubeletConfiguration" (wrong Kind)',
  ],
  [
    file([{ ...provider, matchImage: "a" }]).text,
    'strict decoding error: unknown field "providers[0].matchImage"',
  ],
  [
    file([{ ...provider, tokenAttributes: token }], "v1beta1").text,
    'strict decoding error: unknown field "providers[0].tokenAttributes"',
  ],
])("parseCredentialProviderConfig: rejects %j", (text, problem) => {
  expect(parseCredentialProviderConfig([{ path: "/p/x.yaml", text }], on)).toEqual({
    problems: [`error decoding config "/p/x.yaml": ${problem}`],
  });
});

test("parseCredentialProviderConfig: rejects a name that two files have", () => {
  expect(parseCredentialProviderConfig([file([provider]), file([provider])], on)).toEqual({
    problems: ['duplicate provider name "ecr" found in configuration file(s)'],
  });
});

const keys = "providers.tokenAttributes.requiredServiceAccountAnnotationKeys";

each<[change: object, problem: string]>([
  [{ name: "a/b" }, `providers.name: Invalid value: "a/b": provider name cannot contain '/'`],
  [{ name: "a b" }, `providers.name: Invalid value: "a b": provider name cannot contain spaces`],
  [{ name: "." }, `providers.name: Invalid value: ".": provider name cannot be '.'`],
  [{ name: ".." }, `providers.name: Invalid value: "..": provider name cannot be '..'`],
  [{ apiVersion: "" }, "providers.apiVersion: Required value"],
  [
    { apiVersion: "v3" },
    'providers.apiVersion: Unsupported value: "v3": supported values: "credentialprovider.kubelet.k8s.io/v1", "credentialprovider.kubelet.k8s.io/v1alpha1", "credentialprovider.kubelet.k8s.io/v1beta1"',
  ],
  [
    { matchImages: [] },
    "providers.matchImages: Required value: at least 1 item in matchImages is required",
  ],
  [
    { matchImages: ["%invalid%"] },
    'providers.matchImages: Invalid value: "%invalid%": match image is invalid: parse "https://%invalid%": invalid URL escape "%in"',
  ],
  [{ defaultCacheDuration: null }, "providers.defaultCacheDuration: Required value"],
  [
    { defaultCacheDuration: "-1m" },
    'providers.defaultCacheDuration: Invalid value: "-1m0s": must be greater than or equal to 0',
  ],
  [
    { tokenAttributes: { ...token, serviceAccountTokenAudience: "" } },
    "providers.tokenAttributes.serviceAccountTokenAudience: Required value",
  ],
  [
    { tokenAttributes: { ...token, requireServiceAccount: null } },
    "providers.tokenAttributes.requireServiceAccount: Required value",
  ],
  [
    { tokenAttributes: token, apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1" },
    "providers.tokenAttributes: Forbidden: tokenAttributes is only supported for credentialprovider.kubelet.k8s.io/v1 API version",
  ],
  [
    {
      tokenAttributes: {
        ...token,
        requireServiceAccount: false,
        requiredServiceAccountAnnotationKeys: ["a"],
      },
    },
    `${keys}: Forbidden: requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set`,
  ],
  [
    { tokenAttributes: { ...token, requiredServiceAccountAnnotationKeys: ["a", "a"] } },
    `${keys}: Duplicate value: "a"`,
  ],
  [
    {
      tokenAttributes: {
        ...token,
        requiredServiceAccountAnnotationKeys: ["A/b", "c"],
        optionalServiceAccountAnnotationKeys: ["c"],
      },
    },
    'providers.tokenAttributes: Invalid value: ["c"]: annotation keys cannot be both required and optional',
  ],
  [
    { tokenAttributes: { ...token, cacheType: "" } },
    "providers.tokenAttributes.cacheType: Required value: cacheType is required to be set when tokenAttributes is specified. Supported values are: ServiceAccount, Token",
  ],
  [
    { tokenAttributes: { ...token, cacheType: "x" } },
    'providers.tokenAttributes.cacheType: Unsupported value: "x": supported values: "ServiceAccount", "Token"',
  ],
])("parseCredentialProviderConfig: %j", (change, problem) => {
  expect(parseCredentialProviderConfig([file([{ ...provider, ...change }])], on)).toEqual({
    problems: [`failed to validate credential provider config: ${problem}`],
  });
});

test("parseCredentialProviderConfig: needs a provider, and a feature gate for tokens", () => {
  expect(parseCredentialProviderConfig([file([])], on)).toEqual({
    problems: [
      "failed to validate credential provider config: providers: Required value: at least 1 item in plugins is required",
    ],
  });
  const tokens = [file([{ ...provider, tokenAttributes: token }])];
  expect(parseCredentialProviderConfig(tokens, new Set())).toEqual({
    problems: [
      "failed to validate credential provider config: providers.tokenAttributes: Forbidden: tokenAttributes is not supported when KubeletServiceAccountTokenForCredentialProviders feature gate is disabled",
    ],
  });
});
