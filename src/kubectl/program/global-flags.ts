import { boolFlag, type Flags, intFlag, stringArrayFlag, stringFlag } from "../../cli/flag.ts";

/** Which server is called, and as whom. */
export const connectionFlags = {
  kubeconfig: stringFlag({ usage: "Path to the kubeconfig file to use for CLI requests." }),
  "cache-dir": stringFlag({ usage: "The folder of cached discovery documents" }),
  "client-certificate": stringFlag({ usage: "Path to a client certificate file for TLS" }),
  "client-key": stringFlag({ usage: "Path to a client key file for TLS" }),
  token: stringFlag({ usage: "Bearer token for authentication to the API server" }),
  as: stringFlag({
    usage: "Username to impersonate for the operation: a regular user or a service account.",
  }),
  "as-uid": stringFlag({ usage: "UID to impersonate for the operation." }),
  "as-group": stringArrayFlag({
    usage: "Group to impersonate for the operation; may be repeated.",
  }),
  "as-user-extra": stringArrayFlag({
    usage: "Extra of the impersonated user, as KEY=VALUE; may be repeated, also for the same key.",
  }),
  username: stringFlag({ usage: "Username for basic authentication to the API server" }),
  password: stringFlag({ usage: "Password for basic authentication to the API server" }),
  cluster: stringFlag({ usage: "The name of the kubeconfig cluster to use" }),
  user: stringFlag({ usage: "The name of the kubeconfig user to use" }),
  namespace: stringFlag({ short: "n", usage: "The namespace of this request, if it has one" }),
  context: stringFlag({ usage: "The name of the kubeconfig context to use" }),
  server: stringFlag({ short: "s", usage: "The address and port of the Kubernetes API server" }),
  "tls-server-name": stringFlag({
    usage: "The name in the server's certificate; by default the host that is called",
  }),
  "insecure-skip-tls-verify": boolFlag({
    usage:
      "If true, the server's certificate will not be checked for validity. This makes HTTPS connections insecure",
  }),
  "certificate-authority": stringFlag({
    usage: "Path to a cert file for the certificate authority",
  }),
  "request-timeout": stringFlag({
    default: "0",
    usage:
      "How long to wait before giving up on a single server request, with a unit (1s, 2m, 3h). Zero means no limit.",
  }),
  "disable-compression": boolFlag({
    usage: "If true, opt-out of response compression for all requests to the server",
  }),
} satisfies Flags;

/** Flags that every command has. */
export const globalFlags = {
  ...connectionFlags,
  "explain-request": boolFlag({
    usage:
      "If true, print to stderr what each writing request is about to send: method, URL, media type and body, without the data of secrets",
  }),
  "match-server-version": boolFlag({ usage: "Require server version to match client version" }),
  "warnings-as-errors": boolFlag({
    usage: "Treat warnings received from the server as errors and exit with a non-zero exit code",
  }),
  kuberc: stringFlag({
    usage: "Path to the kuberc file to use for preferences; `KUBECTL_KUBERC=false` turns it off.",
  }),
  profile: stringFlag({
    default: "none",
    usage:
      "Name of profile to capture. One of (none|cpu|heap|goroutine|threadcreate|block|mutex|trace)",
  }),
  "profile-output": stringFlag({
    default: "profile.pprof",
    usage: "Name of the file to write the profile to",
  }),
  v: intFlag({ short: "v", usage: "number for the log level verbosity" }),
  vmodule: {
    ...stringFlag({
      usage: "comma-separated list of pattern=N settings for file-filtered logging",
    }),
    read(text: string) {
      if (text.split(",").every((pair) => pair === "" || /^[^=]+=\d+$/.test(pair))) return text;
      throw new Error("syntax error: expect comma-separated list of filename=N");
    },
  },
  "log-flush-frequency": stringFlag({
    default: "5s",
    usage: "Maximum number of seconds between log flushes",
  }),
} satisfies Flags;
