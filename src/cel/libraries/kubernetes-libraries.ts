import { type Functions, mergeFunctions, readFunctions } from "../checking/declaration.ts";

/** The functions that Kubernetes adds: on lists, URLs, addresses, quantities, versions, formats. */
export function kubernetesFunctions(): Functions {
  return mergeFunctions(
    readFunctions(table),
    readFunctions(comparable.map(ordering).join("\n")),
    readFunctions(
      summable.map((type) => `list_${type}_sum_${type} (list(${type})).sum(): ${type}`).join("\n"),
    ),
    readFunctions(formats.map((name) => `format.${name} format.${name}(): ${format}`).join("\n")),
  );
}

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const summable = ["int", "uint", "double", "duration"];

function ordering(type: string): string {
  return `
    list_${type}_is_sorted_bool (list(${type})).isSorted(): bool
    list_${type}_max_${type} (list(${type})).max(): ${type}
    list_${type}_min_${type} (list(${type})).min(): ${type}`;
}

const format = "kubernetes.NamedFormat";

const formats = [
  "dns1123Label",
  "dns1123Subdomain",
  "dns1035Label",
  "qualifiedName",
  "dns1123LabelPrefix",
  "dns1123SubdomainPrefix",
  "dns1035LabelPrefix",
  "labelValue",
  "uri",
  "uuid",
  "byte",
  "date",
  "datetime",
];

const url = "kubernetes.URL";
const quantity = "kubernetes.Quantity";
const semver = "kubernetes.Semver";
const authorizer = "kubernetes.authorization.Authorizer";
const pathCheck = "kubernetes.authorization.PathCheck";
const groupCheck = "kubernetes.authorization.GroupCheck";
const resourceCheck = "kubernetes.authorization.ResourceCheck";
const decision = "kubernetes.authorization.Decision";

const table = `
    list_a_index_of_int (list(A)).indexOf(A): int
    list_a_last_index_of_int (list(A)).lastIndexOf(A): int

    string_find_string (string).find(string): string
    string_find_all_string (string).findAll(string): list(string)
    string_find_all_string_int (string).findAll(string, int): list(string)

    string_to_url url(string): ${url}
    url_get_scheme (${url}).getScheme(): string
    url_get_host (${url}).getHost(): string
    url_get_hostname (${url}).getHostname(): string
    url_get_port (${url}).getPort(): string
    url_get_escaped_path (${url}).getEscapedPath(): string
    url_get_query (${url}).getQuery(): map(string, list(string))
    is_url_string isURL(string): bool

    authorizer_path (${authorizer}).path(string): ${pathCheck}
    authorizer_group (${authorizer}).group(string): ${groupCheck}
    authorizer_serviceaccount (${authorizer}).serviceAccount(string, string): ${authorizer}
    groupcheck_resource (${groupCheck}).resource(string): ${resourceCheck}
    resourcecheck_subresource (${resourceCheck}).subresource(string): ${resourceCheck}
    resourcecheck_namespace (${resourceCheck}).namespace(string): ${resourceCheck}
    resourcecheck_name (${resourceCheck}).name(string): ${resourceCheck}
    authorizer_fieldselector (${resourceCheck}).fieldSelector(string): ${resourceCheck}
    authorizer_labelselector (${resourceCheck}).labelSelector(string): ${resourceCheck}
    pathcheck_check (${pathCheck}).check(string): ${decision}
    resourcecheck_check (${resourceCheck}).check(string): ${decision}
    decision_errored (${decision}).errored(): bool
    decision_error (${decision}).error(): string
    decision_allowed (${decision}).allowed(): bool
    decision_reason (${decision}).reason(): string

    string_to_quantity quantity(string): ${quantity}
    is_quantity_string isQuantity(string): bool
    quantity_sign sign(${quantity}): int
    quantity_is_greater_than (${quantity}).isGreaterThan(${quantity}): bool
    quantity_is_less_than (${quantity}).isLessThan(${quantity}): bool
    quantity_compare_to (${quantity}).compareTo(${quantity}): int
    quantity_get_float (${quantity}).asApproximateFloat(): double
    quantity_get_int (${quantity}).asInteger(): int
    quantity_is_integer (${quantity}).isInteger(): bool
    quantity_add (${quantity}).add(${quantity}): ${quantity}
    quantity_add_int (${quantity}).add(int): ${quantity}
    quantity_sub (${quantity}).sub(${quantity}): ${quantity}
    quantity_sub_int (${quantity}).sub(int): ${quantity}

    string_to_ip ip(string): net.IP
    ip_family (net.IP).family(): int
    ip_is_canonical ip.isCanonical(string): bool
    ip_is_unspecified (net.IP).isUnspecified(): bool
    ip_is_loopback (net.IP).isLoopback(): bool
    ip_is_link_local_multicast (net.IP).isLinkLocalMulticast(): bool
    ip_is_link_local_unicast (net.IP).isLinkLocalUnicast(): bool
    ip_is_global_unicast (net.IP).isGlobalUnicast(): bool
    is_ip isIP(string): bool
    ip_to_string string(net.IP): string

    string_to_cidr cidr(string): net.CIDR
    cidr_contains_ip_string (net.CIDR).containsIP(string): bool
    cidr_contains_ip_ip (net.CIDR).containsIP(net.IP): bool
    cidr_contains_cidr_string (net.CIDR).containsCIDR(string): bool
    cidr_contains_cidr (net.CIDR).containsCIDR(net.CIDR): bool
    cidr_ip (net.CIDR).ip(): net.IP
    cidr_prefix_length (net.CIDR).prefixLength(): int
    cidr_masked (net.CIDR).masked(): net.CIDR
    is_cidr isCIDR(string): bool
    cidr_to_string string(net.CIDR): string

    string_to_semver semver(string): ${semver}
    string_bool_to_semver semver(string, bool): ${semver}
    is_semver_string isSemver(string): bool
    is_semver_string_bool isSemver(string, bool): bool
    semver_is_greater_than (${semver}).isGreaterThan(${semver}): bool
    semver_is_less_than (${semver}).isLessThan(${semver}): bool
    semver_compare_to (${semver}).compareTo(${semver}): int
    semver_major (${semver}).major(): int
    semver_minor (${semver}).minor(): int
    semver_patch (${semver}).patch(): int

    format-validate (${format}).validate(string): optional_type(list(string))
    format-named format.named(string): optional_type(${format})
`;
