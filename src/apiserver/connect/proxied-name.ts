/** The target of a proxy in a path: `name`, `name:port` or `scheme:name:port`. */
export interface ProxiedName {
  readonly scheme: "" | "http" | "https";
  readonly name: string;
  /** A number or the name of one; empty where none is given. */
  readonly port: string;
}

/** Parses such a name; undefined where it is malformed. */
export function proxiedName(text: string): ProxiedName | undefined {
  const parts = text.split(":");
  if (parts.length > 3) return undefined;
  const [scheme = "", name = "", port = ""] =
    parts.length === 3 ? parts : ["", parts[0], parts[1] ?? ""];
  if (name === "" || (scheme !== "" && scheme !== "http" && scheme !== "https")) return undefined;
  return { scheme, name, port };
}
