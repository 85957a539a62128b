/** Members whose values differ from run to run. */
const varying: Readonly<Record<string, string>> = {
  uid: "<uid>",
  resourceVersion: "<rv>",
  token: "<token>",
  stageTimestamp: "<time>",
  requestReceivedTimestamp: "<time>",
  creationTimestamp: "<time>",
  deletionTimestamp: "<time>",
  expirationTimestamp: "<time>",
  lastTransitionTime: "<time>",
  time: "<time>",
  continue: "<continue>",
  serverAddress: "<address>",
};

/** An event with what differs from run to run masked; annotations of slowness are left out. */
export function maskedEvent(event: object): object {
  const masked = mask(event) as { annotations?: Record<string, string> };
  const { annotations, ...others } = masked;
  if (!annotations) return others;
  const kept = Object.entries(annotations).filter(
    ([name]) => !name.startsWith("apiserver.latency.k8s.io/"),
  );
  return { ...others, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) };
}

function mask(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, name));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item, key)]));
  if (typeof value !== "string") return value;
  // What the request itself says stays.
  if (
    name in varying &&
    value !== "" &&
    value !== "1" &&
    value !== "another" &&
    value !== "nonsense"
  )
    return varying[name];
  return value
    .replace(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>")
    .replace(/JTI=[0-9a-f-]{36}/g, "JTI=<id>")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<suffix>")
    .replace(/^\d+s$/, "<age>")
    .replace(/\bmade-[a-z0-9]{5}\b/g, "made-<suffix>");
}
