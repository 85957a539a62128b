import { type Functions, mergeFunctions, readFunctions } from "../checking/declaration.ts";

/** The functions that extend the language: missing values, strings, sets, lists, maps. */
export function extensionFunctions(): Functions {
  return mergeFunctions(
    readFunctions(optionals),
    readFunctions(strings),
    readFunctions(sets),
    readFunctions(lists),
    readFunctions(comparable.map(sorting).join("\n")),
    readFunctions(maps),
  );
}

const optionals = `
    optional_of optional.of(V): optional_type(V)
    optional_ofNonZeroValue optional.ofNonZeroValue(V): optional_type(V)
    optional_none optional.none(): optional_type(V)
    optional_value (optional_type(V)).value(): V
    optional_hasValue (optional_type(V)).hasValue(): bool
    optional_or_optional (optional_type(V)).or(optional_type(V)): optional_type(V)
    optional_orValue_value (optional_type(V)).orValue(V): V
    select_optional_field _?._(dyn, string): optional_type(V)
    list_optindex_optional_int _[?_](list(V), int): optional_type(V)
    optional_list_optindex_optional_int _[?_](optional_type(list(V)), int): optional_type(V)
    map_optindex_optional_value _[?_](map(K, V), K): optional_type(V)
    optional_map_optindex_optional_value _[?_](optional_type(map(K, V)), K): optional_type(V)
    optional_list_index_int _[_](optional_type(list(V)), int): optional_type(V)
    optional_map_index_value _[_](optional_type(map(K, V)), K): optional_type(V)
    list_last (list(V)).last(): optional_type(V)
    list_first (list(V)).first(): optional_type(V)
    optional_unwrap optional.unwrap(list(optional_type(V))): list(V)
    optional_unwrapOpt (list(optional_type(V))).unwrapOpt(): list(V)
`;

const strings = `
    string_char_at_int (string).charAt(int): string
    string_index_of_string (string).indexOf(string): int
    string_index_of_string_int (string).indexOf(string, int): int
    string_last_index_of_string (string).lastIndexOf(string): int
    string_last_index_of_string_int (string).lastIndexOf(string, int): int
    string_lower_ascii (string).lowerAscii(): string
    string_replace_string_string (string).replace(string, string): string
    string_replace_string_string_int (string).replace(string, string, int): string
    string_split_string (string).split(string): list(string)
    string_split_string_int (string).split(string, int): list(string)
    string_substring_int (string).substring(int): string
    string_substring_int_int (string).substring(int, int): string
    string_trim (string).trim(): string
    string_upper_ascii (string).upperAscii(): string
    string_format (string).format(list(dyn)): string
    strings_quote strings.quote(string): string
    list_join (list(string)).join(): string
    list_join_string (list(string)).join(string): string
`;

const sets = `
    list_sets_contains_list sets.contains(list(T), list(T)): bool
    list_sets_equivalent_list sets.equivalent(list(T), list(T)): bool
    list_sets_intersects_list sets.intersects(list(T), list(T)): bool
`;

const lists = `
    list_slice (list(T)).slice(int, int): list(T)
    list_flatten (list(list(T))).flatten(): list(T)
    list_flatten_int (list(dyn)).flatten(int): list(dyn)
    lists_range lists.range(int): list(int)
    list_reverse (list(T)).reverse(): list(T)
    list_distinct (list(T)).distinct(): list(T)
`;

const comparable: readonly (readonly [name: string, type: string])[] = [
  ["int", "int"],
  ["uint", "uint"],
  ["double", "double"],
  ["bool", "bool"],
  ["google.protobuf.Duration", "duration"],
  ["google.protobuf.Timestamp", "timestamp"],
  ["string", "string"],
  ["bytes", "bytes"],
];

function sorting([name, type]: readonly [string, string]): string {
  return `
    list_${name}_sort (list(${type})).sort(): list(${type})
    list_${name}_sortByAssociatedKeys (list(T)).@sortByAssociatedKeys(list(${type})): list(T)`;
}

const maps = `
    @mapInsert_map_key_value cel.@mapInsert(map(K, V), K, V): map(K, V)
    @mapInsert_map_map cel.@mapInsert(map(K, V), map(K, V)): map(K, V)
`;
