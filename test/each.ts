import { test } from "vitest";

/**
 * `test.each` for a table whose rows have a declared type. The rows are checked against it once, one
 * by one; `test.each` tries four signatures, and finds the union of all rows for each.
 */
export const each =
  <Row extends unknown[]>(rows: readonly [Row, ...Row[]]) =>
  (name: string, run: (...row: Row) => void | Promise<void>): void =>
    test.each<Row>(rows)(name, run);
