import { type Functions, mergeFunctions, readFunctions } from "../checking/declaration.ts";

/** The functions and operators of the language. */
export function standardFunctions(): Functions {
  return mergeFunctions(
    readFunctions(table),
    ...Object.entries(comparisons).map(([operator, prefix]) =>
      readFunctions(comparable.map((pair) => compare(operator, prefix, pair)).join("\n")),
    ),
  );
}

const comparisons = {
  "_<_": "less",
  "_<=_": "less_equals",
  "_>_": "greater",
  "_>=_": "greater_equals",
};

/** What can be compared with what; numbers of different types can be too. */
const comparable: readonly (readonly [string, string])[] = [
  ["bool", "bool"],
  ["int", "int"],
  ["int", "double"],
  ["int", "uint"],
  ["uint", "uint"],
  ["uint", "double"],
  ["uint", "int"],
  ["double", "double"],
  ["double", "int"],
  ["double", "uint"],
  ["string", "string"],
  ["bytes", "bytes"],
  ["timestamp", "timestamp"],
  ["duration", "duration"],
];

function compare(
  operator: string,
  prefix: string,
  [left, right]: readonly [string, string],
): string {
  const names = left === right ? [left] : [left, right];
  const id = [prefix, ...names.map((name) => name.replace("int", "int64"))].join("_");
  return `${id} ${operator}(${left}, ${right}): bool`;
}

const table = `
    conditional _?_:_(bool, A, A): A
    logical_and _&&_(bool, bool): bool
    logical_or _||_(bool, bool): bool
    logical_not !_(bool): bool
    not_strictly_false @not_strictly_false(bool): bool
    equals _==_(A, A): bool
    not_equals _!=_(A, A): bool
    add_bytes _+_(bytes, bytes): bytes
    add_double _+_(double, double): double
    add_duration_duration _+_(duration, duration): duration
    add_duration_timestamp _+_(duration, timestamp): timestamp
    add_timestamp_duration _+_(timestamp, duration): timestamp
    add_int64 _+_(int, int): int
    add_list _+_(list(A), list(A)): list(A)
    add_string _+_(string, string): string
    add_uint64 _+_(uint, uint): uint
    divide_double _/_(double, double): double
    divide_int64 _/_(int, int): int
    divide_uint64 _/_(uint, uint): uint
    modulo_int64 _%_(int, int): int
    modulo_uint64 _%_(uint, uint): uint
    multiply_double _*_(double, double): double
    multiply_int64 _*_(int, int): int
    multiply_uint64 _*_(uint, uint): uint
    negate_double -_(double): double
    negate_int64 -_(int): int
    subtract_double _-_(double, double): double
    subtract_duration_duration _-_(duration, duration): duration
    subtract_int64 _-_(int, int): int
    subtract_timestamp_duration _-_(timestamp, duration): timestamp
    subtract_timestamp_timestamp _-_(timestamp, timestamp): duration
    subtract_uint64 _-_(uint, uint): uint
    index_list _[_](list(A), int): A
    index_map _[_](map(A, B), A): B
    in_list @in(A, list(A)): bool
    in_map @in(A, map(A, B)): bool
    size_bytes size(bytes): int
    bytes_size (bytes).size(): int
    size_list size(list(A)): int
    list_size (list(A)).size(): int
    size_map size(map(A, B)): int
    map_size (map(A, B)).size(): int
    size_string size(string): int
    string_size (string).size(): int
    type type(A): type(A)
    bool_to_bool bool(bool): bool
    string_to_bool bool(string): bool
    bytes_to_bytes bytes(bytes): bytes
    string_to_bytes bytes(string): bytes
    double_to_double double(double): double
    int64_to_double double(int): double
    string_to_double double(string): double
    uint64_to_double double(uint): double
    duration_to_duration duration(duration): duration
    int64_to_duration duration(int): duration
    string_to_duration duration(string): duration
    to_dyn dyn(A): dyn
    int64_to_int64 int(int): int
    double_to_int64 int(double): int
    duration_to_int64 int(duration): int
    string_to_int64 int(string): int
    timestamp_to_int64 int(timestamp): int
    uint64_to_int64 int(uint): int
    string_to_string string(string): string
    bool_to_string string(bool): string
    bytes_to_string string(bytes): string
    double_to_string string(double): string
    duration_to_string string(duration): string
    int64_to_string string(int): string
    timestamp_to_string string(timestamp): string
    uint64_to_string string(uint): string
    timestamp_to_timestamp timestamp(timestamp): timestamp
    int64_to_timestamp timestamp(int): timestamp
    string_to_timestamp timestamp(string): timestamp
    uint64_to_uint64 uint(uint): uint
    double_to_uint64 uint(double): uint
    int64_to_uint64 uint(int): uint
    string_to_uint64 uint(string): uint
    contains_string (string).contains(string): bool
    ends_with_string (string).endsWith(string): bool
    starts_with_string (string).startsWith(string): bool
    matches matches(string, string): bool
    matches_string (string).matches(string): bool
    timestamp_to_year (timestamp).getFullYear(): int
    timestamp_to_year_with_tz (timestamp).getFullYear(string): int
    timestamp_to_month (timestamp).getMonth(): int
    timestamp_to_month_with_tz (timestamp).getMonth(string): int
    timestamp_to_day_of_year (timestamp).getDayOfYear(): int
    timestamp_to_day_of_year_with_tz (timestamp).getDayOfYear(string): int
    timestamp_to_day_of_month (timestamp).getDayOfMonth(): int
    timestamp_to_day_of_month_with_tz (timestamp).getDayOfMonth(string): int
    timestamp_to_day_of_month_1_based (timestamp).getDate(): int
    timestamp_to_day_of_month_1_based_with_tz (timestamp).getDate(string): int
    timestamp_to_day_of_week (timestamp).getDayOfWeek(): int
    timestamp_to_day_of_week_with_tz (timestamp).getDayOfWeek(string): int
    timestamp_to_hours (timestamp).getHours(): int
    timestamp_to_hours_with_tz (timestamp).getHours(string): int
    duration_to_hours (duration).getHours(): int
    timestamp_to_minutes (timestamp).getMinutes(): int
    timestamp_to_minutes_with_tz (timestamp).getMinutes(string): int
    duration_to_minutes (duration).getMinutes(): int
    timestamp_to_seconds (timestamp).getSeconds(): int
    timestamp_to_seconds_tz (timestamp).getSeconds(string): int
    duration_to_seconds (duration).getSeconds(): int
    timestamp_to_milliseconds (timestamp).getMilliseconds(): int
    timestamp_to_milliseconds_with_tz (timestamp).getMilliseconds(string): int
    duration_to_milliseconds (duration).getMilliseconds(): int
`;
