/** What a path of the API addresses. */
export interface ResourcePath {
  /** The path of the list that the object is in. */
  readonly collection: string;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Splits a path; undefined where it addresses no resource. */
export function resourcePath(path: string): ResourcePath | undefined {
  const segments = (path.split("?")[0] ?? "").split("/").filter((segment) => segment !== "");
  const root = segments[0] === "api" ? 2 : segments[0] === "apis" ? 3 : 0;
  const [first, namespace = "", third = ""] = segments.slice(root);
  if (root === 0 || first === undefined) return undefined;
  const inNamespace =
    first === "namespaces" && third !== "" && !["status", "finalize"].includes(third);
  const prefix = inNamespace ? ["namespaces", namespace] : [];
  const [resource = "", name, subresource] = segments.slice(root + prefix.length);
  const collection = `/${[...segments.slice(0, root), ...prefix, resource].join("/")}`;
  return { collection, resource, name, subresource };
}
