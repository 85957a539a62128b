import type { Check, Facts } from "./check.ts";

/** A check of the API server's flags; `find` returns what is wrong with them. */
const flagCheck = (
  check: Omit<Check, "look">,
  find: (flags: Readonly<Record<string, string>>) => readonly (string | false)[],
): Check => ({
  ...check,
  look: ({ flags }: Facts) =>
    flags && find(flags).filter((found): found is string => found !== false),
});

/** The items of a list as `/flagz` shows it: `[Node,RBAC]`. */
const items = (text = ""): readonly string[] =>
  text
    .replace(/^\[(.*)\]$/, "$1")
    .split(/[ ,]+/)
    .filter((item) => item !== "");

const isLoopback = (address = ""): boolean => /^(127\.|::1$|localhost$)/.test(address);

/** Checks of how the API server was started. */
export const serverChecks: readonly Check[] = [
  flagCheck(
    {
      id: "authorization-mode",
      title: "Requests are authorized by node and by role",
      why: "With AlwaysAllow every authenticated user can do everything; without Node a kubelet can read the secrets of all nodes.",
      fix: "Start the server with --authorization-mode=Node,RBAC.",
      severity: "fault",
    },
    ({ "authorization-mode": mode, "authorization-config": file }) => {
      if (file) return [];
      const modes = items(mode);
      return [
        modes.includes("AlwaysAllow") && "AlwaysAllow is on",
        !modes.includes("RBAC") && "RBAC is off",
        !modes.includes("Node") && "Node is off",
      ];
    },
  ),
  flagCheck(
    {
      id: "node-restriction",
      title: "Kubelets may only change their own node and its pods",
      why: "Otherwise whoever has taken over one node can change all others.",
      fix: "Start the server with --enable-admission-plugins=NodeRestriction.",
      severity: "fault",
    },
    ({ "enable-admission-plugins": on, "disable-admission-plugins": off }) => [
      (!items(on).includes("NodeRestriction") || items(off).includes("NodeRestriction")) &&
        "the admission plugin NodeRestriction is off",
    ],
  ),
  flagCheck(
    {
      id: "admission-defaults",
      title: "The admission plugins that protect a cluster are on",
      why: "PodSecurity enforces the levels of namespaces, ServiceAccount the use of accounts, and NamespaceLifecycle keeps objects out of namespaces that are deleted.",
      fix: "Remove them from --disable-admission-plugins.",
      severity: "fault",
    },
    ({ "disable-admission-plugins": off }) =>
      ["PodSecurity", "ServiceAccount", "NamespaceLifecycle", "LimitRanger"].map(
        (name) => items(off).includes(name) && `${name} is off`,
      ),
  ),
  flagCheck(
    {
      id: "static-tokens",
      title: "No user authenticates with a token from a file",
      why: "Such tokens do not expire, and cannot be revoked without a restart.",
      fix: "Remove --token-auth-file; use certificates, service accounts or an OIDC issuer.",
      severity: "fault",
    },
    ({ "token-auth-file": file = "" }) => [file !== "" && `tokens are read from ${file}`],
  ),
  flagCheck(
    {
      id: "audit",
      title: "Requests are audited",
      why: "Without an audit log nobody can tell afterwards who has read or changed what.",
      fix: "Start the server with --audit-policy-file and --audit-log-path.",
      severity: "advice",
    },
    (flags) => [
      (flags["audit-policy-file"] ?? "") === "" && "there is no audit policy",
      (flags["audit-policy-file"] ?? "") !== "" &&
        !flags["audit-log-path"] &&
        !flags["audit-webhook-config-file"] &&
        "there is a policy, but events are written nowhere",
    ],
  ),
  flagCheck(
    {
      id: "tls-version",
      title: "Connections use TLS 1.2 or later",
      why: "Earlier versions of TLS are broken.",
      fix: "Remove --tls-min-version, or set it to VersionTLS12 or VersionTLS13.",
      severity: "fault",
    },
    ({ "tls-min-version": version = "" }) => [
      ["VersionTLS10", "VersionTLS11"].includes(version) && `${version} is allowed`,
    ],
  ),
  flagCheck(
    {
      id: "service-account-lookup",
      title: "Tokens of deleted service accounts and pods are rejected",
      why: "Otherwise a token is valid until it expires, whatever happens to its pod.",
      fix: "Remove --service-account-lookup=false.",
      severity: "fault",
    },
    ({ "service-account-lookup": lookup }) => [lookup === "false" && "tokens are not looked up"],
  ),
  flagCheck(
    {
      id: "anonymous",
      title: "Anonymous requests reach no server that others can connect to",
      why: "An anonymous request needs no credential: one wrong binding gives everybody rights.",
      fix: "Start the server with --anonymous-auth=false, or allow paths one by one with --authentication-config.",
      severity: "advice",
    },
    ({ "anonymous-auth": anonymous, "authentication-config": file, "bind-address": address }) => [
      anonymous === "true" &&
        !file &&
        !isLoopback(address) &&
        `anonymous requests are accepted at ${address || "all addresses"}`,
    ],
  ),
];
