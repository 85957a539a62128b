/** What a request to a kubelet is authorized as: a verb on subresources of its node, one of which must be allowed. */
export interface NodeAttributes {
  /** Empty for methods that Kubernetes has no verb for. */
  readonly verb: string;
  readonly subresources: readonly string[];
}

/** The attributes of a request. Rights to `proxy` include almost everything; finer ones come first. */
export function nodeAttributes(method: string, path: string): NodeAttributes {
  const isBelow = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  const [, own] = ownSubresources.find(([prefix]) => isBelow(prefix)) ?? [];
  if (own !== undefined) return { verb: verbs[method] ?? "", subresources: [own] };
  const [, finer] = finerSubresources.find(([prefix]) => isBelow(prefix)) ?? [];
  const subresources = finer === undefined ? ["proxy"] : [finer, "proxy"];
  return { verb: verbs[method] ?? "", subresources };
}

const verbs: Readonly<Record<string, string>> = {
  __proto__: null as never,
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const ownSubresources = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/checkpoint", "checkpoint"],
  ["/statusz", "statusz"],
  ["/flagz", "configz"],
] as const;

const finerSubresources = [
  ["/pods", "pods"],
  ["/runningpods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
] as const;
