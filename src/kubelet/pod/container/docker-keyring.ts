import { compareUtf8 } from "../../../schema/values/utf8-order.ts";

/**
 * The credentials for an image, such as `docker.io/library/nginx`: those of the most specific place first, and of
 * one place in the order of the configurations.
 */
export function credentialsIn<T>(
  configs: readonly ReadonlyMap<string, T>[],
  image: string,
): readonly T[] {
  const byPlace = new Map<string, T[]>();
  for (const [key, auth] of configs.flatMap((config) => [...config])) {
    const place = placeOf(key);
    if (place !== undefined) byPlace.set(place, [...(byPlace.get(place) ?? []), auth]);
  }
  const places = [...byPlace.keys()].sort(compareUtf8).reverse();
  const matching = places.filter((place) => imageMatches(place, image));
  if (matching.length === 0 && isOfDockerHub(image)) return byPlace.get(dockerHub) ?? [];
  return matching.flatMap((place) => byPlace.get(place) ?? []);
}

/**
 * Whether an image belongs to a pattern such as `*.registry.io:8080/path`. A `*` matches within one part of the
 * domain; the path is a prefix.
 */
export function imageMatches(pattern: string, image: string): boolean {
  const wanted = parsePlace(pattern);
  const given = parsePlace(image);
  if (wanted === undefined || given === undefined || wanted.port !== given.port) return false;
  return (
    wanted.parts.length === given.parts.length &&
    given.path.startsWith(wanted.path) &&
    wanted.parts.every((glob, i) => globMatches(glob, given.parts[i] ?? ""))
  );
}

const dockerHub = "index.docker.io";

/** The key of docker's configuration without scheme and version; undefined if it is none. */
function placeOf(key: string): string | undefined {
  const place = parsePlace(key.replace(/^https?:\/\//, ""));
  if (place === undefined) return undefined;
  const path = place.path.replace(/^\/v[12](?=\/)/, "");
  return path === "/" ? place.host : place.host + path;
}

/** As docker tells apart names of registries and of users. */
function isOfDockerHub(image: string): boolean {
  const [first = "", ...rest] = image.split("/");
  if (first === "") return false;
  return rest.length === 0 || ["docker.io", dockerHub].includes(first) || !/[.:]/.test(first);
}

interface Place {
  readonly host: string;
  readonly parts: readonly string[];
  readonly port: string;
  readonly path: string;
}

/** Reads what follows the scheme of a URL; undefined if Go would refuse it. */
function parsePlace(text: string): Place | undefined {
  const [, authority = "", escaped = ""] = /^([^/?#]*)([^?#]*)/.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const [, name, port = ""] = hostForm.exec(host) ?? [];
  if (name === undefined) return undefined;
  try {
    return { host, parts: name.split("."), port, path: decodeURIComponent(escaped) };
  } catch {
    return undefined;
  }
}

const hostForm = /^(\[[^\]]*\]|[^\s:%[\]\\^`{|}]*)(?::(\d*))?$/;

/** Takes no longer than the product of both lengths, because patterns come from users. */
function globMatches(glob: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length; ) {
    if (glob[at] === "*") {
      star = at++;
      resume = i;
    } else if (glob[at] === text[i]) {
      at++;
      i++;
    } else if (star < 0) return false;
    else {
      at = star + 1;
      i = ++resume;
    }
  }
  return /^\**$/.test(glob.slice(at));
}
