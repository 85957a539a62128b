import type { DockerRoute } from "./docker-route.ts";

export interface RouteMatch {
  readonly route: DockerRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a request; the first one that matches wins. */
export function createRouter(
  routes: readonly DockerRoute[],
): (method: string, path: string) => RouteMatch | undefined {
  const compiled = routes.map((route) => ({ route, pattern: compile(route.template) }));
  return (method, path) => {
    for (const { route, pattern } of compiled) {
      if (route.method !== method) continue;
      const match = pattern.exec(path);
      if (match) return { route, params: decoded(match.groups ?? {}) };
    }
    return undefined;
  };
}

function compile(template: string): RegExp {
  const source = template
    .split(/(\{[a-z]+(?:\.\.\.)?\})/)
    .map((part) => {
      const name = /^\{([a-z]+)(\.\.\.)?\}$/.exec(part);
      if (name) return `(?<${name[1]}>${name[2] ? ".+" : "[^/]+"})`;
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`);
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
}

/** A malformed escape stays as it is: no object has such a name. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
