import { expect, test } from "vitest";
import { apiserverFlags, flagProblems } from "./apiserver-flags.ts";
import { givenFlags } from "./given-flags.test-support.ts";

/** All problems of a command line; the required data directory is added. */
function problemsOf(...args: readonly string[]): string[] {
  const { flags, given } = givenFlags(["--data-dir=d", ...args]);
  return flagProblems(flags, given);
}

const wrong: [args: string[], problems: (string | RegExp)[]][] = [
  [[], []],
  [
    ["--secure-port=70000"],
    ["--secure-port 70000 must be between 1 and 65535, inclusive. It cannot be turned off with 0"],
  ],
  [["--max-requests-inflight=-1"], ["--max-requests-inflight can not be negative value"]],
  [
    ["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"],
    [
      "invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive",
    ],
  ],
  [
    ["--max-mutating-requests-inflight=-1", "--request-timeout=-1s", "--min-request-timeout=-2"],
    [
      "--max-mutating-requests-inflight can not be negative value",
      "--request-timeout can not be negative value",
      "--min-request-timeout can not be negative value",
    ],
  ],
  [["--store-quota-bytes=0"], []],
  [["--store-quota-bytes=-1"], ["--store-quota-bytes must not be negative"]],
  [
    ["--store-quota-bytes=1", "--etcd-servers=http://127.0.0.1:2379"],
    [
      "--store-quota-bytes applies to a store in the data directory: with --etcd-servers, set the quota of etcd",
    ],
  ],
  [["--livez-grace-period=-1s"], ["--livez-grace-period can not be a negative value"]],
  [["--shutdown-delay-duration=-1s"], ["--shutdown-delay-duration can not be negative value"]],
  [["--goaway-chance=0.02"], []],
  [["--goaway-chance=0.03"], ["--goaway-chance can not be less than 0 or greater than 0.02"]],
  [
    ["--strict-transport-security-directives=max-age=1,preload,includeSubDomains,max-age"],
    [/^--strict-transport-security-directives invalid, allowed values: max-age=expireTime, /],
  ],
  [
    ["--strict-transport-security-directives= "],
    ["empty value in strict-transport-security-directives"],
  ],
  [
    ["--cors-allowed-origins=//example\\.com(:|$),example.com,(//a$"],
    [
      /^--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start\/end of host in the origin header, help: List of /,
      /^--cors-allowed-origins has an invalid regular expression: error parsing regexp: missing closing \): `\(\/\/a\$`, help: /,
    ],
  ],
  [
    ["--emulation-forward-compatible"],
    [
      "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    ],
  ],
  [["--service-cluster-ip-range=10.0.0.0/8"], []],
  [["--service-cluster-ip-range=10.0.0.0/16,fd00::/108"], []],
  [["--service-cluster-ip-range=x"], ["service-cluster-ip-range[0] is not a valid cidr"]],
  [["--service-cluster-ip-range=10.0.0.0/16,x"], ["service-cluster-ip-range[1] is not an ip net"]],
  [
    ["--service-cluster-ip-range=10.0.0.0/30"],
    [
      "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses",
    ],
  ],
  [
    ["--service-cluster-ip-range=10.0.0.0/16,10.1.0.0/16,fd00::/108"],
    [
      "--service-cluster-ip-range must not contain more than two entries",
      "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
    ],
  ],
  [
    ["--service-cluster-ip-range=fd00::1/108", "--advertise-address=10.0.0.5"],
    ['service IP family "fd00::/108" must match public address family "10.0.0.5"'],
  ],
  [
    ["--kubernetes-service-node-port=70000"],
    [
      "--kubernetes-service-node-port 70000 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP",
      "kubernetes service node port range 30000-32767 doesn't contain 70000",
    ],
  ],
  [["--authorization-mode=AlwaysAllow"], []],
  [
    ["--authorization-mode=RBAC,Rbac,RBAC,ABAC"],
    [
      'authorization-mode "Rbac" is not a valid mode',
      "authorization-mode ABAC's authorization policy file not passed",
      'authorization-mode ["RBAC" "Rbac" "RBAC" "ABAC"] has mode specified more than once',
    ],
  ],
  [["--authorization-mode="], ["at least one authorization-mode must be passed"]],
  [
    ["--authorization-policy-file=f"],
    ["cannot specify --authorization-policy-file without mode ABAC"],
  ],
  [
    ["--authorization-mode=Node,Webhook", "--authorization-webhook-version=v3"],
    [
      "authorization-mode Webhook's authorization config file not passed",
      'unsupported webhook authorizer version "v3", supported versions are "v1", "v1beta1"',
    ],
  ],
  [
    ["--authorization-webhook-config-file=/x"],
    ["cannot specify --authorization-webhook-config-file without mode Webhook"],
  ],
  [
    ["--authorization-config=/x", "--authorization-webhook-version=v1"],
    [
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    ],
  ],
  [
    ["--enable-admission-plugins=Nope,LimitRanger", "--disable-admission-plugins=LimitRanger,No"],
    [
      'enable-admission-plugins plugin "Nope" is unknown',
      'disable-admission-plugins plugin "No" is unknown',
      "[LimitRanger] in enable-admission-plugins and disable-admission-plugins overlapped",
    ],
  ],
  [
    ["--admission-control=Nope", "--enable-admission-plugins=LimitRanger"],
    [
      "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
      'admission-control plugin "Nope" is unknown',
    ],
  ],
  [
    ["--service-account-issuer=:a", "--service-account-issuer=https://x:y"],
    [
      `service-account-issuer ":a" contained a ':' but was not a valid URL: parse ":a": missing protocol scheme`,
      /^service-account-issuer "https:\/\/x:y" contained a ':' but was not a valid URL: parse /,
    ],
  ],
  [
    ["--service-account-jwks-uri=https://x:y"],
    [/^service-account-jwks-uri must be a valid URL: parse "https:\/\/x:y": invalid port ":y"/],
  ],
  [["--advertise-address=::"], []],
  [["--service-account-issuer="], ["service-account-issuer should not be an empty string"]],
  [
    ["--service-account-issuer=a", "--service-account-issuer=a"],
    ['service-account-issuer "a" is already specified'],
  ],
  [
    ["--service-account-jwks-uri=http://x/y"],
    ["service-account-jwks-uri requires https scheme, parsed as: http://x/y"],
  ],
  [
    ["--service-account-max-token-expiration=30m"],
    ["the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"],
  ],
  [["--service-account-max-token-expiration=2h"], []],
  [["--tls-min-version=VersionTLS13"], []],
  [["--tls-min-version=TLS1.3"], ['unknown tls version "TLS1.3"']],
  [["--tls-cipher-suites=NOPE"], ["Cipher suite NOPE not supported or doesn't exist"]],
  [
    ["--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"],
    [/^error configuring http2: http2: TLSConfig\.CipherSuites is missing an HTTP\/2-required /],
  ],
  [["--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "--disable-http2-serving"], []],
  [["--tls-curve-preferences=29,23"], []],
  [
    ["--tls-curve-preferences=29,29,0,7"],
    [
      "duplicate curve preference 29",
      "curve preference 0 is out of range (must be 1-65535)",
      "curve preference 7 is not supported: give 23, 24, 25 or 29",
    ],
  ],
  [["--tls-cert-file=x"], [/^missing filename for serving cert: /]],
  [["--tls-sni-cert-key=c,k:10.0.0.5"], [/^--tls-sni-cert-key for 10\.0\.0\.5 is not supported: /]],
  [["--tls-sni-cert-key=c,k:10.0.0.5", "--bind-address=10.0.0.5"], []],
  [["--logging-format=xml"], ['format: Invalid value: "xml": Unsupported log format']],
  [
    ["--apiserver-count=0"],
    ["--apiserver-count should be a positive number, but value '0' provided"],
  ],
  [
    ["--storage-backend=etcd2"],
    [
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    ],
  ],
  [["--storage-media-type=application/vnd.kubernetes.protobuf"], []],
  [["--storage-media-type=application/json"], []],
  [
    ["--storage-media-type=text/plain"],
    [
      '--storage-media-type "text/plain" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml',
    ],
  ],
  [
    ["--watch-cache-sizes=pods#100,nodes#0,jobs.batch,x#y,z#-1"],
    [
      /^--watch-cache-sizes=nodes#0 is not supported: /,
      "invalid value of watch cache size: jobs.batch",
      "invalid size of watch cache size: x#y",
      "watch cache size cannot be negative: z#-1",
    ],
  ],
  [["--watch-cache", "--profiling=false", "--etcd-prefix=/registry"], []],
  [["--etcd-servers=http://y", "--storage-backend=etcd3", "--etcd-healthcheck-timeout=1m"], []],
  [["--storage-backend=etcd3"], ["--etcd-servers must be specified"]],
  [["--etcd-prefix=/mine"], ["--etcd-servers must be specified with other flags of etcd"]],
  [
    ["--etcd-servers=https://y", "--etcd-certfile=a.crt"],
    ["KeyFile and CertFile must both be present[key: , cert: a.crt]"],
  ],
  [
    ["--watch-cache=false", "--profiling", "--etcd-count-metric-poll-period=2m"],
    [
      "--etcd-count-metric-poll-period=2m0s is not supported: objects are counted without requests to the store",
      "--watch-cache=false is not supported: lists and watches are always served from memory",
    ],
  ],
  [["--default-watch-cache-size=0"], [/^--default-watch-cache-size=0 is not supported: /]],
  [["--kubelet-port=10250", "--default-watch-cache-size=7"], []],
  [["--kubelet-port=1", "--endpoint-reconciler-type=none", "--enable-logs-handler"], []],
  [
    ["--service-account-signing-endpoint=/s", "--service-account-key-file=k"],
    [
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
    ],
  ],
  [["--endpoint-reconciler-type=some"], ["Reconciler not implemented: some"]],
  [
    [
      "--max-connection-bytes-per-sec=9",
      "--peer-ca-file=",
      "--storage-media-type=application/json",
    ],
    [],
  ],
  [
    ["--peer-ca-file=x", "--storage-media-type=application/yaml"],
    [
      "--storage-media-type is not supported: Wherry stores objects as JSON and protobuf only",
      "--peer-ca-file is not supported: all servers of a cluster serve the same APIs, so that no request is passed on to another",
    ],
  ],
  [
    ["--coordinated-leadership-lease-duration=-1s", "--coordinated-leadership-renew-deadline=1s"],
    [
      "--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline",
      "--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period",
    ],
  ],
  [
    ["--shutdown-watch-termination-grace-period=-1s"],
    ["shutdown-watch-termination-grace-period, if provided, can not be a negative value"],
  ],
  [["--vmodule=a*=4,b=2"], []],
  [
    ["--vmodule=a=1", "--logging-format=json"],
    ["vmodule: Forbidden: Only supported for text log format"],
  ],
  [
    ["--log-text-split-stream", "--log-json-info-buffer-size=1024Ki"],
    [
      "options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled",
      "options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled",
    ],
  ],
  [["--emulated-version=1.36"], []],
  [["--emulated-version=1.35"], [/^--emulated-version=1\.35 is not supported: /]],
  [
    [
      "--oidc-issuer-url=https://x",
      "--authentication-token-webhook-config-file=/x",
      "--authentication-token-webhook-version=v2",
      "--etcd-servers-overrides=/events#http://y",
    ],
    [
      "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
      "--etcd-servers-overrides is not supported: all objects of a server share one revision, so that they are in one etcd",
    ],
  ],
  [
    ["--oidc-client-id=a", "--authentication-config=/x"],
    ["authentication-config file and oidc-* flags are mutually exclusive"],
  ],
  [
    ["--oidc-issuer-url=https://x", "--oidc-client-id=a", "--oidc-signing-algs=RS256,none"],
    ['oidc: unsupported signing alg: "none"'],
  ],
];
test.each(wrong)("flagProblems: %j", (args, problems) => {
  expect(problemsOf(...args)).toEqual(
    problems.map((problem) =>
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    ),
  );
});

const malformed: [arg: string, reason: string][] = [
  ["--vmodule=x", '"x" does not have the pattern=N format'],
  ["--vmodule=a=b", 'parsing verbosity in "a=b": strconv.ParseUint: parsing "b": invalid syntax'],
  ["--service-node-port-range=1-2-3", 'strconv.Atoi: parsing "2-3": invalid syntax'],
  ["--service-node-port-range=1-2+3", "unable to parse port range: 1-2+3"],
  ["--service-node-port-range=9-8", "end port cannot be less than start port: 9-8"],
  ["--service-node-port-range=9+65535", "the port range cannot be greater than 65535: 9+65535"],
  ["--tls-sni-cert-key=c", "expected comma separated certificate and key file paths"],
  ["--tls-sni-cert-key=c,k:", "empty names list is not allowed"],
  ["--bind-address=localhost", 'failed to parse IP: "localhost"'],
];
test.each(malformed)("flags: %s is malformed", (arg, reason) => {
  expect(() => problemsOf(arg)).toThrow(`flag: ${reason}`);
});

test("flags: each one has a section of help and a usage text", () => {
  const bad = Object.entries(apiserverFlags).filter(
    ([, { section, usage }]) => section === undefined || usage.length < 5,
  );
  expect(bad.map(([name]) => name)).toEqual([]);
});
