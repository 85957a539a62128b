import type {
  EndpointSlice,
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  Service,
} from "wherry/api";

/** What an IngressClass of this controller has in `spec.controller`. */
export const controllerName = "example.com/ingress";

/** What routes are made of. */
export interface RoutedObjects {
  readonly ingresses: readonly Ingress[];
  readonly classes: readonly IngressClass[];
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
}

/** Where requests for a host and a path go. */
export interface Route {
  /** A name, `*.` and a domain, or nothing for all hosts. */
  readonly host: string;
  readonly path: string;
  readonly isExact: boolean;
  readonly backend: Backend;
}

/** A port of a service: one of its endpoints gets the request. */
export interface Backend {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The ingresses of this controller's classes, the oldest first: it wins where two want the same. */
export function ownIngresses({
  ingresses,
  classes,
}: Pick<RoutedObjects, "ingresses" | "classes">): readonly Ingress[] {
  const own = new Set(
    classes
      .filter(({ spec }) => spec.controller === controllerName)
      .map(({ metadata }) => metadata.name),
  );
  return ingresses
    .filter(({ metadata, spec }) => own.has(spec.ingressClassName) && !metadata.deletionTimestamp)
    .sort((a, b) => compare(ageKey(a), ageKey(b)));
}

const ageKey = ({ metadata }: Ingress): string =>
  `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** All routes, the ones that win first. */
export function routesOf(objects: RoutedObjects): readonly Route[] {
  const backends = backendsOf(objects);
  const routes = ownIngresses(objects).flatMap((ingress) => routesOfIngress(ingress, backends));
  // Sorting keeps the order of equal routes, so that the oldest ingress wins.
  return routes.sort(
    (a, b) =>
      hostRank(b.host) - hostRank(a.host) ||
      b.path.length - a.path.length ||
      Number(b.isExact) - Number(a.isExact),
  );
}

/** A host by its name before one by its domain before any. A default backend is for what nothing else is for. */
const hostRank = (host: string): number =>
  host === anything ? -1 : host === "" ? 0 : host.startsWith("*.") ? 1 : 2;

/** The host of default backends. */
const anything = "*";

function routesOfIngress({ metadata, spec }: Ingress, backends: Backends): readonly Route[] {
  const { namespace = "" } = metadata;
  const to = (backend: IngressBackend): Backend => backends(namespace, backend);
  const { defaultBackend } = spec;
  const routes: Route[] = [];
  if (defaultBackend)
    routes.push({ host: anything, path: "", isExact: false, backend: to(defaultBackend) });
  for (const { host = "", http } of spec.rules ?? []) {
    // A host without paths goes to the default backend of its ingress.
    if (!http && defaultBackend)
      routes.push({ host, path: "", isExact: false, backend: to(defaultBackend) });
    for (const path of http?.paths ?? [])
      routes.push({ host, ...pathMatch(path), backend: to(path.backend) });
  }
  return routes;
}

/** ImplementationSpecific paths are prefixes here. A slash at the end of a prefix says nothing. */
const pathMatch = ({ path = "/", pathType }: HTTPIngressPath) =>
  pathType === "Exact"
    ? { path, isExact: true }
    : { path: path.replace(/\/+$/, ""), isExact: false };

/** The route of a request; its path is without the query. */
export function findRoute(
  routes: readonly Route[],
  request: { readonly host: string; readonly path: string },
): Route | undefined {
  return routes.find(
    (route) => matchesHost(route.host, request.host) && matchesPath(route, request.path),
  );
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === "" || pattern === anything) return true;
  return pattern === host || (pattern.startsWith("*.") && pattern === wildcardOf(host));
}

/** A wildcard stands for one label: `*.example.com` for `a.example.com`. */
export const wildcardOf = (host: string): string => host.replace(/^[^.]+\./, "*.");

const matchesPath = ({ path, isExact }: Route, asked: string): boolean =>
  asked === path || (!isExact && asked.startsWith(`${path}/`));

type Backends = (namespace: string, backend: IngressBackend) => Backend;

/** Finds the endpoints of backends. */
function backendsOf({ services, slices }: RoutedObjects): Backends {
  const byName = new Map(services.map((one) => [keyOf(one.metadata, one.metadata.name), one]));
  const byService = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = keyOf(slice.metadata, slice.metadata.labels?.["kubernetes.io/service-name"]);
    byService.set(key, [...(byService.get(key) ?? []), slice]);
  }
  return (namespace, { service: wanted }) => {
    const name = keyOf({ namespace }, wanted?.name);
    const port = byName
      .get(name)
      ?.spec.ports?.find(({ name, port }) =>
        wanted?.port.name ? name === wanted.port.name : port === wanted?.port.number,
      );
    return { name, endpoints: port ? endpointsOf(byService.get(name) ?? [], port.name) : [] };
  };
}

const keyOf = ({ namespace = "" }: { readonly namespace?: string | undefined }, name = "") =>
  `${namespace}/${name}`;

/** The ready endpoints; without any, those that still serve while they terminate. */
function endpointsOf(slices: readonly EndpointSlice[], portName = ""): readonly Endpoint[] {
  const all = slices
    .filter(({ addressType }) => addressType !== "FQDN")
    .flatMap(({ endpoints, ports }) => {
      const port = ports?.find(({ name = "" }) => name === portName)?.port;
      if (port === undefined) return [];
      return (endpoints ?? []).map(({ addresses, conditions }) => ({
        endpoint: { host: addresses[0] ?? "", port },
        conditions,
      }));
    });
  const ready = all.filter(({ conditions }) => conditions.ready !== false);
  const serving = all.filter(({ conditions }) => conditions.serving && conditions.terminating);
  return (ready.length > 0 ? ready : serving).map(({ endpoint }) => endpoint);
}
