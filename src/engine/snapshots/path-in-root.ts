/** A path from the root without `.`, `..` and doubled slashes; undefined if it leaves the root. */
export function pathInRoot(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Whether a link that a path ends with is followed. */
export interface FollowOptions {
  readonly followsLast: boolean;
}

/**
 * Follows the symbolic links in a path as a process would whose root this is: absolute targets and `..` never leave
 * it. Yields each path that may be a link, and expects its target.
 */
export function* linkSteps(
  path: string,
  { followsLast }: FollowOptions,
): Generator<string, string, string | undefined> {
  const left = path.split("/").reverse();
  const done: string[] = [];
  for (let links = 0; left.length > 0; ) {
    const part = left.pop() ?? "";
    if (part === "..") done.pop();
    if (part === "" || part === "." || part === "..") continue;
    done.push(part);
    const target = left.length > 0 || followsLast ? yield done.join("/") : undefined;
    if (target === undefined) continue;
    if (++links > mostLinks) throw new Error(`too many levels of symbolic links: ${path}`);
    done.pop();
    if (target.startsWith("/")) done.length = 0;
    left.push(...target.split("/").reverse());
  }
  return done.join("/");
}

/** Follows the links in a path, whose targets a function knows. */
export function followLinks(
  path: string,
  readLink: (path: string) => string | undefined,
  options: FollowOptions,
): string {
  const steps = linkSteps(path, options);
  let step = steps.next();
  while (!step.done) step = steps.next(readLink(step.value));
  return step.value;
}

/** The limit of Linux. */
const mostLinks = 40;
