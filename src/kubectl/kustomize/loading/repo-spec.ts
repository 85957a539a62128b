import { parseDuration } from "../../../schema/values/duration.ts";
import { parseGoQuery } from "../../../schema/values/go-url.ts";

/** A directory of a git repository, as a kustomization names it. */
export interface RepoSpec {
  /** The text that was read. */
  readonly raw: string;
  readonly host: string;
  readonly repoPath: string;
  /** The directory within the repository. */
  readonly rootPath: string;
  /** A branch, a tag or a commit; empty for the default. */
  readonly ref: string;
  readonly submodules: boolean;
  readonly timeoutMs: number;
}

/** Reads a URL of a repository; undefined where a text is none. */
export function parseRepoSpec(raw: string): RepoSpec | undefined {
  if (raw.startsWith("/")) return undefined;
  const at = raw.indexOf("?");
  const query = parseGoQuery(at < 0 ? "" : raw.slice(at + 1));
  const source = splitHost(at < 0 ? raw : raw.slice(0, at));
  const paths = source && splitPath(source.rest, source.host.startsWith("file://"));
  if (source === undefined || paths === undefined) return undefined;
  return { raw, host: source.host, ...paths, ...options(query) };
}

const schemes = ["ssh://", "https://", "http://", "file://"];

function splitHost(text: string): { host: string; rest: string } | undefined {
  let rest = text.replace(/^git::/i, "");
  const scheme = schemes.find((prefix) => rest.toLowerCase().startsWith(prefix)) ?? "";
  rest = rest.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(rest)?.[0] ?? "";
  rest = rest.slice(user.length);
  const isGithub = /^github\.com[/:]/i.test(rest);
  const isScp = scheme === "" && (user !== "" || isGithub);
  if (scheme === "" && !isScp) return undefined;
  if (scheme === "file://") return { host: scheme, rest: user + rest };
  const end = separator(rest, isScp);
  const host = end < 0 ? rest : rest.slice(0, end + 1);
  const path = end < 0 ? "" : rest.slice(end + 1);
  if (isGithub) {
    const secure = scheme === "ssh://" || user !== "";
    return { host: secure ? `${user}github.com:` : "https://github.com/", rest: path };
  }
  return host === "" ? undefined : { host: scheme + user + host, rest: path };
}

function separator(text: string, isScp: boolean): number {
  const slash = text.indexOf("/");
  const colon = isScp ? text.indexOf(":") : -1;
  if (isScp && slash < 0) return colon;
  return colon > 0 && colon < slash ? colon : slash;
}

interface RepoPaths {
  readonly repoPath: string;
  readonly rootPath: string;
}

function splitPath(text: string, isFile: boolean): RepoPaths | undefined {
  const paths = splitAtMarker(text) ?? splitAtLength(text, isFile);
  if (paths === undefined || paths.repoPath === "") return undefined;
  return leavesRepo(paths.rootPath)
    ? undefined
    : { ...paths, rootPath: paths.rootPath.replace(/^\//, "") };
}

/** Azure's `_git/`, an empty path element, and `.git` tell where a repository ends. */
function splitAtMarker(text: string): RepoPaths | undefined {
  const azure = text.indexOf("_git/");
  if (azure >= 0) {
    const start = azure + "_git/".length;
    const [name = "", ...rest] = text.slice(start).split("/");
    return { repoPath: text.slice(0, start) + name, rootPath: rest.join("/") };
  }
  const empty = text.indexOf("//");
  if (empty >= 0) return { repoPath: text.slice(0, empty), rootPath: text.slice(empty + 2) };
  const suffix = text.indexOf(".git");
  if (suffix < 0) return undefined;
  const end = suffix + ".git".length;
  return { repoPath: text.slice(0, end), rootPath: text.slice(end) };
}

function splitAtLength(text: string, isFile: boolean): RepoPaths | undefined {
  if (isFile) return { repoPath: text, rootPath: "" };
  const segments = text.split("/");
  if (segments.length < 2) return undefined;
  return { repoPath: segments.slice(0, 2).join("/"), rootPath: segments.slice(2).join("/") };
}

function leavesRepo(path: string): boolean {
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

const defaultTimeoutMs = 27_000;

function options(query: ReadonlyMap<string, readonly string[]>) {
  const value = (name: string): string => query.get(name)?.[0] ?? "";
  const submodules = value("submodules");
  return {
    ref: value("ref") || value("version"),
    timeoutMs: timeoutOf(value("timeout")),
    submodules: !/^(?:0|f|F|false|False|FALSE)$/.test(submodules),
  };
}

function timeoutOf(text: string): number {
  if (/^\+?\d+$/.test(text) && Number(text) > 0) return Number(text) * 1000;
  try {
    const ms = Number(parseDuration(text) / 1_000_000n);
    return ms > 0 ? ms : defaultTimeoutMs;
  } catch {
    return defaultTimeoutMs;
  }
}
